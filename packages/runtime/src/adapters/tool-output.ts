import { classify } from '../call/classify.js'
import { failedOutcome } from '../call/failed-outcome.js'
import { renderForModel } from '../call/render.js'
import { isFields } from '../schema/json-values.js'
import type { ToolCall } from '../types/call.js'
import type { FailureReason } from '../types/errors.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Acknowledgement, CallSuspensionKind, ToolOutcome } from '../types/outcome.js'

/** Outcome of a call, or the acknowledgement of a streaming tool in a session. */
export type CallResponse = ToolOutcome | Acknowledgement

/** Outcome of a call as plain data that can be written as JSON and read again. */
export type ToolOutput =
  | {
      readonly status: 'completed'
      readonly result: JsonValue
      /** Text for the model, if it differs from the JSON of the result. */
      readonly text?: string
    }
  | {
      readonly status: 'failed'
      readonly reason: FailureReason
      /** Text for the model: what was wrong, and what to do next. */
      readonly text: string
    }
  | {
      readonly status: 'suspended'
      readonly kind: CallSuspensionKind
      /** Question to a person. */
      readonly prompt?: string
      /** Text for the model. */
      readonly text: string
    }
  | Acknowledgement

/** Returns the text of a call's response for a model, the same for all frameworks. */
export function textForModel(response: CallResponse): string {
  return response.status === 'streaming' ? JSON.stringify(response) : renderForModel(response)
}

export function toolOutput(response: CallResponse): ToolOutput {
  switch (response.status) {
    case 'completed':
      return completed(response.json)
    case 'failed':
      return { status: 'failed', reason: response.hint.reason, text: renderForModel(response) }
    case 'suspended': {
      const { kind, prompt } = response.suspension
      return { status: 'suspended', kind, ...(prompt !== undefined && { prompt }), text: renderForModel(response) }
    }
    case 'streaming':
      return response
  }
}

function completed(json: JsonText): ToolOutput {
  try {
    const result: JsonValue = JSON.parse(json)
    return { status: 'completed', result, ...(JSON.stringify(result) !== json && { text: json }) }
  } catch {
    // A layer has replaced the JSON by prose.
    return { status: 'completed', result: json, text: json }
  }
}

/** Returns the text of a {@link ToolOutput} for a model. The output may have been stored by a client meanwhile. */
export function textOfOutput(output: unknown): string {
  if (!isFields(output)) return JSON.stringify(output) ?? ''
  const { status, text, result } = output
  if (typeof text === 'string') return text
  return JSON.stringify(status === 'completed' ? result : output) ?? ''
}

/**
 * Returns the outcome of a call that could not start, because the application could not give its options or the session
 * accepts no calls. It is the same as if the tool had thrown the error.
 */
export function failedToStart({ tool, toolCallId = '', arguments: rejected }: ToolCall, cause: unknown): ToolOutcome {
  const failed = { call: { tool, toolCallId }, rejected, durationMs: 0, attempts: 0, cause }
  return failedOutcome(classify(cause, Date.now()), failed)
}
