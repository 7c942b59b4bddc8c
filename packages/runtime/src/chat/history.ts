import { quoted } from '../schema/issue-messages.js'
import { isFields } from '../schema/json-values.js'
import { MAX_ISSUES, ownField, shapeIssues } from './message-shape.js'
import type { CallIssueCode, ChatMessageIssue } from './messages.js'

/** What a validator is told beside the messages. */
export interface HistoryOptions {
  /** The ids of calls that wait for an answer, as those of a suspended run; they may be open. None by default. */
  readonly pending?: readonly string[]
}

/**
 * What is wrong with a conversation, in the order of the messages; nothing where a model accepts it as a history. It
 * takes any value and never throws. At most 1,000 violations are listed, then one of code `more_issues`.
 *
 * Ids may repeat in different turns: an answer belongs to the latest open call of its id.
 *
 * @example
 * for (const { code, message } of validateHistory(run.messages)) console.error(code, message)
 */
export function validateHistory(messages: unknown, { pending = [] }: HistoryOptions = {}): readonly ChatMessageIssue[] {
  const violations: ChatMessageIssue[] = []
  try {
    if (Array.isArray(messages)) addViolations(messages, pending, violations)
    else violations.push({ code: 'not_a_list', message: 'The messages must be a list.' })
  } catch {
    violations.push({ code: 'not_a_list', message: 'The list of messages cannot be read: it throws.' })
  }
  return inOrder(violations)
}

function addViolations(messages: readonly unknown[], pending: readonly string[], violations: ChatMessageIssue[]): void {
  const ledger = new CallLedger((violation) => violations.push(violation))
  let index = 0
  for (; index < messages.length && violations.length <= MAX_ISSUES; index++) {
    const message: unknown = messages[index]
    const issues = shapeIssues(message)
    for (const issue of issues) violations.push({ ...issue, index })
    if (violations.length > MAX_ISSUES) break
    const calls = readable(message)
    if (calls === undefined) {
      const isReported = issues.some(({ code }) => code === 'unreadable')
      if (!isReported) violations.push({ code: 'unreadable', index, path: '', message: 'The message cannot be read.' })
      continue
    }
    for (const violation of ownViolations(calls)) violations.push({ ...violation, index })
    ledger.add(index, calls)
  }
  // What is open in the middle of a list says nothing.
  if (index >= messages.length) ledger.close(pending)
}

function readable(message: unknown): MessageCalls | undefined {
  try {
    return messageCalls(message)
  } catch {
    return undefined
  }
}

type OwnViolation = {
  readonly code: 'missing_call_id' | 'empty_tool_calls' | 'empty_message'
  readonly path: string
  readonly message: string
}

function ownViolations({ makes, answers, hasEmptyList, isEmpty }: MessageCalls): readonly OwnViolation[] {
  const places = answers === undefined ? makes : [...makes, answers]
  const found = places
    .filter(({ callId }) => callId === '')
    .map(({ path }): OwnViolation => ({ code: 'missing_call_id', path, message: `${path} is empty.` }))
  if (hasEmptyList) {
    const message = 'A list of calls must have a call; leave it out where there is none.'
    found.push({ code: 'empty_tool_calls', path: '/tool_calls', message })
  }
  if (isEmpty) {
    const message = "An assistant's message must have content, a refusal, audio or calls."
    found.push({ code: 'empty_message', path: '', message })
  }
  return found
}

function inOrder(violations: readonly ChatMessageIssue[]): readonly ChatMessageIssue[] {
  const sorted = [...violations].sort((a, b) => indexOf(a) - indexOf(b))
  if (sorted.length <= MAX_ISSUES) return sorted
  const message = `There are more than ${MAX_ISSUES} violations; the others are not listed.`
  return [...sorted.slice(0, MAX_ISSUES), { code: 'more_issues', message }]
}

/** What is said of no message goes last. */
const indexOf = (violation: ChatMessageIssue): number =>
  'index' in violation ? violation.index : Number.MAX_SAFE_INTEGER

/** A call, or an answer, with the message that it stands in. */
interface Entry extends CallPlace {
  readonly index: number
}

