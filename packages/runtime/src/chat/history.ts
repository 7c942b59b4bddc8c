import { quoted } from '../schema/wording.js'
import type { CallReference, MessageCalls } from './message-calls.js'
import { messageCalls } from './message-calls.js'
import type { MessageShapeIssueCode } from './messages.js'
import { MAX_ISSUES, shapeIssues } from './messages.js'

/**
 * Kinds of issues of a single message of a conversation:
 * - the kinds of {@link MessageShapeIssueCode};
 * - `empty_tool_calls`: a list of calls without a call;
 * - `empty_message`: an assistant's message with neither content nor refusal, audio or calls.
 */
type MessageIssueCode = MessageShapeIssueCode | 'empty_tool_calls' | 'empty_message'

/**
 * Kinds of issues of calls and answers:
 * - `duplicate_call_id`: two calls of one message share an id;
 * - `unanswered_call`: a call without an answer that is not pending;
 * - `unknown_answer`: an answer to a call that does not exist;
 * - `second_answer`: an answer to a call that has one already;
 * - `early_answer`: an answer before its call;
 * - `late_answer`: an answer that does not directly follow the message with its call, other answers aside.
 */
type CallIssueCode =
  | 'duplicate_call_id'
  | 'unanswered_call'
  | 'unknown_answer'
  | 'second_answer'
  | 'early_answer'
  | 'late_answer'

/** An issue of a conversation. `message` is a sentence for people. */
export type ChatMessageIssue =
  /** Not an array, or one that throws when it is read. */
  | { readonly code: 'not_a_list'; readonly message: string }
  | {
      readonly code: MessageIssueCode
      /** Index of the message; the first is 0. */
      readonly index: number
      /** A JSON Pointer into the message; `''` is the message itself. */
      readonly path: string
      readonly message: string
    }
  | {
      readonly code: CallIssueCode
      readonly index: number
      readonly path: string
      /** The id of the call; for a legacy `function_call`, which has none, the function's name. */
      readonly callId: string
      readonly message: string
    }
  /** A call in `pending` is not open. */
  | { readonly code: 'unknown_pending'; readonly callId: string; readonly message: string }
  /** There are more issues than are listed. */
  | { readonly code: 'more_issues'; readonly message: string }

/** Options of {@link validateHistory}. */
interface HistoryOptions {
  /** Ids of calls that wait for an answer, such as those of a suspended run; they may be open. Default: none. */
  readonly pending?: readonly string[]
}

/**
 * Returns the issues of a conversation, in the order of the messages; none if a model accepts it as a history. Takes
 * any value and never throws. At most 1,000 issues are listed, then one with the code `more_issues`.
 *
 * Ids may repeat in different turns: an answer belongs to the latest open call of its id.
 *
 * @example
 * for (const { code, message } of validateHistory(run.messages)) console.error(code, message)
 */
export function validateHistory(messages: unknown, { pending = [] }: HistoryOptions = {}): readonly ChatMessageIssue[] {
  const validator = new HistoryValidator()
  try {
    if (Array.isArray(messages)) validator.validate(messages, pending)
    else validator.issues.push({ code: 'not_a_list', message: 'The messages must be a list.' })
  } catch {
    validator.issues.push({ code: 'not_a_list', message: 'The list of messages cannot be read: it throws.' })
  }
  // Issues of no message go last.
  const indexOf = (issue: ChatMessageIssue): number => ('index' in issue ? issue.index : Number.MAX_SAFE_INTEGER)
  const sorted = validator.issues.sort((a, b) => indexOf(a) - indexOf(b))
  if (sorted.length <= MAX_ISSUES) return sorted
  const message = `There are more than ${MAX_ISSUES} violations; the others are not listed.`
  return [...sorted.slice(0, MAX_ISSUES), { code: 'more_issues', message }]
}

const SENTENCES: { readonly [Code in CallIssueCode]: (id: string) => string } = {
  duplicate_call_id: (id) => `Another call of this message has the id ${id} already.`,
  unanswered_call: (id) => `The call ${id} has no answer.`,
  unknown_answer: (id) => `No call has the id ${id} that is answered here.`,
  second_answer: (id) => `The call ${id} has an answer already.`,
  early_answer: (id) => `The call ${id} is answered before it is made.`,
  late_answer: (id) => `The answer to the call ${id} must directly follow the message that makes the call.`,
}

