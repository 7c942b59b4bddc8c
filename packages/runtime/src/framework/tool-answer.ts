import { isFields } from '../codec/json/kind.js'
import type { JsonText, JsonValue } from '../contract/json.js'
import type { FailureReason } from '../contract/retry-hint.js'
import type { Acknowledgement } from '../contract/session.js'
import type { CallSuspensionKind } from '../contract/suspension.js'
import { renderForModel } from '../execute/render/render-for-model.js'
import type { Answered } from './callable-tools.js'

/** How a call ended, as plain data for whoever shows it: it can be written as JSON and read again. */
export type ToolAnswer =
  | {
      readonly status: 'completed'
      readonly result: JsonValue
      /** What the model reads, where that is other than the JSON of the result. */
      readonly text?: string
    }
  | {
      readonly status: 'failed'
      readonly reason: FailureReason
      /** What the model reads: what was wrong, and what to do next. */
      readonly text: string
    }
  | {
      readonly status: 'suspended'
      readonly kind: CallSuspensionKind
      /** What somebody is asked. */
      readonly prompt?: string
      /** What the model reads. */
      readonly text: string
    }
  | Acknowledgement

/** What a model reads of a call, whatever the framework. */
export function textForModel(answered: Answered): string {
  return answered.status === 'streaming' ? JSON.stringify(answered) : renderForModel(answered)
}

/** A call's end as plain data. */
export function toolAnswer(answered: Answered): ToolAnswer {
  switch (answered.status) {
    case 'completed':
      return completed(answered.json)
    case 'failed':
      return { status: 'failed', reason: answered.hint.reason, text: renderForModel(answered) }
    case 'suspended': {
      const { kind, prompt } = answered.suspension
      return { status: 'suspended', kind, ...(prompt !== undefined && { prompt }), text: renderForModel(answered) }
    }
    case 'streaming':
      return answered
  }
}

/** The text of a {@link ToolAnswer} that a model reads, also after it was sent somewhere and back. */
export function textOfAnswer(answer: unknown): string {
  if (!isFields(answer)) return JSON.stringify(answer) ?? ''
  const { status, text, result } = answer
  if (typeof text === 'string') return text
  return JSON.stringify(status === 'completed' ? result : answer) ?? ''
}

function completed(json: JsonText): ToolAnswer {
  try {
    const result: JsonValue = JSON.parse(json)
    return { status: 'completed', result, ...(JSON.stringify(result) !== json && { text: json }) }
  } catch {
    // A layer has put prose in the place of the JSON.
    return { status: 'completed', result: json, text: json }
  }
}
