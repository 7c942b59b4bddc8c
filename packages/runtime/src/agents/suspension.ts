import type { ToolTable } from '../call/call-target.js'
import type { ChatFields } from '../types/chat.js'
import type { StopSignal } from '../types/errors.js'
import type { Mutable } from '../types/json.js'
import type { ResumeClaims, RunProgress, RunSuspension, StepSuspension } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type { RunState } from '../types/run.js'
import { storedOutcome } from './suspension-schema.js'

/** What is known of a run that is suspended. */
export interface SuspendedRun {
  readonly meta: RunMeta
  readonly state: RunState
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

/** Options of {@link claimsInMemory}. */
export interface ClaimsInMemoryOptions {
  /** Maximum number of claims that are kept, about 100 bytes each. At least 1; default 100,000. */
  readonly capacity?: number
}

/**
 * Claims of one process, kept in memory. When there are more than `capacity`, those of the oldest suspensions are forgotten,
 * half of them at once. From then on a suspension that is not younger than a forgotten one is refused as `expired`, since it
 * may have been resumed: no suspension is resumed twice. Use claims in a database (`postgresClaims`) where runs wait while
 * more than `capacity` younger ones are resumed, or where several processes resume.
 *
 * @throws {RangeError} for a `capacity` that is not a whole number from 1 on.
 *
 * @example
 * const runtime = new Runtime({ claims: claimsInMemory({ capacity: 1_000_000 }) })
 */
export function claimsInMemory({ capacity = 100_000 }: ClaimsInMemoryOptions = {}): ResumeClaims {
  if (!Number.isInteger(capacity) || capacity < 1) {
    throw new RangeError(`claimsInMemory: capacity is ${capacity}; give a whole number from 1 on`)
  }
  let claimed = new Map<string, number>()
  let forgottenUntil = Number.NEGATIVE_INFINITY
  return {
    // A suspension of an earlier version has no time; it counts as older than all others.
    claim: (id, { suspendedAt = 0 } = {}) => {
      if (claimed.has(id)) return false
      if (suspendedAt <= forgottenUntil) return 'expired'
      claimed.set(id, suspendedAt)
      if (claimed.size <= capacity) return true
      const oldestFirst = [...claimed].sort(([, one], [, other]) => one - other)
      const kept = Math.floor(capacity / 2)
      const forgotten = oldestFirst.slice(0, oldestFirst.length - kept)
      forgottenUntil = forgotten.reduce((latest, [, at]) => Math.max(latest, at), forgottenUntil)
      claimed = new Map(oldestFirst.slice(oldestFirst.length - kept))
      return true
    },
  }
}
