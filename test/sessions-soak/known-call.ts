import { isDeepStrictEqual } from 'node:util'
import type { SessionCompletion, SessionEntry } from '../../packages/runtime/src/sessions.js'
import type { CallPlan } from './records.js'

/** Known state of a call whose result was not consumed yet. */
export class KnownCall {
  readonly key: string
  readonly session: string
  readonly plan: CallPlan
  /** Number of the process that made the call. */
  readonly life: number
  /** Id of the call in the session. `undefined` if the process did not receive the id. */
  callId: string | undefined = undefined
  /** Reason why no entry of the call may ever be consumed. */
  never: string | undefined = undefined
  /** True if the session was closed after the call: the close may have ended the call. */
  wasClosed = false
  wasCancelled = false
  /** Index of the last consumed update. */
  given = 0
  /** Index of the last update that a subscriber received. */
  seen = 0
  seenEnd: SessionCompletion | undefined = undefined
  /** Indexes of entries that a killed process was consuming, which may be consumed. 0 is the completion. */
  readonly underWay = new Set<number>()

  constructor(key: string, session: string, plan: CallPlan, life: number) {
    this.key = key
    this.session = session
    this.plan = plan
    this.life = life
  }

  /** Yields the faults of an entry, whether consumed or only seen. @param life number of the process that sees the entry */
  *wrongIn(entry: SessionEntry, life: number): Generator<string> {
    if (this.never !== undefined) yield `UNTRUE: ${this.never}, and yet there is its ${entry.kind}`
    if (this.callId !== undefined && entry.callId !== this.callId)
      yield `MIXED: acknowledged as ${this.callId}, is ${entry.callId}`
    if (entry.kind === 'update') yield* this.#wrongText(entry.update, { index: entry.index })
    else yield* this.#wrongEnd(entry, life)
  }

  /** Yields the faults of a consumed entry. */
  *give(entry: SessionEntry): Generator<string> {
    const isUpdate = entry.kind === 'update'
    const next = isUpdate ? entry.index : this.#lastUpdate(entry)
    if (isUpdate && next <= this.given) yield `TWICE: update ${next} was given out after update ${this.given}`
    const first = this.given + 1
    const missing = Array.from({ length: Math.max(0, (isUpdate ? next : next + 1) - first) }, (_, at) => first + at)
    const lost = missing.filter((index) => !this.underWay.delete(index))
    if (lost.length > 0)
      yield `LOST: update ${lost.join(', ')} before ${isUpdate ? `update ${next}` : 'the completion'}`
    this.given = Math.max(this.given, next)
    this.underWay.delete(isUpdate ? next : 0)
    if (!isUpdate && this.seenEnd !== undefined && !isDeepStrictEqual(this.seenEnd, entry))
      yield `CHANGED: the completion was seen as ${JSON.stringify(this.seenEnd)}, is ${JSON.stringify(entry)}`
  }

  /** Returns the indexes of updates that a subscriber has seen, and that were neither consumed nor are left. */
  missingFrom(left: ReadonlySet<number>): readonly number[] {
    const seen = Array.from({ length: this.seen }, (_, at) => at + 1)
    return seen.filter((index) => index > this.given && !left.has(index) && !this.underWay.has(index))
  }

  /** The session was opened again with these entries. The last updates before a crash may be missing. */
  goesOnWith(left: ReadonlySet<number>): void {
    for (const index of left) this.underWay.delete(index)
    this.seen = Math.max(this.given, ...left)
  }

  /** Returns the index of the last update that must precede the completion. */
  #lastUpdate({ outcome }: SessionCompletion): number {
    const reason = outcome.status === 'failed' ? outcome.error.reason : outcome.status
    if (reason === 'completed' || reason === 'domain_rejection') return this.plan.updates
    return reason === 'interrupted' ? this.given : Math.max(this.given, this.seen)
  }

  *#wrongEnd({ outcome, timedOut, droppedUpdates }: SessionCompletion, life: number): Generator<string> {
    if (droppedUpdates !== undefined) yield `LOST: ${droppedUpdates} updates were dropped`
    if (outcome.status === 'completed') {
      if (this.plan.end !== 'result') yield `UNTRUE: completed, and is to end with ${this.plan.end}`
      return yield* this.#wrongText(outcome.json, { updates: this.plan.updates, pad: 'x'.repeat(this.plan.pad) })
    }
    const reason = outcome.status === 'failed' ? outcome.error.reason : outcome.status
    const isPossible =
      (reason === 'domain_rejection' && this.plan.end === 'failure') ||
      (reason === 'interrupted' && life > this.life) ||
      (reason === 'timeout' && this.wasClosed && timedOut === true) ||
      (reason === 'cancelled' && (this.wasClosed || this.wasCancelled))
    if (!isPossible) yield `UNTRUE: ended with ${reason}: ${JSON.stringify(outcome)}`
  }

  *#wrongText(json: string, rest: object): Generator<string> {
    const expected = { session: this.session, key: this.key, ...rest }
    if (!isDeepStrictEqual(JSON.parse(json), expected)) yield `MIXED: ${json}, not ${JSON.stringify(expected)}`
  }
}
