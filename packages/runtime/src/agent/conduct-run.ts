import type { AgentRun, RunRequest } from '../contract/agent-run.js'
import type { ChatFields } from '../contract/chat-request.js'
import type { Mutable } from '../contract/mutable.js'
import type { RunMeta } from '../contract/planner.js'
import type { LoopState } from '../contract/stop-condition.js'
import type { StopSignal } from '../contract/stop-signal.js'
import { traced } from '../event/traced.js'
import type { CallTarget } from '../execute/call/call-target.js'
import type { GivenOptions } from '../execute/call/given-call.js'
import { missingOfRun } from '../execute/call/missing-options.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { DEFAULT_MAX_DEPTH, type RunAbove } from '../execute/nest/run-above.js'
import { TokenLedger } from '../execute/nest/token-ledger.js'
import { endedRun } from './ended-run.js'
import { inRun, type LoopRun } from './loop.js'
import { RunCalls } from './run-calls.js'
import { runFailure } from './run-failure.js'
import { runInput } from './run-input.js'
import type { RunBeginning, RunnableAgent, RunParts } from './run-parts.js'
import { atStart, RunProgress } from './run-progress.js'
import { runService } from './run-service.js'
import { type ResumedStep, resumedRun } from './suspension/resumed-run.js'
import { runSuspension } from './suspension/run-suspension.js'
import { requireSigned, signedSuspension } from './suspension/sign-suspensions.js'
import { SuspensionError } from './suspension/suspension-error.js'
import { untilGrace } from './until-grace.js'
import { untilSignal } from './until-signal.js'

/** Runs the loop with the layers of all scopes around it. Never rejects. */
export async function conductRun(agent: RunnableAgent, beginning: RunBeginning, parts: RunParts): Promise<AgentRun> {
  const { options, meta, policy, signal, events, items, beneath } = parts
  const { table, context } = agent.target
  const { effects, classify, tracer, suspensions } = context
  let startedAt = 0
  let before = 0
  const elapsedMs = (): number => before + Math.max(0, effects.now() - startedAt)
  let progress: RunProgress | undefined
  const ended = (error: unknown): AgentRun => {
    const { stop, ...end } = runFailure(error, { signal, timeBudgetMs: policy.timeBudgetMs, classify })
    return endedRun(meta, progress?.present ?? atStart([]), [stop], end)
  }
  beneath?.observe(() => {
    const { turns, outcomes, model, promptTokens, completionTokens } = progress?.present ?? atStart([])
    const usage = { turns, promptTokens, completionTokens, ...(model !== undefined && { model }) }
    return { runId: meta.runId, agent: meta.agent, outcomes, usage }
  })
  const work = async (): Promise<AgentRun> => {
    const calls = new RunCalls(signal)
    try {
      startedAt = effects.now()
      requireBegin(agent.target, options, meta)
      const begun = await begin(agent, beginning, meta)
      const { fields, stops } = begun
      before = begun.begin.elapsedMs
      const tokens = new TokenLedger(policy.maxTokens, beneath?.above.tokens, begun.begin)
      progress = new RunProgress({
        begin: begun.begin,
        stops,
        tokens,
        elapsedMs,
      })
      const loop: LoopRun = {
        // Tools that are offered as they are need no selection: the list is that of the target.
        tools: (options.config === undefined ? agent.target : agent.target.under(options.config)).table.specs,
        guards: agent.guards,
        events,
        items,
        progress,
        elapsedMs,
        isResumed: begun.step !== undefined,
        ended,
        session: options.session,
        askAgain: beneath?.askAgain ?? (() => undefined),
        suspend: (run) =>
          runSuspension(
            { meta, ...run },
            { table, newId: () => effects.newId('suspension'), events: events.count, now: effects.now() },
          ),
      }
      const service = runService(agent, parts, {
        calls,
        loop,
        begin: begun.begin,
        above: aboveOf(agent, parts, tokens),
        resumed: begun.step,
      })
      const request: Mutable<RunRequest> = { env: options.env, meta, messages: begun.begin.messages, policy }
      if (fields !== undefined) request.fields = fields
      if (beginning.kind === 'suspension') request.isResumed = true
      const run = progress.covering(requireRun(await untilGrace(signal.signal, service(inRun(request, loop)))))
      const { suspension } = run
      // After all layers: the signature covers what leaves the runtime.
      if (suspension === undefined || suspensions === undefined) return run
      return { ...run, suspension: await signedSuspension(suspension, suspensions) }
    } catch (error) {
      return ended(error)
    } finally {
      await calls.close()
    }
  }
  return tracer === undefined ? work() : traced((inSpan) => tracer.run(meta, inSpan), work)
}

