import type { Asked } from './exchange.js'

/** Changes a text of an exchange before it is written, and one of what is asked for before it is compared. */
export type Redact = (text: string) => string

/** What is asked for, without what may not be written. The names of agents and tools stay. */
export function redactedAsked<Given extends Asked>(asked: Given, redact: Redact): Given {
  if (asked.type === 'tool') {
    const { arguments: json, resumedWith } = asked
    const said = { arguments: json, ...(resumedWith !== undefined && { resumedWith }) }
    return { ...asked, ...redactedTexts(said, redact) }
  }
  const { tools, ...sent } = asked.request
  return { ...asked, request: { ...redactedTexts(sent, redact), tools } }
}

/**
 * A copy of plain JSON with every text in it redacted.
 *
 * @throws {TypeError} when a text is redacted to something else.
 */
export function redactedTexts<Json>(json: Json, redact: Redact): Json {
  return JSON.parse(
    JSON.stringify(json, (_, part: unknown) => {
      if (typeof part !== 'string') return part
      const text: unknown = redact(part)
      if (typeof text === 'string') return text
      throw new TypeError('redact: the function answered with no text')
    }),
  )
}
