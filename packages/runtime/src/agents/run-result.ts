import { failedOutcome } from '../call/failed-outcome.js'
import { copyTokenDetails } from '../call/nested-run.js'
import { withAllAnswers } from '../chat/message-calls.js'
import type { ToolError } from '../types/failure.js'
import type { Mutable } from '../types/json.js'
import type { LimitReason, RunSuspension, StopReason, StopSignal, ToolOutcome } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, RunResult, RunState, RunStatus, RunUsage } from '../types/run.js'
import type { EventLog } from './run-log.js'

export interface RunEnd {
  readonly result?: RunResult | undefined
  readonly suspension?: RunSuspension | undefined
  readonly error?: ToolError<never> | undefined
}

/** From the most severe to the least severe. */
const SEVERITY: readonly StopReason[] = [
  'failed',
  'cancelled',
  'guardrail',
  // `suspended` is more severe than the limits, because a suspended run can still continue.
  'suspended',
  'time_budget',
  'max_tokens',
  'max_cost',
  'budget',
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

const LIMITS: Readonly<Record<LimitReason, readonly [unit: string, options: string]>> = {
  max_turns: ['steps', '`maxTurns` of the policy or `maxSteps` of the guards'],
  max_tool_calls: ['tool calls', '`maxToolCalls` of the policy'],
  max_consecutive_failures: ['consecutive failed calls', '`maxConsecutiveFailures` of the policy'],
  max_tokens: ['tokens', '`maxTokens` of the policy or of the guards'],
  time_budget: ['milliseconds', '`timeBudgetMs` of the policy or `timeoutMs` of the guards'],
}

function explained(stop: StopSignal): StopSignal {
  if (!('limit' in stop) || stop.message !== undefined) return stop
  if (stop.reason === 'max_cost') {
    const message = `The run cost ${stop.used}, and its limit is ${stop.limit}. To change the limit, set \`maxCost\` of the policy or of the guards.`
    return { ...stop, message }
  }
  if (stop.reason === 'budget') {
    const { budget, unit, limit, used } = stop
    return { ...stop, message: `The budget '${budget}' is used up: ${used} of ${limit} (${unit}).` }
  }
  const [unit, options] = LIMITS[stop.reason]
  return {
    ...stop,
    message: `The run reached its limit of ${stop.limit} ${unit}. To change the limit, set ${options}.`,
  }
}

export function endedRun(
  { runId, agent }: RunMeta,
  state: RunState,
  signals: readonly StopSignal[],
  { result, suspension, error }: RunEnd = {},
): AgentRun {
  const stops = signals.map(explained)
  const most = SEVERITY.find((reason) => stops.some((each) => each.reason === reason))
  const stop = most && stops.find(({ reason }) => reason === most)
  if (stop === undefined) throw new TypeError('A run must end with a stop reason.')
  const { messages, outcomes } = state
  const status = STATUS[stop.reason] ?? 'stopped'
  const isSuspended = status === 'suspended'
  return {
    runId,
    agent,
    status,
    ...(result !== undefined && { result: resultOf(result) }),
    stop: Object.freeze(stop),
    stops: Object.freeze(stops),
    messages: compact(isSuspended ? messages : withAllAnswers(messages, UNANSWERED, state.runStart)),
    outcomes: compact(isSuspended ? outcomes : withoutWaiting(outcomes)),
    events: [],
    usage: usageOf(state),
    ...(error !== undefined && { error }),
    ...(isSuspended && suspension !== undefined && { suspension }),
  }
}

/** An array that grew by `push` can use more memory than its elements need. */
function compact<Element>(elements: readonly Element[]): readonly Element[] {
  return Object.freeze([...elements])
}

/** A layer or a planner may have added other properties. */
function resultOf({ text, value }: RunResult): RunResult {
  const result: Mutable<RunResult> = {}
  if (text !== undefined) result.text = text
  if (value !== undefined) result.value = value
  return Object.freeze(result)
}

export function usageOf(state: RunState): RunUsage {
  const { turns, toolCalls, promptTokens, completionTokens, elapsedMs, model } = state
  const usage: Mutable<RunUsage> = { turns, toolCalls, promptTokens, completionTokens, durationMs: elapsedMs }
  copyTokenDetails(usage, state)
  if (model !== undefined) usage.model = model
  return usage
}

const logKey = Symbol('log')

/** All runs share this getter. With one getter per run, V8 would free the memory of runs only at a full garbage collection. */
const events: PropertyDescriptor & ThisType<{ readonly [logKey]: EventLog }> = {
  get() {
    return this[logKey].entries
  },
  enumerable: true,
}

export function withEvents(run: AgentRun, log: EventLog): AgentRun {
  // Not a spread followed by a new definition of `events`, because such an object needs eight times the memory.
  const copy: Record<PropertyKey, unknown> = {}
  for (const key of Reflect.ownKeys(run)) {
    if (key === 'events') Object.defineProperty(copy, key, events)
    else if (Object.prototype.propertyIsEnumerable.call(run, key)) copy[key] = Reflect.get(run, key)
  }
  if (!('events' in copy)) Object.defineProperty(copy, 'events', events)
  return Object.defineProperty(copy, logKey, { value: log }) as unknown as AgentRun
}

const UNANSWERED = 'The run ended before this call was answered.'

export function withoutWaiting(outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  if (outcomes.every(({ status }) => status !== 'suspended')) return outcomes
  return Object.freeze(outcomes.map((outcome) => (outcome.status === 'suspended' ? cancelled(outcome) : outcome)))
}

function cancelled({
  call,
  provenance,
  suspension,
  stop,
}: Extract<ToolOutcome, { readonly status: 'suspended' }>): ToolOutcome {
  const { durationMs, attempts, children } = provenance
  const failed = { call, rejected: suspension.arguments, durationMs, attempts, ...(children && { children }) }
  const outcome = failedOutcome({ reason: 'cancelled', message: UNANSWERED }, failed)
  return stop === undefined ? outcome : Object.freeze({ ...outcome, stop })
}
