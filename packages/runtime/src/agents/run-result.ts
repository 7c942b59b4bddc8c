import { type Classify, classify } from '../call/classify.js'
import { toolError } from '../call/failed-outcome.js'
import type { Failure } from '../call/failure.js'
import { FIXED_MESSAGES } from '../call/tool-failure.js'
import type { StopReason, StopSignal } from '../types/errors.js'
import type { Mutable } from '../types/json.js'
import type { RunSuspension, ToolError } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, EventBody, RunResult, RunState, RunStatus, RunUsage } from '../types/run.js'
import type { EventLog } from './event-log.js'
import { withAllAnswers, withoutWaiting } from './run-calls.js'
import type { RunSignal } from './run-signal.js'

/** What a run ended with, where it ended with something. */
export interface RunEnd {
  readonly result?: RunResult
  readonly suspension?: RunSuspension
  readonly error?: ToolError
}

/** What an error ends a run with. */
interface RunFailure {
  readonly stop: StopSignal
  readonly error?: ToolError
}

/** The reasons to end, the most severe first. */
const SEVERITY: readonly StopReason[] = [
  'failed',
  'cancelled',
  // The only end that can be taken up again: it is not lost to a limit.
  'suspended',
  'time_budget',
  'max_tokens',
  'max_tool_calls',
  'max_consecutive_failures',
  'max_turns',
  'finish_reason',
  'repetition',
  'stopped',
  'missing_fields',
  'final',
  'answered',
]

const STATUS: Readonly<Partial<Record<StopReason, RunStatus>>> = {
  failed: 'failed',
  cancelled: 'cancelled',
  suspended: 'suspended',
  final: 'completed',
  answered: 'completed',
}

/**
 * A run that has ended. Of several reasons the most severe is reported. Calls that still wait in a run that is not suspended
 * end as cancelled. Its events are still to be filled in.
 *
 * @param stops at least one
 */
export function endedRun(
  { runId, agent }: RunMeta,
  state: RunState,
  stops: readonly StopSignal[],
  { result, suspension, error }: RunEnd = {},
): AgentRun {
  const stop = mostSevere(stops)
  const { messages, outcomes, turns, toolCalls, promptTokens, completionTokens, elapsedMs, model } = state
  const usage: Mutable<RunUsage> = { turns, toolCalls, promptTokens, completionTokens, durationMs: elapsedMs }
  if (model !== undefined) usage.model = model
  const status = STATUS[stop.reason] ?? 'stopped'
  const isSuspended = status === 'suspended'
  const run: Mutable<AgentRun> = {
    runId,
    agent,
    status,
    ...(result !== undefined && { result: givenResult(result) }),
    stop: Object.freeze(stop),
    stops: Object.freeze([...stops]),
    messages: isSuspended ? messages : withAllAnswers(messages, state.runStart),
    outcomes: isSuspended ? outcomes : withoutWaiting(outcomes),
    events: [],
    usage,
  }
  if (error !== undefined) run.error = error
  if (isSuspended && suspension !== undefined) run.suspension = suspension
  return run
}

function mostSevere(stops: readonly StopSignal[]): StopSignal {
  for (const reason of SEVERITY) for (const stop of stops) if (stop.reason === reason) return stop
  throw new TypeError('a run ends for a reason')
}

function givenResult({ text, value }: RunResult): RunResult {
  const result: Mutable<RunResult> = {}
  if (text !== undefined) result.text = text
  if (value !== undefined) result.value = value
  return Object.freeze(result)
}

/** The last event of a run. */
export function lastEvent({ status, stop, result }: AgentRun): EventBody {
  return result === undefined ? { type: 'run_ended', status, stop } : { type: 'run_ended', status, stop, result }
}

/** Where a run has its log: under a name of ours that nobody lists. */
const logKey = Symbol('log')

/**
 * The same getter for all runs, and no table beside them: whatever V8 cannot see the end of (a shape with a getter of its own,
 * the value of a `WeakMap`) it keeps until the next full collection, with all that the run holds.
 */
const events: PropertyDescriptor & ThisType<{ readonly [logKey]: EventLog }> = {
  get() {
    return this[logKey].entries
  },
  enumerable: true,
}

/** The run with its events, which are made when somebody asks for them. */
export function withEvents(run: AgentRun, log: EventLog): AgentRun {
  return Object.defineProperty(Object.defineProperty({ ...run }, logKey, { value: log }), 'events', events)
}

/** What a run needs to know of an error that ended it. */
interface FailureContext {
  readonly signal: RunSignal
  readonly timeBudgetMs: number | undefined
  readonly classify: Classify | undefined
}

/** What an error ends a run with: a cancellation, the time budget, or a failure whose cause is kept for logs. */
export function runFailure(thrown: unknown, context: FailureContext): RunFailure {
  const { signal, timeBudgetMs = 0 } = context
  if (signal.outOfTime()) return { stop: { reason: 'time_budget', limit: timeBudgetMs } }
  if (signal.signal.aborted) return { stop: { reason: 'cancelled' } }
  const failure = classify(thrown, 0, context.classify)
  const { reason } = failure
  if (reason === 'cancelled') return { stop: { reason } }
  const error = toolError({ reason, message: messageOf(failure) }, failure, thrown)
  return { stop: { reason: 'failed', message: error.message }, error }
}

/** The fixed sentences speak of tools; here a planner, a layer or an option may be to blame. */
function messageOf({ reason, message }: Failure): string {
  if (message !== '' && message !== FIXED_MESSAGES.internal) return message
  return reason === 'internal' ? 'The run failed for an internal reason.' : FIXED_MESSAGES[reason]
}
