import { quoted } from '../schema/issue-messages.js'
import { pointerSegment } from '../schema/json-pointer.js'
import { isFields } from '../schema/json-values.js'

/**
 * Kinds of issues of a single message:
 * - `unreadable`: reading a field throws;
 * - `not_a_message`: no object at all;
 * - `unknown_role`: a role that chat completions do not have, or none;
 * - `missing_call_id`: a tool message or a call without an id;
 * - `wrong_field`: a field is missing or has the wrong type;
 * - `other_dialect`: a content part or a call of another interface, or a part of a stream.
 */
export type MessageShapeIssueCode =
  | 'unreadable'
  | 'not_a_message'
  | 'unknown_role'
  | 'missing_call_id'
  | 'wrong_field'
  | 'other_dialect'

/** An issue of a single message. */
export interface MessageShapeIssue {
  readonly code: MessageShapeIssueCode
  /** A JSON Pointer into the message; `''` is the message itself. */
  readonly path: string
  /** A sentence for people. */
  readonly message: string
}

/** Adds the issues of the value at a path. */
type ShapeRule = (value: unknown, path: string, issues: MessageShapeIssue[]) => void

/** Number of issues after which validation ends, because a hostile list may be endless. */
export const MAX_ISSUES = 1000

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
