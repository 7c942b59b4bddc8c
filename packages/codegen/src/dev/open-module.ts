import { isFields } from '../defined.js'
import { type Checked, type Diagnostic, errorAt, type SourceLocation } from '../diagnostics/diagnostic.js'
import { loadInstalled, messageOf } from './installed-runtime.js'
import {
  closeModule,
  type LoadedModule,
  readServed,
  registerAll,
  type Servable,
  type ServedTool,
} from './served-module.js'

export interface CallerOptions {
  readonly sessionId?: string
  readonly labels?: Readonly<Record<string, string>>
  /** Not called if the `context` function of the module sets an approver. */
  readonly approve: (request: unknown) => Promise<unknown>
  /** `update` is JSON text. */
  readonly onUpdate?: (update: string) => void
}

export interface OpenedModule {
  readonly registered: readonly Servable[]
  readonly sessions?: object
  /** `tool` is `undefined` for a run of an agent. */
  contextOf(tool: string | undefined): Promise<Checked<Readonly<Record<string, unknown>>>>
  /** `own` overrides the options from the module's function `context`. Returns an error if a required option is missing. */
  optionsOf(
    tool: ServedTool | readonly ServedTool[],
    own: CallerOptions,
  ): Promise<Checked<Readonly<Record<string, unknown>>>>
  close(): Promise<readonly Diagnostic[]>
}

export async function openModule(
  load: () => Promise<Checked<LoadedModule>>,
  root: string,
): Promise<Checked<OpenedModule>> {
  const newRuntime = await loadInstalled('@toolgen/runtime', 'Runtime', root)
  if (newRuntime.value === undefined) return { diagnostics: newRuntime.diagnostics }
  const { value: module, diagnostics } = await load()
  if (module === undefined) return { diagnostics }
  const { value: parts, diagnostics: wrong } = readServed(module)
  if (parts === undefined) return { diagnostics: wrong }
  const runtime = parts.runtime ?? Object(Reflect.construct(newRuntime.value, []))
  const bound = registerAll(parts, runtime, module)
  if (bound.value === undefined) return { diagnostics: [...bound.diagnostics, ...(await closeModule(parts))] }
  return {
    diagnostics,
    value: {
      registered: bound.value,
      ...(parts.sessions !== undefined && { sessions: parts.sessions }),
      close: () => closeModule(parts),
      contextOf: (tool) => contextOf(parts.options.context, tool, module.location),
      async optionsOf(tool, { approve, ...own }) {
        const tools = [tool].flat()
        const name = tools.length === 1 ? tools[0]?.toolName : undefined
        const context = await contextOf(parts.options.context, name, module.location)
        if (context.value === undefined) return { diagnostics: context.diagnostics }
        const { env, ...others } = context.value
        const options = { ...others, ...own, env: { approval: { approve }, ...Object(env) } }
        const missing = tools.flatMap((each) => missingOption(each, options) ?? []).slice(0, 1)
        return missing.length > 0 ? { diagnostics: missing } : { value: options, diagnostics: [] }
      },
    },
  }
}

export function agentNameOf(owner: Servable): string | undefined {
  const name: unknown = Reflect.get(Object(Reflect.get(owner, 'agent')), 'name')
  return typeof name === 'string' ? name : undefined
}

async function contextOf(
  context: unknown,
  tool: string | undefined,
  location: SourceLocation,
): Promise<Checked<Readonly<Record<string, unknown>>>> {
  if (typeof context !== 'function') return { value: {}, diagnostics: [] }
  try {
    const options: unknown = await Reflect.apply(context, undefined, [{ tool, claims: undefined }])
    return { value: isFields(options) ? options : {}, diagnostics: [] }
  } catch (error) {
    const message = `The \`context\` of the module failed: ${messageOf(error)}.`
    const next = 'Correct the function. `toolgen call`, `toolgen run` and `toolgen dev` call it without `client`.'
    return { diagnostics: [errorAt(location, 'TG7009', message, next)] }
  }
}

function missingOption(
  { id, serverOwned }: ServedTool,
  options: Readonly<Record<string, unknown>>,
): Diagnostic | undefined {
  for (const { from } of serverOwned) {
    const label = /^labels\.(.*)$/.exec(from)?.[1]
    const value = label === undefined ? options[from] : Reflect.get(Object(options.labels), label)
    if (value !== undefined || (label === undefined && from !== 'sessionId')) continue
    const option = label === undefined ? '--session ID' : `--label ${label}=VALUE`
    const message = `\`${id}\` needs \`${from}\`, which neither the command line nor the module sets.`
    return errorAt(undefined, 'TG7008', message, `Add \`${option}\`, or set it in the \`context\` of the module.`)
  }
  return undefined
}