/** Where a run begins. */
interface Begun {
  readonly begin: LoopState
  readonly stops: readonly StopSignal[]
  readonly fields?: ChatFields
  readonly step?: ResumedStep
}

/** @throws {SuspensionError} when the suspension is not to be resumed, or not with these answers. */
async function begin(
  { descriptor, target }: RunnableAgent,
  beginning: RunBeginning,
  { sessionId, signal }: RunMeta,
): Promise<Begun> {
  if (beginning.kind === 'input') {
    const { messages, ...rest } = runInput(beginning.input, descriptor.instructions)
    return { begin: atStart(messages), stops: [], ...rest }
  }
  const { suspension, answers } = beginning
  const { claims, suspensions } = target.context
  await untilSignal(signal, () => requireSigned(suspension, suspensions))
  if (suspension.sessionId !== sessionId) {
    throw new SuspensionError(
      'wrong_session',
      'The run was suspended in another session: resume it with the `sessionId` that it was started with.',
    )
  }
  const resumed = resumedRun({ descriptor, table: target.table }, suspension, answers)
  // What cannot go on is not claimed.
  const { id, suspendedAt } = suspension
  const facts = suspendedAt === undefined ? {} : { suspendedAt }
  const claimed: unknown = await untilSignal(signal, async () => claims.claim(id, facts))
  if (claimed === true) return resumed
  if (claimed === 'expired') {
    throw new SuspensionError(
      'expired',
      'This suspension is too old: the claims no longer know whether it was resumed before. Start the run again, or use claims that are kept longer.',
    )
  }
  if (claimed !== false) throw new TypeError("claims.claim(id) must return true, false or 'expired'")
  throw new SuspensionError('already_resumed', 'This suspension has been resumed before: a run goes on once.')
}

function aboveOf(
  { descriptor, target }: RunnableAgent,
  { options, policy, events, items, beneath }: RunParts,
  tokens: TokenLedger,
): RunAbove {
  const { agents = [], maxDepth = DEFAULT_MAX_DEPTH, deepTracing = false } = beneath?.above ?? {}
  return {
    runtime: target.context,
    config: options.config,
    agents: [...agents, descriptor],
    maxDepth: Math.min(maxDepth, policy.maxDepth ?? maxDepth),
    tokens,
    events,
    items,
    deepTracing: deepTracing || options.deepTracing === true,
  }
}

/** @throws what is wrong with the options, or all server-owned fields that nobody can fill. */
function requireBegin({ table }: CallTarget, { fault }: GivenOptions, meta: RunMeta): void {
  if (fault !== undefined) throw fault
  const missing = missingOfRun(table, meta)
  if (missing.length === 0) return
  throw new ToolFailure(`The caller of this run must give ${missing.join(', ')}.`, {
    reason: 'internal',
    action: 'finish',
  })
}

function requireRun(run: unknown): AgentRun {
  if (isRun(run)) return run
  throw new TypeError('a layer around the run answered with no run: return what next(request) gave')
}

function isRun(value: unknown): value is AgentRun {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['runId', 'status', 'stop', 'stops', 'messages', 'outcomes', 'usage'].every((name) => name in value)
  )
}
