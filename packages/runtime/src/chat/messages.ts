import { pointerSegment } from '../schema/json-pointer.js'
import { isFields } from '../schema/json-values.js'
import { quoted } from '../schema/wording.js'
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

type Rules = Readonly<Record<string, ShapeRule>>

function ruleOf(rules: Rules, key: unknown): ShapeRule | undefined {
  return typeof key === 'string' && Object.hasOwn(rules, key) ? rules[key] : undefined
}

/** Requires an object with these fields. Other fields are allowed. */
function fieldsOf(required: Rules, optional: Rules = {}): ShapeRule {
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
function byType(what: string, rules: Rules): ShapeRule {
  const types = Object.keys(rules)
    .map((each) => `"${each}"`)
    .join(', ')
  return (value, path, issues) => {
    if (!isFields(value)) {
      issues.push(wrong(path, 'must be an object'))
      return
    }
    const rule = ruleOf(rules, ownField(value, 'type'))
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

const cache = { prompt_cache_breakpoint: fieldsOf({ mode: oneOf(['explicit']) }) }
const textPart = fieldsOf({ text }, cache)
const imageUrl = fieldsOf({ url: text }, { detail: oneOf(['auto', 'low', 'high']) })
const inputAudio = fieldsOf({ data: text, format: oneOf(['wav', 'mp3']) })
const file = fieldsOf({}, { file_data: text, file_id: text, filename: text })

const texts = textOrListOf(byType('a part', { text: textPart }))
const userContent = textOrListOf(
  byType('a part', {
    text: textPart,
    image_url: fieldsOf({ image_url: imageUrl }, cache),
    input_audio: fieldsOf({ input_audio: inputAudio }, cache),
    file: fieldsOf({ file }, cache),
  }),
)
const assistantContent = textOrListOf(byType('a part', { text: textPart, refusal: fieldsOf({ refusal: text }) }))

const functionCall = fieldsOf({ name: text, arguments: text })
const custom = fieldsOf({ name: text, input: text })
const toolCall = complete(
  byType('a call', {
    function: fieldsOf({ id: text, function: functionCall }),
    custom: fieldsOf({ id: text, custom }),
  }),
)

const instructions = fieldsOf({ content: texts }, { name: text })

const roles: Rules = {
  system: instructions,
  developer: instructions,
  user: fieldsOf({ content: userContent }, { name: text }),
  assistant: fieldsOf(
    {},
    {
      content: orNull(assistantContent),
      refusal: orNull(text),
      name: text,
      audio: orNull(fieldsOf({ id: text })),
      // Servers and stores write null for an answer without calls.
      tool_calls: orNull(listOf(toolCall)),
      function_call: orNull(functionCall),
    },
  ),
  tool: fieldsOf({ tool_call_id: text, content: texts }),
  function: fieldsOf({ name: text, content: orNull(text) }),
}

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
    const rule = ruleOf(roles, role)
    if (rule !== undefined) rule(message, '', issues)
    else issues.push({ code: 'unknown_role', path: '/role', message: roleMessage(role) })
  } catch {
    issues.push({ code: 'unreadable', path: '', message: 'The message cannot be read: one of its fields throws.' })
  }
  return issues
}

function roleMessage(role: unknown): string {
  const known = Object.keys(roles).join(', ')
  const received = typeof role === 'string' ? quoted(role) : `of type ${role === null ? 'null' : typeof role}`
  return role === undefined
    ? `The message has no role; the roles are ${known}.`
    : `The role is ${received}; the roles are ${known}.`
}

/** Code of a {@link ChatMessageError}; `unknown_item`: an item of an unknown kind. */
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
  /** Index of the message or item; the first is 0. */
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

/** Returns `true` for an array of messages, as far as their roles show. */
export function isConversation(value: unknown): value is readonly ChatMessage[] {
  return Array.isArray(value) && value.every((message) => isFields(message) && typeof message.role === 'string')
}

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

/** A call that a message makes or answers. */
interface CallReference {
  /** The id of the call; for a legacy `function_call` the function's name. */
  readonly callId: string
  /** True for a `function_call`, whose names are apart from the ids of `tool_calls`. */
  readonly isLegacy: boolean
  /** A JSON Pointer into the message. */
  readonly path: string
}

/** The calls and the answer of a message, as far as they can be read. */
interface MessageCalls {
  readonly calls: readonly CallReference[]
  /** The call that the message answers. */
  readonly answer?: CallReference
  /** True for an answer, even if its id cannot be read. */
  readonly isAnswer: boolean
  readonly hasEmptyList: boolean
  /** True for an assistant's message without content and calls. */
  readonly isEmpty: boolean
}

/**
 * Returns the calls that a message makes, and the call that it answers. @throws what the fields of the message throw
 */
export function messageCalls(message: unknown): MessageCalls {
  const none: MessageCalls = { calls: [], isAnswer: false, hasEmptyList: false, isEmpty: false }
  if (!isFields(message)) return none
  const role = ownField(message, 'role')
  if (role === 'assistant') return assistantCalls(message)
  if (role !== 'tool' && role !== 'function') return none
  const isLegacy = role === 'function'
  const field = isLegacy ? 'name' : 'tool_call_id'
  const callId = ownField(message, field)
  return {
    ...none,
    isAnswer: true,
    ...(typeof callId === 'string' && { answer: { callId, isLegacy, path: `/${field}` } }),
  }
}

function assistantCalls(message: object): MessageCalls {
  const list = ownField(message, 'tool_calls')
  const items: readonly unknown[] = Array.isArray(list) ? list : []
  const calls = items.flatMap((call, index): readonly CallReference[] => {
    const callId = isFields(call) ? ownField(call, 'id') : undefined
    return typeof callId === 'string' ? [{ callId, isLegacy: false, path: `/tool_calls/${index}/id` }] : []
  })
  const legacy = ownField(message, 'function_call')
  const name = isFields(legacy) ? ownField(legacy, 'name') : undefined
  if (typeof name === 'string') calls.push({ callId: name, isLegacy: true, path: '/function_call/name' })
  const content = ['content', 'refusal', 'audio', 'function_call'].map((field) => ownField(message, field) ?? undefined)
  return {
    calls,
    isAnswer: false,
    hasEmptyList: Array.isArray(list) && items.length === 0,
    isEmpty: items.length === 0 && content.every((part) => part === undefined),
  }
}
