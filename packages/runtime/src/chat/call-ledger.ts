import { quoted } from '../codec/issues/words.js'
import type { CallViolationKind, ChatViolation } from './chat-violation.js'
import type { CallPlace, MessageCalls } from './message-calls.js'

/** A call, or an answer, with the message that it stands in. */
interface Entry extends CallPlace {
  readonly index: number
}

/** Matches the calls of a conversation with their answers, message by message. */
export class CallLedger {
  /** The open calls of each id, the latest last. */
  readonly #open = new Map<string, Entry[]>()
  /** All ids that were ever called. */
  readonly #called = new Set<string>()
  /** Answers whose call nobody had made yet. */
  readonly #orphans: Entry[] = []
  readonly #report: (violation: ChatViolation) => void
  /** The latest message that is no answer. */
  #turn = -1

  constructor(report: (violation: ChatViolation) => void) {
    this.#report = report
  }

  /** Takes in the next message. */
  add(index: number, { makes, answers, isAnswer }: MessageCalls): void {
    if (!isAnswer) this.#turn = index
    const ids = new Set<string>()
    for (const place of makes) {
      const key = keyOf(place)
      if (ids.has(key)) this.#tell('duplicate_call_id', { ...place, index })
      ids.add(key)
      this.#called.add(key)
      const open = this.#open.get(key)
      if (open === undefined) this.#open.set(key, [{ ...place, index }])
      else open.push({ ...place, index })
    }
    if (answers !== undefined) this.#answer({ ...answers, index })
  }

  /** Judges what is still open when the conversation is over. */
  close(pending: readonly string[]): void {
    for (const callId of pending) {
      if (this.#open.get(keyOf({ callId, isLegacy: false }))?.pop() !== undefined) continue
      const message = `The call ${quoted(callId)} is said to be pending, but no call of this id is open.`
      this.#report({ kind: 'unknown_pending', callId, message })
    }
    for (const orphan of this.#orphans) {
      const call = this.#open.get(keyOf(orphan))?.shift()
      this.#tell(call === undefined ? 'unknown_answer' : 'early_answer', orphan)
    }
    for (const calls of this.#open.values()) for (const call of calls) this.#tell('unanswered_call', call)
  }

  #answer(answer: Entry): void {
    const call = this.#open.get(keyOf(answer))?.pop()
    if (call !== undefined) {
      if (call.index !== this.#turn) this.#tell('late_answer', answer)
    } else if (this.#called.has(keyOf(answer))) this.#tell('second_answer', answer)
    else this.#orphans.push(answer)
  }

  #tell(kind: CallViolationKind, { index, path, callId }: Entry): void {
    this.#report({ kind, index, path, callId, message: sentences[kind](quoted(callId)) })
  }
}

const sentences: { readonly [Kind in CallViolationKind]: (id: string) => string } = {
  duplicate_call_id: (id) => `Another call of this message has the id ${id} already.`,
  unanswered_call: (id) => `The call ${id} has no answer.`,
  unknown_answer: (id) => `No call has the id ${id} that is answered here.`,
  second_answer: (id) => `The call ${id} has an answer already.`,
  early_answer: (id) => `The call ${id} is answered before it is made.`,
  late_answer: (id) => `The answer to the call ${id} must directly follow the message that makes the call.`,
}

const keyOf = ({ callId, isLegacy }: Pick<CallPlace, 'callId' | 'isLegacy'>): string =>
  `${isLegacy ? 'function' : 'tool'} ${callId}`
