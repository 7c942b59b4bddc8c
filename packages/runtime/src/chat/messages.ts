import { quoted } from '../schema/issue-messages.js'
import { pointerSegment } from '../schema/json-pointer.js'
import { isFields } from '../schema/json-values.js'
import type { ChatMessage } from '../types/chat.js'

/**
 * Kinds of issues of a single message:
 * - `unreadable`: reading a field throws;
 * - `not_a_message`: no object at all;
 * - `unknown_role`: a role that chat completions do not have, or none;
 * - `missing_call_id`: a tool message or a call without an id;
 * - `wrong_field`: a field is missing or has the wrong type;
 * - `other_dialect`: a content part or a call of another interface, or a part of a stream.
 */
type MessageShapeIssueCode =
  | 'unreadable'
  | 'not_a_message'
  | 'unknown_role'
  | 'missing_call_id'
  | 'wrong_field'
  | 'other_dialect'

/** An issue of a single message. */
interface MessageShapeIssue {
  readonly code: MessageShapeIssueCode
  /** A JSON Pointer into the message; `''` is the message itself. */
  readonly path: string
  /** A sentence for people. */
  readonly message: string
}

/** Adds the issues of the value at a path. */
type ShapeRule = (value: unknown, path: string, issues: MessageShapeIssue[]) => void

/** Number of issues after which validation ends, because a hostile list may be endless. */
const MAX_ISSUES = 1000

