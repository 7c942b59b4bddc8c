import type { ToolLayer } from '../contract/layer.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { ToolRequest } from '../contract/tool-request.js'
import { deniedOutcome } from '../execute/pipeline/denied-outcome.js'
import { changesOf } from './changes-of.js'
import { type HookOf, hooksOf, type InstalledHook } from './installed-hook.js'
import { toldOutcome } from './told.js'

/** The hooks around tool calls as a layer; `undefined` where there are none. */
export function toolHooks(hooks: readonly InstalledHook[]): ToolLayer<any> | undefined {
  // `any`: the env that hooks need is checked by the types of who installs them.
  const before = hooksOf(hooks, 'beforeTool')
  const after = hooksOf(hooks, 'afterTool')
  if (before.length + after.length === 0) return undefined
  return (next) => async (request) => {
    const { asked, denial } = await beforeTool(before, request)
    const outcome = denial === undefined ? await next(asked) : await deniedOutcome(asked, denial)
    return afterTool(after, asked, outcome)
  }
}

async function beforeTool<Env>(
  hooks: readonly HookOf<'beforeTool'>[],
  request: ToolRequest<Env>,
): Promise<{ readonly asked: ToolRequest<Env>; readonly denial?: string }> {
  let asked = request
  for (const hook of hooks) {
    const now = asked
    const changes = await changesOf(hook, { ...told(now), decode: () => now.decode() })
    if (changes?.deny !== undefined) return { asked, denial: changes.deny }
    if (changes?.arguments !== undefined) asked = asked.withArguments(changes.arguments)
  }
  return { asked }
}

async function afterTool(
  hooks: readonly HookOf<'afterTool'>[],
  asked: ToolRequest,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  let changed = outcome
  for (const hook of hooks) {
    // What waits has not ended.
    if (changed.status === 'suspended') return changed
    const { result, fail } = (await changesOf(hook, { ...told(asked), outcome: toldOutcome(changed) })) ?? {}
    if (result !== undefined && fail !== undefined) {
      throw new TypeError(`hook '${hook.name}' (afterTool) changed result and fail: return one of both`)
    }
    if (result === undefined && fail === undefined) continue
    const other = result === undefined ? await asked.fail(fail) : await asked.complete(result)
    changed = changed.stop === undefined ? other : { ...other, stop: changed.stop }
  }
  return changed
}

function told<Env>({
  env,
  meta,
  tool,
  call,
  arguments: sent,
}: ToolRequest<Env>): Pick<ToolRequest<Env>, 'env' | 'meta' | 'tool' | 'call' | 'arguments'> {
  return { env, meta, tool, call, arguments: sent }
}
