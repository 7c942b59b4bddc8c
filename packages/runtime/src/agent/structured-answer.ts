import type { Codec } from '../contract/codec.js'
import type { Issue } from '../contract/issue.js'
import type { JsonValue } from '../contract/json.js'
import type { ModelAnswer } from '../contract/model-driver.js'
import type { Decision } from '../contract/planner.js'
import { spokenText } from './message-text.js'

/** How many issues a model is told. */
const MAX_TOLD = 20

/** What a structured answer comes to. */
export type ReadAnswer =
  | { readonly ok: true; readonly decision: Decision }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Reads the value of a structured answer, as the model wrote it; the text of the message is kept beside it. */
export function readAnswer({ message, answer }: ModelAnswer, codec: Codec<never, unknown>): ReadAnswer {
  const text = spokenText(message)
  const json = answer ?? text
  const decoded = codec.decode(json)
  if (!decoded.ok) return decoded
  const value: JsonValue = JSON.parse(json)
  return { ok: true, decision: { kind: 'answer', value, text, message } }
}

/** Decision to have an answer corrected that does not fit its schema; a message that says nothing is left out. */
export function correctionOf({ message }: ModelAnswer, issues: readonly Issue[]): Decision {
  const told = issues
    .slice(0, MAX_TOLD)
    .map((issue) => `- ${issue.path === '' ? '' : `${issue.path}: `}${issue.message}`)
  const more = issues.length > told.length ? [`- and ${issues.length - told.length} more`] : []
  const correction = [
    'Your answer does not fit its schema:',
    ...told,
    ...more,
    'Answer again, with the whole JSON and nothing else.',
  ].join('\n')
  const text = spokenText(message)
  return text === '' ? { kind: 'correction', correction } : { kind: 'correction', correction, text, message }
}
