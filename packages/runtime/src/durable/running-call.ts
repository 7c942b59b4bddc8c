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

export interface NestedInvocation {
  readonly agent: string
  readonly id: string
  readonly input: DurableInput
}

export type CallWait = { readonly waitMs: number } | { readonly nested: NestedInvocation }

/** Marks a record that is stored early, so that the updates in the record can be published. The call continues in the same process. */
interface Continuation {
  readonly goesOn: true
}

/** The journal records each new approval together with the approved call, so that later attempts use the same approvals. */
export class RunApprovals implements ApprovalMemory {
  readonly added: RememberedApproval[] = []
  #approvals: readonly RememberedApproval[]
  #unrecorded: RememberedApproval[] = []

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

  take(): readonly RememberedApproval[] {
    return this.#unrecorded.splice(0)
  }

  add(recorded: readonly RememberedApproval[]): void {
    for (const approval of recorded) {
      this.#approvals = withApproval(this.#approvals, approval)
      this.added.push(approval)
    }
  }
}

/**
 * A part ends when the call ends, waits, or has updates to publish. After a wait, the call continues. If the process has ended in the meantime, the
 * call starts again in another process.
 */
export type RecordedPart = {
  readonly events: readonly RunEvent[]
  readonly inner?: InnerUsage
  readonly approvals?: readonly RememberedApproval[]
} & ({ readonly outcome: StoredOutcome; readonly stop?: CallStop } | CallWait | Continuation)

interface NestedResults {
  readonly results: readonly DurableResult[]
  /** Number of nested runs that the call had started before it was resumed. */
  readonly before: number
}

/**
 * Shorter than the time that an aborted run waits for its calls (`2 * GRACE_MS` in `agents/loop.ts`), so that the journal records the outcomes of the
 * calls before the run ends.
 */
const RECORDING_GRACE_MS = 500

const FIRST_PART_MS = 100
const LONGEST_PART_MS = 5_000

interface RunningCallStart {
  readonly table: ToolTable
  readonly nested: NestedResults
  readonly approvals: RunApprovals | undefined
  readonly streams: boolean
}

export class RunningCall {
  readonly #request: ToolRequest<any>
  readonly #table: ToolTable
  readonly #meter: InnerUsageMeter | undefined
  /** Id of the call, and ids of the calls that its code mode program or nested run has made. */
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

  start(next: ToolService<any>): void {
    const request = this.#request
    const outcome = untilAborted(request.meta.signal, async () => next(request), RECORDING_GRACE_MS)
    this.#outcome = outcome.catch((error) => request.fail(error))
  }

  get isWaiting(): boolean {
    return this.#waits.length > 0
  }

  receive(event: RunEvent): void {
    this.#events.push(event)
    this.#endPartSoon()
  }

  /** Each later record of the call covers a longer time, so that the journal stays small. */
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

  includes(event: RunEvent): boolean {
    const call = 'call' in event ? event.call : undefined
    // Events of a nested run contain the id of the call that started the run.
    const parents = [call?.parentToolCallId, event.parentToolCallId]
    const isIncluded = parents.some((id) => id !== undefined && this.#ids.has(id))
    if (isIncluded && call !== undefined) this.#ids.add(call.toolCallId)
    return isIncluded
  }

  /** Resolves after the journal has stored the record and the wait has ended. */
  wait(wait: CallWait): Promise<void> {
    return new Promise((resume) => {
      this.#waits.push({ wait, resume })
      if (this.#waits.length === 1) this.#endPart(wait)
    })
  }

  resume(): void {
    this.#waits.shift()?.resume()
  }

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

  #takePart(): Pick<RecordedPart, 'events' | 'inner'> {
    const events = this.#events
    this.#events = []
    const inner = this.#meter?.take()
    return { events, ...(inner !== undefined && { inner }) }
  }

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
