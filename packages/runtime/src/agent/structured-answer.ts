import type { ChatMessage } from '../contract/chat-message.js'
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

/** What a model is shown of an answer that did not fit: its own message, where it said something, and what is wrong. */
export function correction({ message }: ModelAnswer, issues: readonly Issue[]): readonly ChatMessage[] {
  const told = issues
    .slice(0, MAX_TOLD)
    .map((issue) => `- ${issue.path === '' ? '' : `${issue.path}: `}${issue.message}`)
  const more = issues.length > told.length ? [`- and ${issues.length - told.length} more`] : []
  const content = [
    'Your answer does not fit its schema:',
    ...told,
    ...more,
    'Answer again, with the whole JSON and nothing else.',
  ]
  const asked: ChatMessage = { role: 'user', content: content.join('\n') }
  return spokenText(message) === '' ? [asked] : [{ role: 'assistant', content: spokenText(message) }, asked]
}