/** Matches the calls of a conversation with their answers, message by message. */
class CallLedger {
  /** The open calls of each id, the latest last. */
  readonly #open = new Map<string, Entry[]>()
  /** All ids that were ever called. */
  readonly #called = new Set<string>()
  /** Answers whose call nobody had made yet. */
  readonly #orphans: Entry[] = []
  readonly #report: (violation: ChatMessageIssue) => void
  /** The latest message that is no answer. */
  #turn = -1

  constructor(report: (violation: ChatMessageIssue) => void) {
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
      this.#report({ code: 'unknown_pending', callId, message })
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

  #tell(code: CallIssueCode, { index, path, callId }: Entry): void {
    this.#report({ code, index, path, callId, message: sentences[code](quoted(callId)) })
  }
}

const sentences: { readonly [Code in CallIssueCode]: (id: string) => string } = {
  duplicate_call_id: (id) => `Another call of this message has the id ${id} already.`,
  unanswered_call: (id) => `The call ${id} has no answer.`,
  unknown_answer: (id) => `No call has the id ${id} that is answered here.`,
  second_answer: (id) => `The call ${id} has an answer already.`,
  early_answer: (id) => `The call ${id} is answered before it is made.`,
  late_answer: (id) => `The answer to the call ${id} must directly follow the message that makes the call.`,
}

const keyOf = ({ callId, isLegacy }: Pick<CallPlace, 'callId' | 'isLegacy'>): string =>
  `${isLegacy ? 'function' : 'tool'} ${callId}`

/** A call that a message makes, or answers. */
interface CallPlace {
  /** The id of the call; for a legacy `function_call` the function's name. */
  readonly callId: string
  /** Whether it is a `function_call`, whose names are apart from the ids of `tool_calls`. */
  readonly isLegacy: boolean
  /** A JSON Pointer into the message. */
  readonly path: string
}

/** What a message has to do with calls, as far as it can be read. */
interface MessageCalls {
  readonly makes: readonly CallPlace[]
  readonly answers?: CallPlace
  /** Whether the message is an answer, with a readable id or without. */
  readonly isAnswer: boolean
  readonly hasEmptyList: boolean
  /** Whether it is an assistant's message that says nothing and asks for nothing. */
  readonly isEmpty: boolean
}

/** The calls that a message makes and the call that it answers. Throws what the message's own fields throw. */
export function messageCalls(message: unknown): MessageCalls {
  const none: MessageCalls = { makes: [], isAnswer: false, hasEmptyList: false, isEmpty: false }
  if (!isFields(message)) return none
  switch (ownField(message, 'role')) {
    case 'assistant':
      return assistantCalls(message)
    case 'tool':
      return { ...none, isAnswer: true, ...answered(ownField(message, 'tool_call_id'), false, '/tool_call_id') }
    case 'function':
      return { ...none, isAnswer: true, ...answered(ownField(message, 'name'), true, '/name') }
    default:
      return none
  }
}

function answered(callId: unknown, isLegacy: boolean, path: string): { readonly answers?: CallPlace } {
  return typeof callId === 'string' ? { answers: { callId, isLegacy, path } } : {}
}

function assistantCalls(message: object): MessageCalls {
  const list = ownField(message, 'tool_calls')
  const calls: readonly unknown[] = Array.isArray(list) ? list : []
  const legacy = ownField(message, 'function_call')
  const name = isFields(legacy) ? ownField(legacy, 'name') : undefined
  const makes = calls.flatMap((call, index): readonly CallPlace[] => {
    const callId = isFields(call) ? ownField(call, 'id') : undefined
    return typeof callId === 'string' ? [{ callId, isLegacy: false, path: `/tool_calls/${index}/id` }] : []
  })
  if (typeof name === 'string') makes.push({ callId: name, isLegacy: true, path: '/function_call/name' })
  return {
    makes,
    isAnswer: false,
    hasEmptyList: Array.isArray(list) && list.length === 0,
    isEmpty:
      calls.length === 0 &&
      ['content', 'refusal', 'audio', 'function_call'].every((field) => isAbsent(ownField(message, field))),
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null
