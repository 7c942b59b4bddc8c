import { quoted } from '../schema/issue-messages.js'
import { isFields } from '../schema/json-values.js'
import {
  byType,
  fieldsOf,
  listOf,
  type MessageShapeIssue,
  oneOf,
  orNull,
  ownField,
  type ShapeRule,
  text,
  textOrListOf,
} from './shape-rule.js'

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

/** A call as a whole: one with an index is a part of a stream. */
function complete(rule: ShapeRule): ShapeRule {
  return (value, path, faults) => {
    if (isFields(value) && ownField(value, 'index') !== undefined) {
      const message = 'A call with an index is a part of a streamed message; accumulate the stream first.'
      faults.push({ code: 'other_dialect', path: `${path}/index`, message })
    } else rule(value, path, faults)
  }
}

/** What is wrong with a message by itself; nothing where it is one of chat completions. Never throws. */
export function shapeFaults(message: unknown): readonly MessageShapeIssue[] {
  const faults: MessageShapeIssue[] = []
  try {
    addFaults(message, faults)
  } catch {
    faults.push({ code: 'unreadable', path: '', message: 'The message cannot be read: one of its fields throws.' })
  }
  return faults
}

function addFaults(message: unknown, faults: MessageShapeIssue[]): void {
  if (!isFields(message)) {
    faults.push({ code: 'not_a_message', path: '', message: 'A message must be an object.' })
    return
  }
  const role = ownField(message, 'role')
  const rule = roles.get(role)
  if (rule !== undefined) rule(message, '', faults)
  else faults.push({ code: 'unknown_role', path: '/role', message: roleMessage(role) })
}

function roleMessage(role: unknown): string {
  const known = [...roles.keys()].join(', ')
  const received = typeof role === 'string' ? quoted(role) : `of type ${role === null ? 'null' : typeof role}`
  return role === undefined
    ? `The message has no role; the roles are ${known}.`
    : `The role is ${received}; the roles are ${known}.`
}