/** Returns an own field of an object; inherited fields are not part of a message. */
export function ownField(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

const text: ShapeRule = (value, path, issues) => {
  if (typeof value !== 'string') issues.push(wrong(path, 'must be a text'))
}

function oneOf(allowed: readonly string[]): ShapeRule {
  const words = allowed.map((each) => `"${each}"`).join(' or ')
  return (value, path, issues) => {
    if (typeof value !== 'string' || !allowed.includes(value)) issues.push(wrong(path, `must be ${words}`))
  }
}

function orNull(rule: ShapeRule): ShapeRule {
  return (value, path, issues) => {
    if (value !== null) rule(value, path, issues)
  }
}

function listOf(rule: ShapeRule): ShapeRule {
  return (value, path, issues) => {
    if (!Array.isArray(value)) {
      issues.push(wrong(path, 'must be a list'))
      return
    }
    for (let index = 0; index < value.length && issues.length <= MAX_ISSUES; index++)
      rule(value[index], `${path}/${index}`, issues)
  }
}

function textOrListOf(rule: ShapeRule): ShapeRule {
  const list = listOf(rule)
  return (value, path, issues) => {
    if (typeof value === 'string') return
    if (Array.isArray(value)) list(value, path, issues)
    else issues.push(wrong(path, 'must be a text or a list of parts'))
  }
}

/** Rules for fields of an object. Other fields are allowed. */
interface FieldRules {
  readonly required?: Readonly<Record<string, ShapeRule>>
  readonly optional?: Readonly<Record<string, ShapeRule>>
}

function fieldsOf({ required = {}, optional = {} }: FieldRules): ShapeRule {
  const rules = Object.entries({ ...required, ...optional })
  return (value, path, issues) => {
    if (!isFields(value)) {
      issues.push(wrong(path, 'must be an object'))
      return
    }
    for (const [name, rule] of rules) {
      const field = ownField(value, name)
      if (field !== undefined) rule(field, `${path}/${pointerSegment(name)}`, issues)
      else if (Object.hasOwn(required, name)) issues.push(missing(`${path}/${pointerSegment(name)}`, name))
    }
  }
}

/** Selects a rule by the field `type` of an object; other types belong to other dialects. */
function byType(what: string, rules: ReadonlyMap<unknown, ShapeRule>): ShapeRule {
  const types = [...rules.keys()].map((each) => `"${each}"`).join(', ')
  return (value, path, issues) => {
    if (!isFields(value)) {
      issues.push(wrong(path, 'must be an object'))
      return
    }
    const rule = rules.get(ownField(value, 'type'))
    if (rule !== undefined) rule(value, path, issues)
    else issues.push({ code: 'other_dialect', path: `${path}/type`, message: `The type of ${what} must be ${types}.` })
  }
}

function wrong(path: string, must: string): MessageShapeIssue {
  return { code: 'wrong_field', path, message: `${path === '' ? 'The message' : path} ${must}.` }
}

function missing(path: string, name: string): MessageShapeIssue {
  const code = name === 'tool_call_id' || name === 'id' ? 'missing_call_id' : 'wrong_field'
  return { code, path, message: `${path} is missing.` }
}

const optional = { prompt_cache_breakpoint: fieldsOf({ required: { mode: oneOf(['explicit']) } }) }
const textPart = fieldsOf({ required: { text }, optional })
const imageUrl = fieldsOf({ required: { url: text }, optional: { detail: oneOf(['auto', 'low', 'high']) } })
const inputAudio = fieldsOf({ required: { data: text, format: oneOf(['wav', 'mp3']) } })
const file = fieldsOf({ optional: { file_data: text, file_id: text, filename: text } })

const texts = textOrListOf(byType('a part', new Map([['text', textPart]])))
const userContent = textOrListOf(
  byType(
    'a part',
    new Map([
      ['text', textPart],
      ['image_url', fieldsOf({ required: { image_url: imageUrl }, optional })],
      ['input_audio', fieldsOf({ required: { input_audio: inputAudio }, optional })],
      ['file', fieldsOf({ required: { file }, optional })],
    ]),
  ),
)
const assistantContent = textOrListOf(
  byType(
    'a part',
    new Map([
      ['text', textPart],
      ['refusal', fieldsOf({ required: { refusal: text } })],
    ]),
  ),
)

const functionCall = fieldsOf({ required: { name: text, arguments: text } })
const custom = fieldsOf({ required: { name: text, input: text } })
const toolCall = complete(
  byType(
    'a call',
    new Map([
      ['function', fieldsOf({ required: { id: text, function: functionCall } })],
      ['custom', fieldsOf({ required: { id: text, custom } })],
    ]),
  ),
)

const instructions = fieldsOf({ required: { content: texts }, optional: { name: text } })

const roles: ReadonlyMap<unknown, ShapeRule> = new Map<string, ShapeRule>([
  ['system', instructions],
  ['developer', instructions],
  ['user', fieldsOf({ required: { content: userContent }, optional: { name: text } })],
  [
    'assistant',
    fieldsOf({
      optional: {
        content: orNull(assistantContent),
        refusal: orNull(text),
        name: text,
        audio: orNull(fieldsOf({ required: { id: text } })),
        // Servers and stores write null for an answer without calls.
        tool_calls: orNull(listOf(toolCall)),
        function_call: orNull(functionCall),
      },
    }),
  ],
  ['tool', fieldsOf({ required: { tool_call_id: text, content: texts } })],
  ['function', fieldsOf({ required: { name: text, content: orNull(text) } })],
])

/** Adds an issue for a call with an index, which is a part of a stream. */
function complete(rule: ShapeRule): ShapeRule {
  return (value, path, issues) => {
    if (isFields(value) && ownField(value, 'index') !== undefined) {
      const message = 'A call with an index is a part of a streamed message; accumulate the stream first.'
      issues.push({ code: 'other_dialect', path: `${path}/index`, message })
    } else rule(value, path, issues)
  }
}

/** Returns the issues of a single message; empty for a valid message of chat completions. Never throws. */
export function shapeIssues(message: unknown): readonly MessageShapeIssue[] {
  const issues: MessageShapeIssue[] = []
  try {
    if (!isFields(message)) return [{ code: 'not_a_message', path: '', message: 'A message must be an object.' }]
    const role = ownField(message, 'role')
    const rule = roles.get(role)
    if (rule !== undefined) rule(message, '', issues)
    else issues.push({ code: 'unknown_role', path: '/role', message: roleMessage(role) })
  } catch {
    issues.push({ code: 'unreadable', path: '', message: 'The message cannot be read: one of its fields throws.' })
  }
  return issues
}

function roleMessage(role: unknown): string {
  const known = [...roles.keys()].join(', ')
  const received = typeof role === 'string' ? quoted(role) : `of type ${role === null ? 'null' : typeof role}`
  return role === undefined
    ? `The message has no role; the roles are ${known}.`
    : `The role is ${received}; the roles are ${known}.`
}

/** Why a message or an item cannot be converted; `unknown_item`: an item of no known kind. */
type ChatMessageErrorCode = MessageShapeIssueCode | 'unknown_item'

/**
 * Thrown for a message that is not of chat completions: of another dialect, a part of a stream, or broken.
 *
 * @example
 * try {
 *   runItems(messages)
 * } catch (error) {
 *   if (isToolgenError(error, 'ChatMessageError')) console.error(error.index, error.path, error.code)
 * }
 */
export class ChatMessageError extends Error {
  override readonly name = 'ChatMessageError'
  readonly code: ChatMessageErrorCode
  /** Which message or item of the list; the first is 0. */
  readonly index: number
  /** A JSON Pointer into the message; `''` is the message itself. */
  readonly path: string

  constructor(index: number, issue: Omit<MessageShapeIssue, 'code'> & { readonly code: ChatMessageErrorCode }) {
    super(`Message ${index}: ${issue.message}`)
    this.code = issue.code
    this.index = index
    this.path = issue.path
  }
}

/** Whether a value is a list of messages, as far as their roles tell. */
export function isConversation(value: unknown): value is readonly ChatMessage[] {
  return Array.isArray(value) && value.every((message) => isFields(message) && typeof message.role === 'string')
}

/**
 * What a single message of a list gets wrong:
 * - the kinds of {@link MessageShapeIssueCode};
 * - `empty_tool_calls`: a list of calls without a call;
 * - `empty_message`: an assistant's message with neither content nor refusal, audio or calls.
 */
type MessageIssueCode = MessageShapeIssueCode | 'empty_tool_calls' | 'empty_message'

/**
 * What calls and answers get wrong together:
 * - `duplicate_call_id`: two calls of one message share an id;
 * - `unanswered_call`: a call without an answer that is not pending;
 * - `unknown_answer`: an answer to a call that nobody made;
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

/** One thing that is wrong with a list of messages. `message` is a sentence for people. */
export type ChatMessageIssue =
  /** No list at all, or one that throws when it is read. */
  | { readonly code: 'not_a_list'; readonly message: string }
  | {
      readonly code: MessageIssueCode
      /** Which message; the first is 0. */
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
  /** A call is said to be pending that is not open. */
  | { readonly code: 'unknown_pending'; readonly callId: string; readonly message: string }
  /** There are more violations than are listed. */
  | { readonly code: 'more_issues'; readonly message: string }

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
