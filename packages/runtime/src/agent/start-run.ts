import type { AgentRun, RunInput } from '../contract/agent-run.js'
import type { EventBody, EventOrigin, EventSink } from '../contract/event.js'
import type { RunMeta } from '../contract/planner.js'
import { EventLog } from '../event/event-log.js'
import { EventScope } from '../event/event-scope.js'
import { type GivenOptions, givenOptions } from '../execute/call/given-call.js'
import { joinPolicies } from '../layer/join-policies.js'
import { conductRun } from './conduct-run.js'
import { RunHandle } from './run-handle.js'
import { givenInput } from './run-input.js'
import type { RunBeginning, RunBeneath, RunnableAgent } from './run-parts.js'
import { runSignal } from './run-signal.js'
import { readSuspension } from './suspension/read-suspension.js'

/** What a run begins with that fails before it has begun. */
const NOTHING_GIVEN: RunBeginning = Object.freeze({ kind: 'input', input: { messages: [] } })

/** Starts a run. What is given back never rejects: whatever goes wrong is a run that ended so. */
export function startRun(agent: RunnableAgent, input: RunInput, asked: object, beneath?: RunBeneath): RunHandle {
  const options = givenOptions(asked)
  try {
    return begunRun(agent, { kind: 'input', input: givenInput(input) }, options, beneath)
  } catch (fault) {
    return begunRun(agent, NOTHING_GIVEN, { ...options, fault: options.fault ?? fault }, beneath)
  }
}

/** Goes on with a suspended run. What is given back never rejects: whatever goes wrong is a run that ended so. */
export function resumeRun(
  agent: RunnableAgent,
  given: { readonly suspension: unknown; readonly answers: unknown },
  asked: object,
  beneath?: RunBeneath,
): RunHandle {
  const options = givenOptions(asked)
  try {
    const suspension = readSuspension(given.suspension)
    return begunRun(agent, { kind: 'suspension', suspension, answers: given.answers }, options, beneath)
  } catch (fault) {
    return begunRun(agent, NOTHING_GIVEN, { ...options, fault: options.fault ?? fault }, beneath)
  }
}

function begunRun(
  agent: RunnableAgent,
  beginning: RunBeginning,
  options: GivenOptions,
  beneath: RunBeneath | undefined,
): RunHandle {
  const { context } = agent.target
  const suspended = beginning.kind === 'suspension' ? beginning.suspension : undefined
  const { runId, fault } = idOf(suspended?.runId ?? options.runId, options.fault, () => context.effects.newId('run'))
  // A run beneath a call may come to its end as its call may.
  const isUnderWay = beneath !== undefined && beneath.above.runtime === context
  const refusal = context.calls.closed && !isUnderWay ? context.calls.refusal() : undefined
  const origin = runOrigin(runId, agent.descriptor.name, options)
  const policy = joinPolicies(agent.policy, options.config?.parts.policy)
  const timeLeftMs = timeLeft(policy.timeBudgetMs, suspended?.progress.elapsedMs)
  const signal = runSignal({ caller: options.signal, timeBudgetMs: timeLeftMs }, context.listeners)
  const meta: RunMeta = Object.freeze({ ...origin, labels: options.labels ?? {}, signal: signal.signal })
  const log = new EventLog()
  const events = new EventScope(
    origin,
    { now: () => context.effects.now(), sinks: sinksOf(agent, options, beneath), log },
    suspended?.progress.events,
  )
  const inRuntime = refusal === undefined ? context.calls.enter(signal) : undefined
  const ended = (async (): Promise<AgentRun> => {
    // The caller has the handle before anything happens.
    await undefined
    events.publish(firstEvent(beginning))
    const run = await conductRun(agent, beginning, {
      options: { ...options, fault: fault ?? refusal },
      meta,
      policy,
      signal,
      events,
      beneath,
    })
    signal.release()
    if (inRuntime !== undefined) context.calls.leave(inRuntime)
    const { status, stop, result } = run
    events.publish({ type: 'run_ended', status, stop, ...(result !== undefined && { result }) })
    events.close()
    log.close()
    return { ...run, events: log.events }
  })()
  return new RunHandle(runId, log, ended)
}

function firstEvent(beginning: RunBeginning): EventBody {
  return beginning.kind === 'suspension'
    ? { type: 'run_resumed', suspension: beginning.suspension.id }
    : { type: 'run_started' }
}

/** Who is told of a run: of one beneath a call the sinks of its agent, and those above only if they want to know. */
function sinksOf(
  { target: { context }, sinks }: RunnableAgent,
  { onEvent, deepTracing }: GivenOptions,
  beneath: RunBeneath | undefined,
): readonly EventSink[] {
  if (beneath === undefined) return onEvent === undefined ? context.sinks : [...context.sinks, onEvent]
  const { events, deepTracing: all } = beneath.above
  return events !== undefined && (all || deepTracing === true) ? [...sinks, (event) => events.relay(event)] : sinks
}

/** The id of a run; where the source of ids fails, the run has none and fails too. */
function idOf(
  runId: string | undefined,
  fault: unknown,
  newId: () => string,
): { readonly runId: string; readonly fault: unknown } {
  try {
    return { runId: runId ?? newId(), fault }
  } catch (error) {
    return { runId: '', fault: fault ?? error }
  }
}

function runOrigin(
  runId: string,
  agent: string,
  { sessionId, turnId, parentToolCallId }: GivenOptions,
): EventOrigin & Pick<RunMeta, 'runId' | 'agent'> {
  return {
    runId,
    agent,
    ...(sessionId !== undefined && { sessionId }),
    ...(turnId !== undefined && { turnId }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  }
}

/** What is left of the time budget of a run: below 0 where one that waited has used it up. */
function timeLeft(budgetMs: number | undefined, elapsedMs: number | undefined): number | undefined {
  if (budgetMs === undefined || elapsedMs === undefined) return budgetMs
  return budgetMs > elapsedMs ? budgetMs - elapsedMs : -1
}
