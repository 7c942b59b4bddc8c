import { pointerSegment } from '../schema/json-pointer.js'
import { isFields } from '../schema/json-values.js'
import { quoted } from '../schema/wording.js'
import type { ChatMessage } from '../types/chat.js'

/**
 * Code of an issue of a single message:
 * - `unreadable`: reading a property throws;
 * - `not_a_message`: the value is not an object;
 * - `unknown_role`: the role is missing, or is not a role of chat completions;
 * - `missing_call_id`: a tool message or a call has no id;
 * - `wrong_field`: a property is missing or has the wrong type;
 * - `other_dialect`: the message contains a content part or a call in the format of another API or of a stream.
 */
export type MessageShapeIssueCode =
  | 'unreadable'
  | 'not_a_message'
  | 'unknown_role'
  | 'missing_call_id'
  | 'wrong_field'
  | 'other_dialect'

export interface MessageShapeIssue {
  readonly code: MessageShapeIssueCode
  /** JSON Pointer to the invalid value in the message. `''` means the message itself. */
  readonly path: string
  readonly message: string
}

type ShapeRule = (value: unknown, path: string, issues: MessageShapeIssue[]) => void

/** A limit is necessary, because an array can be a `Proxy` without an end. */
export const MAX_ISSUES = 1000

export function ownField(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}

const text: ShapeRule = (value, path, issues) => {
  if (typeof value !== 'string') issues.push(wrong(path, 'must be a string'))
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
      issues.push(wrong(path, 'must be an array'))
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
    else issues.push(wrong(path, 'must be a string or an array of parts'))
  }
}

type Rules = Readonly<Record<string, ShapeRule>>

function ruleOf(rules: Rules, key: unknown): ShapeRule | undefined {
  return typeof key === 'string' && Object.hasOwn(rules, key) ? rules[key] : undefined
}

function fieldsOf(required: Rules, optional: Rules = {}): ShapeRule {
  const rules = Object.entries({ ...required, ...optional }).map(([name, rule]) => {
    return { name, rule, pointer: `/${pointerSegment(name)}`, isRequired: Object.hasOwn(required, name) }
  })
  return (value, path, issues) => {
    if (!isFields(value)) {
      issues.push(wrong(path, 'must be an object'))
      return
    }
    for (const { name, rule, pointer, isRequired } of rules) {
      const field = ownField(value, name)
      if (field !== undefined) rule(field, path + pointer, issues)
      else if (isRequired) issues.push(missing(path + pointer, name))
    }
  }
}

/** Reports `other_dialect` for an unknown type, because the object belongs to another API. */
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
      // Servers and stores write null for a message without calls.
      tool_calls: orNull(listOf(toolCall)),
      function_call: orNull(functionCall),
      provider_data: fieldsOf({ api: text, content: listOf(() => undefined) }, { reasoning: text }),
    },
  ),
  tool: fieldsOf({ tool_call_id: text, content: texts }),
  function: fieldsOf({ name: text, content: orNull(text) }),
}

/** Only the parts of a streamed call have the property `index`. */
function complete(rule: ShapeRule): ShapeRule {
  return (value, path, issues) => {
    if (isFields(value) && ownField(value, 'index') !== undefined) {
      const message = 'A call with an `index` is a part of a stream. Accumulate the stream first.'
      issues.push({ code: 'other_dialect', path: `${path}/index`, message })
    } else rule(value, path, issues)
  }
}

export function shapeIssues(message: unknown): readonly MessageShapeIssue[] {
  const issues: MessageShapeIssue[] = []
  try {
    if (!isFields(message)) return [{ code: 'not_a_message', path: '', message: 'A message must be an object.' }]
    const role = ownField(message, 'role')
    const rule = ruleOf(roles, role)
    if (rule !== undefined) rule(message, '', issues)
    else issues.push({ code: 'unknown_role', path: '/role', message: roleMessage(role) })
  } catch {
    const reason = 'The message cannot be read, because reading one of its properties throws.'
    issues.push({ code: 'unreadable', path: '', message: reason })
  }
  return issues
}

function roleMessage(role: unknown): string {
  const known = Object.keys(roles).join(', ')
  const received = typeof role === 'string' ? quoted(role) : `of type ${role === null ? 'null' : typeof role}`
  return role === undefined
    ? `The message has no role. Expected one of ${known}.`
    : `The role is ${received}. Expected one of ${known}.`
}

export function isConversation(value: unknown): value is readonly ChatMessage[] {
  return Array.isArray(value) && value.every((message) => isFields(message) && typeof message.role === 'string')
}
