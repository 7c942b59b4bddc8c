import type { JsonText } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { CallResumption } from './nesting.js'
import { type CallDetail, spentIn, withSpent } from './provenance.js'
import { TimeSlice } from './timers.js'

/** Told of each update of a call; what it gives back, if anything, is resolved when there is room for more. */
export interface UpdateListener {
  update(index: number, update: JsonText): Promise<void> | undefined
}

/** Told when a call has its outcome. */
export interface Ended {
  ended(): void
}

/** Something that may be aborted once. */
export interface Abortable {
  /** Why it was aborted; `undefined` as long as it was not. */
  readonly aborted: { readonly reason: unknown } | undefined
  /**
   * Runs `action` when it is aborted; never for what is aborted already.
   *
   * @returns takes that back, where what may be aborted outlives the call
   */
  whenAborted(action: (reason: unknown) => void): (() => void) | undefined
}

/** What is done when a call is aborted. A chain: an array would take ten times the memory of the one or two that there are. */
interface Action {
  readonly run: (reason: unknown) => void
  next: Action | undefined
}

/** What all copies of one call's request share: how far the call came, and its end. */
export class RunningCall implements Abortable {
  /** The highest attempt that came to the tool. */
  begun = 0
  /** How often the executor was asked. */
  tried = 0
  /** How many updates were emitted. */
  updates = 0
  /** What was wrong with an update; the call fails with it. */
  fault: unknown = undefined
  /** Whether the call has its outcome. */
  ended = false
  aborted: { readonly reason: unknown } | undefined = undefined
  /** The facts that the executor knows of this attempt, as of now; they hold also when the call is aborted. */
  detail: (() => CallDetail) | undefined = undefined
  /** The outcome that the tool or the last layer returned: a layer may return a copy of it. */
  last: ToolOutcome | undefined = undefined
  /** Set by who begins the call, before anything is emitted. */
  listener: UpdateListener | undefined = undefined
  /** What the call goes on with that waited for somebody. */
  readonly resumption: CallResumption | undefined
  /** The cost of earlier attempts. */
  #spent: CallDetail | undefined = undefined
  #controller: AbortController | undefined = undefined
  #slice: TimeSlice | undefined = undefined
  readonly #whenBegun: ((running: RunningCall) => void) | undefined
  #whenEnded: Ended | undefined = undefined
  #first: Action | undefined = undefined
  #last: Action | undefined = undefined

  /** @param whenBegun done when the executor is asked for the first time */
  constructor(resumption?: CallResumption, whenBegun?: (running: RunningCall) => void) {
    this.resumption = resumption
    this.#whenBegun = whenBegun
  }

  /** The facts of this attempt, with the tokens and the nested calls of all attempts. */
  get described(): CallDetail | undefined {
    const detail = this.detail?.()
    return this.#spent === undefined ? detail : withSpent(this.#spent, detail)
  }

  /** Made when somebody asks for it: making one costs more than the rest of a call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted !== undefined) this.#controller.abort(this.aborted.reason)
    }
    return this.#controller.signal
  }

  /** How long the call may still tell updates without giving way to others. */
  get slice(): TimeSlice {
    this.#slice ??= new TimeSlice()
    return this.#slice
  }

  /** The executor is asked. */
  ask(): void {
    this.tried += 1
    if (this.detail !== undefined) {
      this.#spent = spentIn(this.described)
      this.detail = undefined
    }
    if (this.tried === 1) this.#whenBegun?.(this)
  }

  /** Has `ended` told when the call has its outcome. */
  whenEnded(ended: Ended): void {
    this.#whenEnded = ended
  }

  /** The call has its outcome: from here on updates come too late. */
  end(): void {
    if (this.ended) return
    this.ended = true
    this.#whenEnded?.ended()
  }

  /** Aborts the call. The first reason counts; a call that has ended is not aborted. */
  abort(reason: unknown): void {
    if (this.aborted !== undefined || this.ended) return
    this.aborted = { reason }
    for (let action = this.#first; action !== undefined; action = action.next) action.run(reason)
    this.#controller?.abort(reason)
  }

  whenAborted(run: (reason: unknown) => void): undefined {
    const action: Action = { run, next: undefined }
    if (this.#last === undefined) this.#first = action
    else this.#last.next = action
    this.#last = action
  }
}
