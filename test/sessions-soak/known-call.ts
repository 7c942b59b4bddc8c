import { isDeepStrictEqual } from 'node:util'
import type { SessionCompletion, SessionEntry } from '../../packages/runtime/src/sessions.js'
import type { CallPlan } from './records.js'

/** What was said of a call that has not been given out as a whole. */
export class KnownCall {
  readonly key: string
  readonly session: string
  readonly plan: CallPlan
  /** The number of the process that made the call. */
  readonly life: number
  /** The session's id of the call, where the caller got it. */
  callId: string | undefined = undefined
  /** Why nothing of the call may ever be given out. */
  never: string | undefined = undefined
  /** Whether its session was closed since: it may have been cut. */
  wasClosed = false
  wasCancelled = false
  /** The last update that was given out. */
  given = 0
  /** The last update that a subscriber was told. */
  seen = 0
  seenEnd: SessionCompletion | undefined = undefined
  /** The entries that a killed process was taking: they may have been given out to it. 0 is the completion. */
  readonly underWay = new Set<number>()

  constructor(key: string, session: string, plan: CallPlan, life: number) {
    this.key = key
    this.session = session
    this.plan = plan
    this.life = life
  }

  /** What is wrong with an entry, whoever sees it. @param life the number of the process that does */
  *wrongIn(entry: SessionEntry, life: number): Generator<string> {
    if (this.never !== undefined) yield `UNTRUE: ${this.never}, and yet there is its ${entry.kind}`
    if (this.callId !== undefined && entry.callId !== this.callId)
      yield `MIXED: acknowledged as ${this.callId}, is ${entry.callId}`
    if (entry.kind === 'update') yield* this.#wrongText(entry.update, { index: entry.index })
    else yield* this.#wrongEnd(entry, life)
  }

  /** What is wrong with an entry that is given out. */
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

  /** The updates that somebody has seen and that are neither left nor given out. */
  missingFrom(left: ReadonlySet<number>): readonly number[] {
    const seen = Array.from({ length: this.seen }, (_, at) => at + 1)
    return seen.filter((index) => index > this.given && !left.has(index) && !this.underWay.has(index))
  }

  /** Its session was opened again, and this is left of it: the last updates before a crash may be missing. */
  goesOnWith(left: ReadonlySet<number>): void {
    for (const index of left) this.underWay.delete(index)
    this.seen = Math.max(this.given, ...left)
  }

  /** The last update that there has to be before the completion. */
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
