import fc from 'fast-check'
import type { ChatMessage, ChatToolCall } from '../../packages/runtime/src/types/chat.js'

/** Texts of models and users: empty, long, Unicode, lone surrogates, truncated or invalid JSON. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '{}', '{"a":', '{"a": 1.0}', ' { } ', '[{"a":1}]', '\ud800', '"\\u00e9"', 'null', '\0'),
)

/** Few ids, so that they repeat. */
const id = fc.constantFrom('', 'call_1', 'call_2', '__proto__', 'constructor', 'é')

const unknownName = fc.oneof(
  fc.constantFrom('reasoning_content', 'parsed', 'kind', 'kind_', 'kind__', '__proto__', 'toString', '0', 'type', 'id'),
  fc.string({ maxLength: 5 }),
)
const known = new Set([
  ...['role', 'content', 'name', 'refusal', 'audio', 'tool_calls', 'function_call', 'tool_call_id', 'index'],
  ...['type', 'id', 'function', 'custom', 'text', 'image_url', 'input_audio', 'file', 'prompt_cache_breakpoint'],
])

/** Adds unknown properties to an object and shuffles all properties. */
function extended<T extends object>(object: fc.Arbitrary<T>): fc.Arbitrary<T> {
  const unknown = fc.uniqueArray(fc.tuple(unknownName, fc.jsonValue({ maxDepth: 2 })), { selector: ([name]) => name })
  return fc.tuple(object, unknown).chain(([given, more]) => {
    const own = new Set(Object.keys(given))
    const others = more.filter(([name]) => !own.has(name) && (!known.has(name) || ('role' in given && isFree(name))))
    const entries: readonly any[][] = [...Object.entries(given), ...others] // any: the type of `given` is kept
    return fc
      .shuffledSubarray([...entries], { minLength: entries.length, maxLength: entries.length })
      .map((shuffled) => Object.fromEntries(shuffled))
  })
}

/** Returns true for names that have a meaning only in parts of messages, so that messages can have them as unknown properties. */
const isFree = (name: string): boolean => name === 'type' || name === 'id'

const textPart = extended(fc.record({ type: fc.constant('text' as const), text }))
const userPart = fc.oneof(
  textPart,
  extended(fc.record({ type: fc.constant('image_url' as const), image_url: fc.record({ url: text }) })),
  extended(
    fc.record({
      type: fc.constant('input_audio' as const),
      input_audio: fc.record({ data: text, format: fc.constantFrom('wav' as const, 'mp3' as const) }),
    }),
  ),
  extended(fc.record({ type: fc.constant('file' as const), file: fc.record({ file_id: text }, { requiredKeys: [] }) })),
)
const assistantPart = fc.oneof(textPart, extended(fc.record({ type: fc.constant('refusal' as const), refusal: text })))
const textOr = <T>(part: fc.Arbitrary<T>): fc.Arbitrary<string | T[]> =>
  fc.oneof(text, fc.array(part, { maxLength: 3 }))

const functionCall = fc.record({ name: text, arguments: text })
const toolCall: fc.Arbitrary<ChatToolCall> = fc.oneof(
  extended(fc.record({ id, type: fc.constant('function' as const), function: functionCall })),
  extended(fc.record({ id, type: fc.constant('custom' as const), custom: fc.record({ name: text, input: text }) })),
)

/** Messages of all roles, in almost all forms of the types, and with unknown properties. */
const message: fc.Arbitrary<ChatMessage> = fc.oneof(
  extended(
    fc.record(
      { role: fc.constantFrom('system' as const, 'developer' as const), content: textOr(textPart), name: text },
      { requiredKeys: ['role', 'content'] },
    ),
  ),
  extended(
    fc.record(
      { role: fc.constant('user' as const), content: textOr(userPart), name: text },
      { requiredKeys: ['role', 'content'] },
    ),
  ),
  extended(
    fc.record(
      {
        role: fc.constant('assistant' as const),
        content: fc.oneof(fc.constant(null), textOr(assistantPart)),
        refusal: fc.option(text),
        name: text,
        audio: fc.option(fc.record({ id })),
        tool_calls: fc.array(toolCall, { maxLength: 4 }),
        function_call: fc.option(functionCall),
      },
      { requiredKeys: ['role'] },
    ),
  ),
  extended(fc.record({ role: fc.constant('tool' as const), tool_call_id: id, content: textOr(textPart) })),
  extended(fc.record({ role: fc.constant('function' as const), name: text, content: fc.option(text) })),
)

/** Lists of messages. Calls and tool messages need not match. */
export const histories: fc.Arbitrary<ChatMessage[]> = fc.array(message, { maxLength: 8 })
