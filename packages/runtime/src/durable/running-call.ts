import { restoredOutcome } from '../agents/resume.js'
import { storedOutcome } from '../agents/stored-outcome.js'
import { jsonOf } from '../agents/suspension.js'
import type { InnerUsage, InnerUsageMeter } from '../call/nested-run.js'
import type { ToolTable } from '../call/served-tool.js'
import { untilAborted } from '../call/timers.js'
import type { ToolCallExecution } from '../call/tool-call.js'
import type { ToolRequest, ToolService } from '../types/layer.js'
import type { FinalSignal, StoredOutcome, ToolOutcome } from '../types/outcome.js'
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

/**
 * Recorded part of a call. Contains the events of this part, for example updates, and the usage of the run by the executor. A part ends with
 * the outcome of the call, or with a wait. After a wait, the call goes on, or starts again in another process.
 */
export type RecordedPart = { readonly events: readonly RunEvent[]; readonly inner?: InnerUsage } & (
  | { readonly outcome: StoredOutcome; readonly stop?: FinalSignal }
  | CallWait
)

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

/** Execution of the layers of a call in this attempt. */
export class RunningCall {
  readonly #request: ToolRequest<any>
  readonly #table: ToolTable
  readonly #meter: InnerUsageMeter | undefined
  /** Ids of the call and of the calls that it made. */
  readonly #ids: Set<string>
  readonly #startedAt = performance.now()
  readonly #nested: NestedResults
  #nestedRuns = 0
  #events: RunEvent[] = []
  readonly #waits: { readonly wait: CallWait; readonly resume: () => void }[] = []
  #onWait: (wait: CallWait) => void = () => undefined
  #outcome: Promise<ToolOutcome> | undefined

  constructor(request: ToolRequest<any>, execution: ToolCallExecution, table: ToolTable, nested: NestedResults) {
    this.#request = request
    this.#table = table
    this.#meter = execution.measureInner()
    this.#ids = new Set([request.call.toolCallId])
    this.#nested = nested
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
      if (this.#waits.length === 1) this.#onWait(wait)
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
  async nestedRun(nested: (number: number) => NestedInvocation): Promise<DurableResult> {
    const { results, before } = this.#nested
    const index = this.#nestedRuns
    this.#nestedRuns += 1
    const recorded = results[index]
    if (recorded === undefined) await this.wait({ nested: nested(before + index + 1) })
    // An earlier attempt has recorded what happened up to this point.
    else this.#takePart()
    return results[index] as DurableResult
  }

  /** Returns the next part of the call when the call ends or waits. */
  async part(): Promise<RecordedPart> {
    const waiting = new Promise<CallWait>((resolve) => {
      const [first] = this.#waits
      if (first === undefined) this.#onWait = resolve
      else resolve(first.wait)
    })
    const end = await Promise.race([this.#outcome as Promise<ToolOutcome>, waiting])
    const part = this.#takePart()
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
