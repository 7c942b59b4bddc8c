import type { Asked } from './exchanges.js'

/** Changes a text of an exchange before it is written, and one of what is asked for before it is compared. */
export type Redact = (text: string) => string

/** What is asked for, without what may not be written. */
export function redactedAsked<Given extends Asked>(asked: Given, redact: Redact): Given {
  if (asked.type === 'model') return { ...asked, request: redactedTexts(asked.request, REQUEST, redact) }
  const { arguments: json, resumedWith } = asked
  const said = { arguments: json, ...(resumedWith !== undefined && { resumedWith }) }
  return { ...asked, ...redactedTexts(said, {}, redact) }
}

/**
 * A copy of plain JSON with the texts in it redacted, except the words of its format.
 *
 * @throws {TypeError} when a text is redacted to something else.
 */
export function redactedTexts<Json>(json: Json, words: FormatWords, redact: Redact): Json {
  return redactedPart(JSON.parse(JSON.stringify(json)), words, redact)
}

// `any`: a copy has the type of what it is a copy of.
function redactedPart(part: any, words: FormatWords, redact: Redact): any {
  if (typeof part === 'string') return redactedText(part, redact)
  if (Array.isArray(part)) return part.map((item) => redactedPart(item, words, redact))
  if (typeof part !== 'object' || part === null) return part
  const fields = Object.entries(part).map(([name, field]) => {
    const inner = Object.hasOwn(words, name) ? words[name] : undefined
    return [name, inner === true ? field : redactedPart(field, inner ?? {}, redact)] as const
  })
  return Object.fromEntries(fields)
}

function redactedText(text: string, redact: Redact): string {
  const redacted: unknown = redact(text)
  if (typeof redacted === 'string') return redacted
  throw new TypeError('redact: the function answered with no text')
}

/** The fields of a value whose texts are words of a format, so that they may not be redacted; a list has those of its items. */
export interface FormatWords {
  /** `true`: all that is in the field. */
  readonly [field: string]: true | FormatWords
}

const MESSAGE: FormatWords = {
  role: true,
  tool_call_id: true,
  tool_calls: { id: true, type: true, function: { name: true }, custom: { name: true } },
  content: { type: true },
}

const SUSPENSION: FormatWords = {
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
      stops: { reason: true },
      get outcomes() {
        return { call: true, ...OUTCOME } as const
      },
    },
  },
}

/** Those of what became of a call. */
export const OUTCOME: FormatWords = {
  status: true,
  provenance: { tool: true, model: true, service: true, children: true },
  stop: { reason: true },
  error: { reason: true },
  hint: {
    reason: true,
    action: true,
    tool: true,
    near: true,
    missing: { path: true },
    issues: { path: true, constraint: true },
  },
  suspension: SUSPENSION,
}

/** Those of what a model is asked. */
const REQUEST: FormatWords = { messages: MESSAGE, tools: true, responseFormat: true }

/** Those of what a model answers. */
export const ANSWER: FormatWords = {
  message: MESSAGE,
  calls: { tool: true, toolCallId: true },
  finishReason: true,
  model: true,
}

/** Those of an error of a model. */
export const ERROR: FormatWords = { reason: true }
