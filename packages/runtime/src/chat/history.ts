import { quoted } from '../schema/wording.js'
import { type CallReference, type MessageCalls, messageCalls } from './message-calls.js'
import { MAX_ISSUES, type MessageShapeIssueCode, shapeIssues } from './messages.js'

/**
 * Code of an issue of a single message in a conversation: a {@link MessageShapeIssueCode}, or one of these codes:
 * - `empty_tool_calls`: an empty array of calls;
 * - `empty_message`: an assistant message that has neither content nor a refusal, audio or calls.
 */
type MessageIssueCode = MessageShapeIssueCode | 'empty_tool_calls' | 'empty_message'

/**
 * Code of an issue about a call or its answer:
 * - `duplicate_call_id`: two calls of one message have the same id;
 * - `unanswered_call`: a call has no answer and is not in `pending`;
 * - `unknown_answer`: an answer to a call that does not exist;
 * - `second_answer`: an answer to a call that already has an answer;
 * - `early_answer`: an answer before its call;
 * - `late_answer`: a message that is not an answer is between the call and its answer.
 */
type CallIssueCode =
  | 'duplicate_call_id'
  | 'unanswered_call'
  | 'unknown_answer'
  | 'second_answer'
  | 'early_answer'
  | 'late_answer'

/** An issue of a conversation. `message` describes the issue in one sentence. */
export type ChatMessageIssue =
  /** The value is not an array, or reading the array throws. */
  | { readonly code: 'not_a_list'; readonly message: string }
  | {
      readonly code: MessageIssueCode
      /** Index of the message, from 0. */
      readonly index: number
      /** JSON Pointer to the invalid value in the message. `''` means the message itself. */
      readonly path: string
      readonly message: string
    }
  | {
      readonly code: CallIssueCode
      readonly index: number
      readonly path: string
      /** Id of the call, or the name of the function for a legacy `function_call`, which has no id. */
      readonly callId: string
      readonly message: string
    }
  /** A call in `pending` is unknown or already answered. */
  | { readonly code: 'unknown_pending'; readonly callId: string; readonly message: string }
  /** The array does not contain all issues. This issue is at the end of the array. */
  | { readonly code: 'more_issues'; readonly message: string }

interface HistoryOptions {
  /** Ids of calls that may be unanswered, for example the calls of a suspended run. Default: no calls. */
  readonly pending?: readonly string[]
}

/**
 * Returns the issues that make model servers reject a conversation, in the order of the messages. Returns an empty
 * array if the conversation is valid. Accepts any value and never throws. If there are more than 1,000 issues, returns
 * 1,000 issues and a last issue with the code `more_issues`.
 *
 * The same call id may appear in different turns. An answer belongs to the latest unanswered call with the same id.
 *
 * @example
 * for (const { code, message } of validateHistory(run.messages)) console.error(code, message)
 */
export function validateHistory(messages: unknown, { pending = [] }: HistoryOptions = {}): readonly ChatMessageIssue[] {
  const validator = new HistoryValidator()
  try {
    if (Array.isArray(messages)) validator.validate(messages, pending)
    else validator.issues.push({ code: 'not_a_list', message: 'The messages must be an array.' })
  } catch {
    const message = 'The array of messages cannot be read, because reading it throws.'
    validator.issues.push({ code: 'not_a_list', message })
  }
  // Issues that belong to no message are last.
  const indexOf = (issue: ChatMessageIssue): number => ('index' in issue ? issue.index : Number.MAX_SAFE_INTEGER)
  const sorted = validator.issues.sort((a, b) => indexOf(a) - indexOf(b))
  if (sorted.length <= MAX_ISSUES) return sorted
  const message = `There are more than ${MAX_ISSUES} issues. The others are not listed.`
  return [...sorted.slice(0, MAX_ISSUES), { code: 'more_issues', message }]
}

const SENTENCES: { readonly [Code in CallIssueCode]: (id: string) => string } = {
  duplicate_call_id: (id) => `Another call of this message already has the id ${id}.`,
  unanswered_call: (id) => `The call ${id} has no answer.`,
  unknown_answer: (id) => `This message answers the call ${id}, which does not exist.`,
  second_answer: (id) => `The call ${id} already has an answer.`,
  early_answer: (id) => `The call ${id} is answered before it is made.`,
  late_answer: (id) => `The answer to the call ${id} must directly follow the message with the call.`,
}

type Located = CallReference & { readonly index: number }

class HistoryValidator {
  readonly issues: ChatMessageIssue[] = []
  /** Call id → unanswered calls with this id. The latest call is at the end of the array. */
  readonly #open = new Map<string, Located[]>()
  readonly #called = new Set<string>()
  readonly #orphans: Located[] = []
  /** Index of the latest message that does not answer a call. */
  #turn = -1

  validate(messages: readonly unknown[], pending: readonly string[]): void {
    for (let index = 0; index < messages.length; index++) {
      // If the validation stops early, it has not read all answers. Therefore, it does not report unanswered calls.
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
      const message = 'The array `tool_calls` must not be empty. Omit `tool_calls` if there are no calls.'
      this.issues.push({ code: 'empty_tool_calls', index, path: '/tool_calls', message })
    }
    if (isEmpty) {
      const message = 'An assistant message must have content, a refusal, audio or calls.'
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

  #end(pending: readonly string[]): void {
    for (const callId of pending) {
      if (this.#open.get(keyOf({ callId, isLegacy: false }))?.pop() !== undefined) continue
      const message = `\`pending\` lists the call ${quoted(callId)}, but no unanswered call has this id.`
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
