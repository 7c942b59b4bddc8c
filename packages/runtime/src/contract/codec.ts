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
  /**
   * Parses and checks JSON text. Of equal keys the last one counts; nesting beyond 500 levels is an issue. No text
   * makes it throw; only a faulty schema does, on first use.
   */
  decode(json: JsonText): Decoded<Value>
  /**
   * Checks a value that is parsed already. Own `undefined` fields are absent; what JSON cannot carry (also `Date` and
   * other instances of classes) is an issue where it would be kept. The input is not changed, and no value makes it throw.
   */
  decodeValue(value: unknown): Decoded<Value>
  /**
   * Writes canonical JSON text without undeclared fields and without own `undefined` values.
   *
   * @throws {CodecError} listing every issue, when the value breaks a constraint or cannot be written as JSON.
   */
  encode(value: Sent): JsonText
}
