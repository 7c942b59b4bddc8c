import { restoredOutcome } from '../agents/resume.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import { jsonOf } from '../agents/suspension.js'
import { type ApprovalMemory, withApproval } from '../call/approvals.js'
import type { InnerUsage, InnerUsageMeter } from '../call/nested-run.js'
import type { ToolTable } from '../call/served-tool.js'
import { after, untilAborted } from '../call/timers.js'
import type { ToolCallExecution } from '../call/tool-call.js'
import type { RememberedApproval } from '../types/approval.js'
import type { ToolRequest, ToolService } from '../types/layer.js'
import type { CallStop, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import type { RunEvent } from '../types/run.js'
import type { DurableInput, DurableResult } from './engine.js'

/** Nested run that a call waits for. */
export interface NestedInvocation {
  readonly agent: string
  /** Id of the invocation. */
  readonly id: string
  readonly input: DurableInput
}

/** Reason why a call waits: a layer waits for a time in milliseconds, or the tool waits for a nested run. */
export type CallWait = { readonly waitMs: number } | { readonly nested: NestedInvocation }

/** End of a part of a call that only publishes updates. The call goes on in the same process. */
interface Continuation {
  readonly goesOn: true
}

/**
 * Approvals that a session remembers, as one attempt of a run or call sees them. The journal records each approval that is added during the
 * attempt, together with the call for which it was given. Later attempts therefore see the same approvals.
 */
export class RunApprovals implements ApprovalMemory {
  /** New approvals that the journal has recorded. */
  readonly added: RememberedApproval[] = []
  #approvals: readonly RememberedApproval[]
  #unrecorded: RememberedApproval[] = []

  /** @param approvals approvals of the session when the invocation started */
  constructor(approvals: readonly RememberedApproval[]) {
    this.#approvals = approvals
  }

  get approvals(): readonly RememberedApproval[] {
    return this.#approvals
  }

  async remember(approval: RememberedApproval): Promise<void> {
    this.#approvals = withApproval(this.#approvals, approval)
    this.#unrecorded.push(approval)
  }

  /** Returns the new approvals for the next record. */
  take(): readonly RememberedApproval[] {
    return this.#unrecorded.splice(0)
  }

  /** Adds the new approvals of a record. */
  add(recorded: readonly RememberedApproval[]): void {
    for (const approval of recorded) {
      this.#approvals = withApproval(this.#approvals, approval)
      this.added.push(approval)
    }
  }
}

/**
 * Recorded part of a call. Contains the events of this part, for example updates, the usage of the run by the executor, and the approvals that
 * the session remembers. A part ends with the outcome of the call, with a wait, or to publish updates. After a wait, the call goes on, or
 * starts again in another process.
 */
export type RecordedPart = {
  readonly events: readonly RunEvent[]
  readonly inner?: InnerUsage
  readonly approvals?: readonly RememberedApproval[]
} & ({ readonly outcome: StoredOutcome; readonly stop?: CallStop } | CallWait | Continuation)

/** Nested runs of a call. */
interface NestedResults {
  /** Results in the order of the runs, also from earlier attempts. */
  readonly results: readonly DurableResult[]
  /** Number of nested runs before the call was resumed. */
  readonly before: number
}

/**
 * Maximum time in milliseconds to wait for the end of a call after the call was aborted. It is shorter than the time that the runtime gives
 * the calls of programs and nested runs, so that a run ends in time after an abort.
 */
const RECORDING_GRACE_MS = 500

/** Duration of the first part of a call that publishes its updates while it runs, and the longest duration of a part, in milliseconds. */
const FIRST_PART_MS = 100
const LONGEST_PART_MS = 5_000

/** Data with which a {@link RunningCall} starts. */
interface RunningCallStart {
  /** Tools of the run. */
  readonly table: ToolTable
  readonly nested: NestedResults
  /** Approvals of the session. `undefined` without a session. */
  readonly approvals: RunApprovals | undefined
  /** True to end parts from time to time, so that the updates of the call are published while it runs. */
  readonly streams: boolean
}

/** Execution of the layers of a call in this attempt. */
export class RunningCall {
  readonly #request: ToolRequest<any>
  readonly #table: ToolTable
  readonly #meter: InnerUsageMeter | undefined
  /** Ids of the call and of the calls that it made. */
  readonly #ids: Set<string>
  readonly #startedAt = performance.now()
  readonly #nested: NestedResults
  readonly #approvals: RunApprovals | undefined
  #nestedRuns = 0
  #events: RunEvent[] = []
  readonly #waits: { readonly wait: CallWait; readonly resume: () => void }[] = []
  readonly #streams: boolean
  #streamedParts = 0
  #isPartEnding = false
  /** Ends the current part. */
  #endPart: (end: CallWait | Continuation) => void = () => undefined
  #outcome: Promise<ToolOutcome> | undefined

  constructor(
    request: ToolRequest<any>,
    execution: ToolCallExecution,
    { table, nested, approvals, streams }: RunningCallStart,
  ) {
    this.#request = request
    this.#table = table
    this.#meter = execution.measureInner()
    this.#ids = new Set([request.call.toolCallId])
    this.#nested = nested
    this.#approvals = approvals
    this.#streams = streams
  }

  /** Runs the layers. */
  start(next: ToolService<any>): void {
    const request = this.#request
    const outcome = untilAborted(request.meta.signal, async () => next(request), RECORDING_GRACE_MS)
    this.#outcome = outcome.catch((error) => request.fail(error))
  }

  /** True if the call waits for a layer or a nested run. */
  get isWaiting(): boolean {
    return this.#waits.length > 0
  }

  /** Adds an event that occurred during the call. */
  receive(event: RunEvent): void {
    this.#events.push(event)
    this.#endPartSoon()
  }

  /** Ends the current part soon if it has updates to publish. Parts become longer, so that the journal stays short. */
  #endPartSoon(): void {
    if (!this.#streams || this.#isPartEnding || this.#events.length === 0) return
    this.#isPartEnding = true
    const delayMs = Math.min(FIRST_PART_MS * (1 + this.#streamedParts / 10), LONGEST_PART_MS)
    const end = (): void => {
      this.#isPartEnding = false
      this.#streamedParts += 1
      this.#endPart({ goesOn: true })
    }
    after(delayMs, end, false)
  }

  /** Returns true if an event belongs to a program or a nested run of this call. */
  includes(event: RunEvent): boolean {
    const call = 'call' in event ? event.call : undefined
    // Events of a nested run contain the id of the call that started the run.
    const parents = [call?.parentToolCallId, event.parentToolCallId]
    const isIncluded = parents.some((id) => id !== undefined && this.#ids.has(id))
    if (isIncluded && call !== undefined) this.#ids.add(call.toolCallId)
    return isIncluded
  }

  /** Ends the current part of the call. Resolves when the journal has recorded the part and the wait is over. */
  wait(wait: CallWait): Promise<void> {
    return new Promise((resume) => {
      this.#waits.push({ wait, resume })
      if (this.#waits.length === 1) this.#endPart(wait)
    })
  }

  /** Continues the call after the wait with which its last part ended. */
  resume(): void {
    this.#waits.shift()?.resume()
  }

  /**
   * Returns the result of the next nested run of the call. Waits for it unless an earlier attempt has its result.
   *
   * @param nested returns the nested run with this number, from 1
   */
  async nestedRun(nested: (number: number) => Promise<NestedInvocation>): Promise<DurableResult> {
    const { results, before } = this.#nested
    const index = this.#nestedRuns
    this.#nestedRuns += 1
    const recorded = results[index]
    if (recorded === undefined) await this.wait({ nested: await nested(before + index + 1) })
    // An earlier attempt has recorded what happened up to this point.
    else this.#takePart()
    return results[index] as DurableResult
  }

  /** Returns the next part of the call when the call ends or waits. */
  async part(): Promise<RecordedPart> {
    const paused = new Promise<CallWait | Continuation>((resolve) => {
      this.#endPart = resolve
      const [first] = this.#waits
      if (first !== undefined) resolve(first.wait)
    })
    this.#endPartSoon()
    const end = await Promise.race([this.#outcome as Promise<ToolOutcome>, paused])
    const approvals = this.#approvals?.take() ?? []
    const part = { ...this.#takePart(), ...(approvals.length > 0 && { approvals }) }
    return 'status' in end ? { ...part, ...(await this.#ending(end)) } : { ...part, ...end }
  }

  /** Returns the events and the usage since the last part. */
  #takePart(): Pick<RecordedPart, 'events' | 'inner'> {
    const events = this.#events
    this.#events = []
    const inner = this.#meter?.take()
    return { events, ...(inner !== undefined && { inner }) }
  }

  /** Returns an outcome as JSON. If JSON cannot represent it, the call fails. */
  async #ending(outcome: ToolOutcome): Promise<Pick<Extract<RecordedPart, { outcome: unknown }>, 'outcome' | 'stop'>> {
    const { stop } = outcome
    const stored = this.#stored(outcome)
    try {
      restoredOutcome(this.#table, stored)
    } catch (error) {
      return { outcome: this.#stored(await this.#request.fail(error)), ...(stop !== undefined && { stop }) }
    }
    const ending = { outcome: stored, ...(stop !== undefined && { stop }) }
    if (jsonOf(ending) !== undefined) return ending
    const cause = new TypeError(
      `A layer returned a final value or details of ${this.#request.tool.id} that JSON cannot represent.`,
    )
    return { outcome: this.#stored(await this.#request.fail(cause)) }
  }

  #stored(outcome: ToolOutcome): StoredOutcome {
    const stored = storedOutcome(this.#table, outcome)
    // The clock of the run stands still while a part of the call runs.
    const durationMs = Math.max(stored.provenance.durationMs, Math.round(performance.now() - this.#startedAt))
    return { ...stored, provenance: { ...stored.provenance, durationMs } }
  }
}
