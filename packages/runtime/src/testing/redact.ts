import type { Asked } from './exchange.js'
import { type FormatWords, REQUEST } from './format-words.js'

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
