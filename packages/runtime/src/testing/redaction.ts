import { isFields } from '../schema/json-values.js'

/** Changes a string of a request or response before a recording stores the string or a replay compares the string. */
export type Redact = (text: string) => string

/**
 * Redaction must not change the strings of these properties, because the strings are fixed words of the format, such as roles. For an array property,
 * the rules apply to each item.
 */
interface FormatWords {
  /** `true`: redaction changes no string in this property. An object: rules for nested properties. */
  readonly [field: string]: true | FormatWords
}

const MESSAGE: FormatWords = {
  role: true,
  tool_call_id: true,
  tool_calls: { id: true, type: true, function: { name: true }, custom: { name: true } },
  content: { type: true },
}

const STOP: FormatWords = { reason: true, by: true, stage: true }

const OUTCOME: FormatWords = {
  status: true,
  provenance: { tool: true, model: true, service: true, children: true },
  stop: STOP,
  error: { reason: true },
  hint: {
    reason: true,
    action: true,
    tool: true,
    near: true,
    failure: true,
    missing: { path: true },
    issues: { path: true, constraint: true },
  },
  suspension: {
    kind: true,
    call: true,
    nested: {
      id: true,
      runId: true,
      agent: true,
      kind: true,
      messages: MESSAGE,
      calls: { tool: true, toolCallId: true, parentToolCallId: true, chatId: true, toolName: true },
      pending: { id: true, kind: true, agent: true, call: true },
      fields: { tool: true, path: true },
      progress: {
        stops: STOP,
        get outcomes() {
          return { call: true, ...OUTCOME } as const
        },
      },
    },
  },
}

const EXCHANGE: FormatWords = {
  type: true,
  agent: true,
  tool: true,
  hash: true,
  request: { messages: MESSAGE, tools: true, responseFormat: true },
  answer: { message: MESSAGE, calls: { tool: true, toolCallId: true }, finishReason: true, model: true },
  error: { reason: true },
  outcome: OUTCOME,
}

/** @throws {TypeError} if `redact` does not return a string, or a value is not JSON. */
export function redacted<Fields extends object>(fields: Fields, redact: Redact): Fields {
  return redactedPart(JSON.parse(JSON.stringify(fields)), EXCHANGE, redact)
}

// `any`, because the copy has the same type as the original.
function redactedPart(part: any, words: FormatWords, redact: Redact): any {
  if (typeof part === 'string') {
    const text: unknown = redact(part)
    if (typeof text === 'string') return text
    throw new TypeError('`redact` must return a string')
  }
  if (Array.isArray(part)) return part.map((item) => redactedPart(item, words, redact))
  if (!isFields(part)) return part
  const entries = Object.entries(part).map(([name, field]) => {
    const inner = Object.hasOwn(words, name) ? words[name] : undefined
    return [name, inner === true ? field : redactedPart(field, inner ?? {}, redact)] as const
  })
  return Object.fromEntries(entries)
}
