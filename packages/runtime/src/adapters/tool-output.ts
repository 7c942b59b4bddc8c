import { renderForModel } from '../call/render.js'
import { isFields } from '../schema/json-values.js'
import type { ContentPart } from '../types/content.js'
import type { FailureReason, TypedFailure } from '../types/failure.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Acknowledgement, CallSuspensionKind } from '../types/outcome.js'
import type { CallResponse } from './framework-options.js'

export type JsonForm<Value> = Value extends Date | bigint | Uint8Array
  ? string
  : Value extends object
    ? { -readonly [Key in keyof Value]: JsonForm<Value[Key]> }
    : Value

/**
 * Outcome of a call as plain data that JSON can represent. `Result` is the JSON type of the declared result. If a completed outcome has the property
 * `text`, the model reads `text`, and the type of `result` can differ from `Result`. `Declared` is the union of the declared failures. The property
 * `data` contains the data of a declared failure as JSON. A check of `reason` narrows the type of `data`.
 */
export type ToolOutput<
  Result = JsonValue,
  Declared extends TypedFailure = JsonValue extends Result ? TypedFailure : never,
> =
  | {
      readonly status: 'completed'
      readonly result: Result
      /** Omitted, because the model reads `result` as JSON. */
      readonly text?: undefined
      /**
       * Files and resources of the result. In `result`, a short text replaces the data of each file. Omitted if the result has no files or
       * resources.
       */
      readonly content?: readonly ContentPart[]
    }
  | {
      readonly status: 'completed'
      /** Result, possibly shortened (option `maxResult`), or a text that a layer set. */
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
      /**
       * Question for the approver. If a nested agent or an MCP server asks the user, `prompt` contains the question for the user. Omitted if the
       * call waits without a question.
       */
      readonly prompt?: string
      /** Text for the model. The text reports that the call waits for an answer. */
      readonly text: string
    }
  | Acknowledgement

type FailedOutput<Reason, Data> = Data & {
  readonly status: 'failed'
  readonly reason: Reason
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

/** Accepts any value, because a browser can have changed the output. */
export function textOfOutput(output: unknown): string {
  if (!isFields(output)) return JSON.stringify(output) ?? ''
  const { status, text, result } = output
  if (typeof text === 'string') return text
  return JSON.stringify(status === 'completed' ? result : output) ?? ''
}

/** Only property of an object that replaces malformed arguments, because frameworks accept only objects as arguments. */
const MALFORMED = '~malformed'

export function malformedArguments(text: string): { readonly [MALFORMED]: string } {
  return { [MALFORMED]: text }
}

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
