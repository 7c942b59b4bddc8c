import type { AgentRun, RunInput } from '../contract/agent-run.js'
import type { EventOrigin } from '../contract/event.js'
import type { RunMeta } from '../contract/planner.js'
import { EventLog } from '../event/event-log.js'
import { EventScope } from '../event/event-scope.js'
import { type GivenOptions, givenOptions } from '../execute/call/given-call.js'
import { joinPolicies } from '../layer/join-policies.js'
import { conductRun } from './conduct-run.js'
import { RunHandle } from './run-handle.js'
import { givenInput } from './run-input.js'
import type { RunnableAgent } from './run-parts.js'
import { runSignal } from './run-signal.js'

/** Starts a run. What is given back never rejects: whatever goes wrong is a run that ended so. */
export function startRun(agent: RunnableAgent, input: RunInput, asked: object): RunHandle {
  const { context } = agent.target
  const options = givenOptions(asked)
  const { runId, fault } = idOf(options, () => context.effects.newId('run'))
  const refusal = context.calls.closed ? context.calls.refusal() : undefined
  const origin = runOrigin(runId, agent.descriptor.name, options)
  const policy = joinPolicies(agent.policy, options.config?.parts.policy)
  const signal = runSignal({ caller: options.signal, timeBudgetMs: policy.timeBudgetMs }, context.listeners)
  const meta: RunMeta = Object.freeze({ ...origin, labels: options.labels ?? {}, signal: signal.signal })
  const log = new EventLog()
  const events = new EventScope(origin, {
    now: () => context.effects.now(),
    sinks: options.onEvent === undefined ? context.sinks : [...context.sinks, options.onEvent],
    log,
  })
  const inRuntime = refusal === undefined ? context.calls.enter(signal) : undefined
  const given = givenInput(input)
  const ended = (async (): Promise<AgentRun> => {
    // The caller has the handle before anything happens.
    await undefined
    events.publish({ type: 'run_started' })
    const run = await conductRun(agent, given, {
      options: { ...options, fault: fault ?? refusal },
      meta,
      policy,
      signal,
      events,
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

/** The id of a run; where the source of ids fails, the run has none and fails too. */
function idOf(
  { runId, fault }: GivenOptions,
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
