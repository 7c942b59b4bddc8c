import type { ChatFields } from '../../contract/chat-request.js'
import type { Mutable } from '../../contract/mutable.js'
import type { RunMeta } from '../../contract/planner.js'
import type { LoopState } from '../../contract/stop-condition.js'
import type { StopSignal } from '../../contract/stop-signal.js'
import type { RunProgress, RunSuspension, StepSuspension } from '../../contract/suspension.js'
import type { ToolTable } from '../../execute/call/tool-table.js'
import { storedOutcome } from './stored-outcome.js'

/** What is known of a run that is suspended. */
export interface SuspendedRun {
  readonly meta: RunMeta
  readonly state: LoopState
  readonly waits: StepSuspension
  /** All reasons to end that were met. */
  readonly stops: readonly StopSignal[]
  readonly fields: ChatFields | undefined
}

/** Parts of the runtime that a suspension is made with. */
interface SuspendingRuntime {
  readonly table: Pick<ToolTable, 'find'>
  readonly newId: () => string
  /** Number of events so far. */
  readonly events: number
  /** In milliseconds since the epoch. */
  readonly now: number
}

/** A suspended run as plain data. */
export function runSuspension(
  { meta, state, waits, stops, fields }: SuspendedRun,
  { table, newId, events, now }: SuspendingRuntime,
): RunSuspension {
  const { turns, toolCalls, refused, promptTokens, completionTokens, elapsedMs, runStart, messages } = state
  const progress: Mutable<RunProgress> = {
    turns,
    toolCalls,
    refused,
    promptTokens,
    completionTokens,
    elapsedMs,
    runStart,
    events,
    // The others follow from where the run stands.
    stops: stops.filter(({ reason }) => reason === 'stopped'),
    outcomes: state.outcomes.map((outcome) => storedOutcome(table, outcome)),
  }
  if (fields !== undefined) progress.fields = fields
  const { runId, agent, sessionId } = meta
  const run = sessionId === undefined ? { runId, agent } : { runId, agent, sessionId }
  return { version: 1, id: newId(), ...run, suspendedAt: now, messages, progress, ...waits }
}
