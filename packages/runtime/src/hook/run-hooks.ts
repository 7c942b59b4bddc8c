import type { AgentRun, RunRequest } from '../contract/agent-run.js'
import type { RunLayer } from '../contract/layer.js'
import { changesOf, tell } from './changes-of.js'
import { hooksOf, type InstalledHook } from './installed-hook.js'
import { toldRun } from './told.js'

/** The hooks around whole runs as a layer; `undefined` where there are none. */
export function runHooks(hooks: readonly InstalledHook[]): RunLayer<any> | undefined {
  // `any`: the env that hooks need is checked by the types of who installs them.
  const before = hooksOf(hooks, 'beforeRun')
  const after = hooksOf(hooks, 'afterRun')
  const onStop = hooksOf(hooks, 'onStop')
  const onError = hooksOf(hooks, 'onError')
  if (before.length + after.length + onStop.length + onError.length === 0) return undefined
  const asked = async <Env>(request: RunRequest<Env>): Promise<RunRequest<Env>> => {
    if (request.isResumed === true) return request
    let changed = request
    for (const hook of before) {
      const { messages, fields } = (await changesOf(hook, named(changed))) ?? {}
      changed = {
        ...changed,
        ...(messages !== undefined && { messages: Object.freeze([...messages]) }),
        ...(fields !== undefined && { fields }),
      }
    }
    return changed
  }
  const ended = async ({ env, meta }: RunRequest, run: AgentRun): Promise<AgentRun> => {
    let changed = run
    for (const hook of after) {
      const { result } = (await changesOf(hook, { env, meta, run: toldRun(changed) })) ?? {}
      if (result !== undefined && changed.result !== undefined) {
        changed = { ...changed, result: Object.freeze({ ...result }) }
      }
    }
    return changed
  }
  return (next) => async (request) => {
    const { env, meta } = request
    try {
      const run = await ended(request, await next(await asked(request)))
      if (run.status === 'failed') await tell(onError, { env, meta, error: run.error?.cause ?? run.error })
      if (run.status === 'stopped' || run.status === 'cancelled') await tell(onStop, { env, meta, run: toldRun(run) })
      return run
    } catch (error) {
      await tell(onError, { env, meta, error })
      throw error
    }
  }
}

/** A copy with the named fields alone: the run that a request belongs to is not for hooks. */
function named<Env>({ env, meta, messages, policy, fields }: RunRequest<Env>): Omit<RunRequest<Env>, 'isResumed'> {
  return { env, meta, messages, policy, ...(fields !== undefined && { fields }) }
}
