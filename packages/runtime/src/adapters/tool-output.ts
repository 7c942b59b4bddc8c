import { renderForModel } from '../call/render.js'
import { isFields } from '../schema/json-values.js'
import type { ContentPart } from '../types/content.js'
import type { FailureReason, TypedFailure } from '../types/failure.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Acknowledgement, CallSuspensionKind } from '../types/outcome.js'
import type { CallResponse } from './framework-options.js'

/** JSON form of a typed value: dates, bigints and bytes are strings. */
export type JsonForm<Value> = Value extends Date | bigint | Uint8Array
  ? string
  : Value extends object
    ? { -readonly [Key in keyof Value]: JsonForm<Value[Key]> }
    : Value

/**
 * Outcome of a call as plain data that JSON can represent. `Result` is the JSON form of the result that the design declares. If `text` is
 * present, `result` can have another form. `Declared` is the union of the failures that the design declares: `reason` narrows `data`, the
 * JSON form of their data.
 */
export type ToolOutput<
  Result = JsonValue,
  Declared extends TypedFailure = JsonValue extends Result ? TypedFailure : never,
> =
  | {
      readonly status: 'completed'
      readonly result: Result
      /** Absent if the text for the model is the result as JSON. */
      readonly text?: undefined
      /**
       * Files and resources of the result. `result` has a short text in place of the data of files. Absent if the
       * result has none.
       */
      readonly content?: readonly ContentPart[]
    }
  | {
      readonly status: 'completed'
      /** Result that `maxResult` has shortened, or the text that a layer has set. */
      readonly result: JsonValue
      /** Text for the model. */
      readonly text: string
      readonly content?: readonly ContentPart[]
    }
  | FailedOutput<FailureReason, { readonly data?: never }>
  | (Declared extends TypedFailure
      ? FailedOutput<Declared['reason'], { readonly data: JsonForm<Declared['data']> }>
      : never)
  | {
      readonly status: 'suspended'
      readonly kind: CallSuspensionKind
      /** Question for the approver, or for the user if a nested agent or an MCP server asks. Absent if there is no question. */
      readonly prompt?: string
      /** Text for the model: the call waits for an answer. */
      readonly text: string
    }
  | Acknowledgement

type FailedOutput<Reason, Data> = Data & {
  readonly status: 'failed'
  /** Reason of the failure, for example `timeout`, or the name of a declared failure. */
  readonly reason: Reason
  /** Text for the model: the problem and the next step. */
  readonly text: string
}

export function toolOutput(response: CallResponse): ToolOutput {
  const text = renderForModel(response)
  switch (response.status) {
    case 'completed': {
      const { content, provenance } = response
      const parts = content !== undefined && { content }
      try {
        const result: JsonValue = JSON.parse(response.json)
        const isOther = provenance.cut !== undefined || JSON.stringify(result) !== text
        return { status: 'completed', result, ...(isOther && { text }), ...parts }
      } catch {
        // A layer has replaced the JSON result with plain text.
        return { status: 'completed', result: response.json, text, ...parts }
      }
    }
    case 'failed': {
      const { hint } = response
      if (hint.reason !== 'domain_rejection' || hint.failure === undefined)
        return { status: 'failed', reason: hint.reason, text }
      return { status: 'failed', reason: hint.failure, ...(hint.data !== undefined && { data: hint.data }), text }
    }
    case 'suspended': {
      const { kind, prompt } = response.suspension
      return { status: 'suspended', kind, ...(prompt !== undefined && { prompt }), text }
    }
    case 'streaming':
      return response
  }
}

/** Returns the text of a {@link ToolOutput} for a model. Accepts any value, because a client may have changed the output. */
export function textOfOutput(output: unknown): string {
  if (!isFields(output)) return JSON.stringify(output) ?? ''
  const { status, text, result } = output
  if (typeof text === 'string') return text
  return JSON.stringify(status === 'completed' ? result : output) ?? ''
}

/** Name of the field that contains malformed arguments. Frameworks accept only objects as arguments. */
const MALFORMED = '~malformed'

/** Wraps arguments that are not valid JSON in an object. */
export function malformedArguments(text: string): { readonly [MALFORMED]: string } {
  return { [MALFORMED]: text }
}

/** Returns arguments as JSON text. Returns malformed arguments as the model wrote them. */
export function argumentsText(input: unknown): JsonText {
  if (isFields(input) && Object.keys(input).length === 1 && Object.hasOwn(input, MALFORMED)) {
    const text = input[MALFORMED]
    if (typeof text === 'string') return text
  }
  try {
    return JSON.stringify(input) ?? ''
  } catch {
    // The value is nested too deep.
    return ''
  }
}