/** A call or an answer with the index of its message. */
type Located = CallReference & { readonly index: number }

/** Validates a conversation message by message, and matches its calls with their answers. */
class HistoryValidator {
  readonly issues: ChatMessageIssue[] = []
  /** The open calls of each id, the latest last. */
  readonly #open = new Map<string, Located[]>()
  /** All ids of calls so far. */
  readonly #called = new Set<string>()
  /** Answers before their call. */
  readonly #orphans: Located[] = []
  /** Index of the latest message that is not an answer. */
  #turn = -1

  validate(messages: readonly unknown[], pending: readonly string[]): void {
    for (let index = 0; index < messages.length; index++) {
      // Open calls in the middle of a conversation mean nothing.
      if (this.issues.length > MAX_ISSUES) return
      const message: unknown = messages[index]
      const issues = shapeIssues(message)
      for (const issue of issues) this.issues.push({ ...issue, index })
      if (this.issues.length > MAX_ISSUES) return
      try {
        this.#addMessage(index, messageCalls(message))
      } catch {
        const isReported = issues.some(({ code }) => code === 'unreadable')
        if (!isReported) {
          this.issues.push({ code: 'unreadable', index, path: '', message: 'The message cannot be read.' })
        }
      }
    }
    this.#end(pending)
  }

  #addMessage(index: number, { calls, answer, isAnswer, hasEmptyList, isEmpty }: MessageCalls): void {
    for (const { callId, path } of answer === undefined ? calls : [...calls, answer]) {
      if (callId === '') this.issues.push({ code: 'missing_call_id', index, path, message: `${path} is empty.` })
    }
    if (hasEmptyList) {
      const message = 'A list of calls must have a call; leave it out where there is none.'
      this.issues.push({ code: 'empty_tool_calls', index, path: '/tool_calls', message })
    }
    if (isEmpty) {
      const message = "An assistant's message must have content, a refusal, audio or calls."
      this.issues.push({ code: 'empty_message', index, path: '', message })
    }
    if (!isAnswer) this.#turn = index
    const keys = new Set<string>()
    for (const reference of calls) {
      const call = { ...reference, index }
      const key = keyOf(call)
      if (keys.has(key)) this.#report('duplicate_call_id', call)
      keys.add(key)
      this.#called.add(key)
      const open = this.#open.get(key)
      if (open === undefined) this.#open.set(key, [call])
      else open.push(call)
    }
    if (answer !== undefined) this.#addAnswer({ ...answer, index })
  }

  #addAnswer(answer: Located): void {
    const call = this.#open.get(keyOf(answer))?.pop()
    if (call !== undefined) {
      if (call.index !== this.#turn) this.#report('late_answer', answer)
    } else if (this.#called.has(keyOf(answer))) this.#report('second_answer', answer)
    else this.#orphans.push(answer)
  }

  /** Reports the calls that are still open, and the answers without a call. */
  #end(pending: readonly string[]): void {
    for (const callId of pending) {
      if (this.#open.get(keyOf({ callId, isLegacy: false }))?.pop() !== undefined) continue
      const message = `The call ${quoted(callId)} is said to be pending, but no call of this id is open.`
      this.issues.push({ code: 'unknown_pending', callId, message })
    }
    for (const orphan of this.#orphans) {
      const call = this.#open.get(keyOf(orphan))?.shift()
      this.#report(call === undefined ? 'unknown_answer' : 'early_answer', orphan)
    }
    for (const calls of this.#open.values()) for (const call of calls) this.#report('unanswered_call', call)
  }

  #report(code: CallIssueCode, { index, path, callId }: Located): void {
    this.issues.push({ code, index, path, callId, message: SENTENCES[code](quoted(callId)) })
  }
}

function keyOf({ callId, isLegacy }: Pick<CallReference, 'callId' | 'isLegacy'>): string {
  return `${isLegacy ? 'function' : 'tool'} ${callId}`
}
