import type { Issue } from './issue.js'
import type { JsonSchema, JsonText } from './json.js'

/** What decoding yields: the typed value, or every issue at once. */
export type Decoded<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Turns JSON text into a typed value and back. `Sent` is what a caller may hand to `encode` (defaults optional),
 * `Value` what `decode` yields (defaults applied).
 */
export interface Codec<in Sent, out Value = Sent> {
  /** The schema of what is sent. */
  readonly schema: JsonSchema
  /** Parses and checks JSON text. Never throws. */
  decode(json: JsonText): Decoded<Value>
  /** Checks a value that is parsed already. Never throws; the input is not changed. */
  decodeValue(value: unknown): Decoded<Value>
  /**
   * Writes canonical JSON text without undeclared fields and without own `undefined` values.
   *
   * @throws {CodecError} listing every issue, when the value breaks a constraint or cannot be written as JSON.
   */
  encode(value: Sent): JsonText
}
