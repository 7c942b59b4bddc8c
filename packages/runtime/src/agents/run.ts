import type { ResolvedOptions } from '../call/call-target.js'
import { EventScope } from '../call/events.js'
import { joinPolicies } from '../call/layer-scope.js'
import type { Effects } from '../types/call-options.js'
import type { Mutable } from '../types/json.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, EventBody, EventOrigin, EventSink, RunInput } from '../types/run.js'
import { EventLog, ItemLog } from './event-log.js'
import { RunHandle } from './run-handle.js'
import { conductRun } from './run-lifecycle.js'
import { givenInput, type NestedRunOptions, type RunBeginning, type RunnableAgent } from './run-parts.js'
import { lastEvent, withEvents } from './run-result.js'
import { runSignal } from './run-signal.js'
import { readSuspension } from './suspension-schema.js'

/** What a run begins with that fails before it has begun. */
const NOTHING_GIVEN: RunBeginning = Object.freeze({ kind: 'input', input: { messages: [] } })

/** Starts a run. What is given back never rejects: whatever goes wrong is a run that ended so. */
export function startRun(
  agent: RunnableAgent,
  input: RunInput,
  options: ResolvedOptions,
  beneath?: NestedRunOptions,
): RunHandle {
  try {
    return begunRun(agent, { kind: 'input', input: givenInput(input) }, options, beneath)
  } catch (fault) {
    return begunRun(agent, NOTHING_GIVEN, { ...options, error: options.error ?? fault }, beneath)
  }
}

/** Goes on with a suspended run. What is given back never rejects: whatever goes wrong is a run that ended so. */
export function resumeRun(
  agent: RunnableAgent,
  given: { readonly suspension: unknown; readonly answers: unknown },
  options: ResolvedOptions,
  beneath?: NestedRunOptions,
): RunHandle {
  try {
    const suspension = readSuspension(given.suspension, agent.descriptor.name)
    return begunRun(agent, { kind: 'suspension', suspension, answers: given.answers }, options, beneath)
  } catch (fault) {
    return begunRun(agent, NOTHING_GIVEN, { ...options, error: options.error ?? fault }, beneath)
  }
}

function begunRun(
  agent: RunnableAgent,
  beginning: RunBeginning,
  options: ResolvedOptions,
  beneath: NestedRunOptions | undefined,
): RunHandle {
  const { context } = agent.target
  const suspended = beginning.kind === 'suspension' ? beginning.suspension : undefined
  const { runId, fault } = idOf(suspended?.runId ?? options.runId, options.error, context.effects)
  // A run beneath a call may come to its end as its call may.
  const isUnderWay = beneath !== undefined && beneath.parent.runtime === context
  const refusal = context.calls.closed && !isUnderWay ? context.calls.refusal() : undefined
  const origin = runOrigin(runId, agent.descriptor.name, options)
  const policy = options.config === undefined ? agent.policy : joinPolicies(agent.policy, options.config.parts.policy)
  const timeLeftMs = timeLeft(policy.timeBudgetMs, suspended?.progress.elapsedMs)
  const signal = runSignal({ caller: options.signal, timeBudgetMs: timeLeftMs }, context.listeners)
  const meta = runMeta(origin, options, signal.signal)
  const log = new EventLog()
  const items = new ItemLog()
  const events = new EventScope(
    origin,
    { now: () => context.effects.now(), sinks: sinksOf(agent, options, beneath), log },
    suspended?.progress.events,
  )
  const inRuntime = refusal === undefined ? context.calls.enter(signal) : undefined
  const inSession = options.calls?.enter(signal)
  const ended = (async (): Promise<AgentRun> => {
    // The caller has the handle before anything happens.
    await undefined
    events.publish(firstEvent(beginning))
    const refused = fault ?? refusal
    const run = await conductRun(agent, beginning, {
      options: refused === options.error ? options : { ...options, error: refused },
      meta,
      policy,
      signal,
      events,
      items,
      beneath,
    })
    signal.release()
    if (inRuntime !== undefined) context.calls.leave(inRuntime)
    if (inSession !== undefined) options.calls?.leave(inSession)
    events.publish(lastEvent(run))
    events.close()
    log.close()
    items.close()
    return withEvents(run, log)
  })()
  return new RunHandle(runId, { log, items }, ended)
}

function firstEvent(beginning: RunBeginning): EventBody {
  return beginning.kind === 'suspension'
    ? { type: 'run_resumed', suspension: beginning.suspension.id }
    : { type: 'run_started' }
}

/** Who is told of a run: of one beneath a call the sinks of its agent, and those above only if they want to know. */
function sinksOf(
  { target: { context }, sinks }: RunnableAgent,
  { onEvent, deepTracing }: ResolvedOptions,
  beneath: NestedRunOptions | undefined,
): readonly EventSink[] {
  if (beneath === undefined) return onEvent === undefined ? context.sinks : [...context.sinks, onEvent]
  const { events, deepTracing: all } = beneath.parent
  return events !== undefined && (all || deepTracing === true) ? [...sinks, (event) => events.relay(event)] : sinks
}

/** The id of a run; where the source of ids fails, the run has none and fails too. */
function idOf(
  runId: string | undefined,
  fault: unknown,
  effects: Pick<Effects, 'newId'>,
): { readonly runId: string; readonly fault: unknown } {
  try {
    return { runId: runId ?? effects.newId('run'), fault }
  } catch (error) {
    return { runId: '', fault: fault ?? error }
  }
}

type RunOrigin = EventOrigin & Pick<RunMeta, 'runId' | 'agent'>

function runOrigin(runId: string, agent: string, { sessionId, turnId, parentToolCallId }: ResolvedOptions): RunOrigin {
  const origin: Mutable<RunOrigin> = { runId, agent }
  if (sessionId !== undefined) origin.sessionId = sessionId
  if (turnId !== undefined) origin.turnId = turnId
  if (parentToolCallId !== undefined) origin.parentToolCallId = parentToolCallId
  return origin
}

const NO_LABELS: RunMeta['labels'] = Object.freeze({})

function runMeta(origin: RunOrigin, { labels = NO_LABELS }: ResolvedOptions, signal: AbortSignal): RunMeta {
  const { runId, agent, sessionId, turnId, parentToolCallId } = origin
  const meta: Mutable<RunMeta> = { runId, agent, labels, signal }
  if (sessionId !== undefined) meta.sessionId = sessionId
  if (turnId !== undefined) meta.turnId = turnId
  if (parentToolCallId !== undefined) meta.parentToolCallId = parentToolCallId
  return Object.freeze(meta)
}

/** What is left of the time budget of a run: below 0 where one that waited has used it up. */
function timeLeft(budgetMs: number | undefined, elapsedMs: number | undefined): number | undefined {
  if (budgetMs === undefined || elapsedMs === undefined) return budgetMs
  return budgetMs > elapsedMs ? budgetMs - elapsedMs : -1
}
