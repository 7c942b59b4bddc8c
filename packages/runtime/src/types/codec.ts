import type { Issue } from './issue.js'
import type { JsonSchema, JsonText } from './json.js'

/**
 * Result of decoding: the typed value, or at most 100 issues. If there are more, a last issue `more_issues` has their
 * number, up to 10,000.
 */
export type Decoded<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Result of encoding a value of unknown origin: the value with its text, or issues. */
export type Encoded<Value> =
  | { readonly ok: true; readonly value: Value; readonly json: JsonText }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Turns JSON text into a typed value and back. `Sent` is what a caller may hand to `encode` (defaults optional),
 * `Value` what `decode` yields (defaults applied).
 *
 * Work and issues are bounded by the value and the schema, with one exception: a `pattern` is run by the engine's
 * regular expressions without a limit in time, so write patterns that do not backtrack without end.
 */
export interface Codec<in Sent, out Value = Sent> {
  /** The schema of what is sent. */
  readonly schema: JsonSchema
  /**
   * Parses and checks JSON text. Of equal keys the last one counts. Nesting beyond 500 levels is an issue; beyond 600
   * schemas that are applied within each other too, so that values of a recursive union may have 200 to 300 levels. No
   * text makes it throw; only a faulty schema does, on first use.
   */
  decode(json: JsonText): Decoded<Value>
  /**
   * Returns whether a value is already decoded: valid, with defaults, without undeclared or `undefined` fields.
   *
   * @example
   * if (getOrderPayloadCodec.is(value)) value.orderId // typed
   */
  is(value: unknown): value is Value
  /**
   * Checks a value that is parsed already. Own `undefined` fields are absent, and instances of classes are read by their
   * own fields. What JSON cannot carry (a `Map`, a function; a `Date` or a bigint unless the schema names that type with
   * `x-js`) is an issue where it would be kept. The input is not changed, and no value makes it throw. A value that is
   * what decoding yields is given back itself, not a copy; so may parts of any other. Of such a value getters are read
   * more than once, and fields that are not enumerable count as given.
   */
  decodeValue(value: unknown): Decoded<Value>
  /**
   * Checks a value once and writes it: the value is what `decodeValue` yields (defaults applied, undeclared fields
   * dropped or refused) and the text says the same. No value makes it throw.
   */
  encodeValue(value: unknown): Encoded<Value>
  /**
   * Writes canonical JSON text without undeclared fields and without own `undefined` values.
   *
   * @throws {CodecError} listing every issue, when the value breaks a constraint or cannot be written as JSON.
   */
  encode(value: Sent): JsonText
}
