import type { JsonSchema, JsonText, JsonValue } from './json.js'

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
 * Work and issues are bounded by the value and the schema; patterns take time linear in the length of a string.
 */
export interface Codec<in Sent, out Value = Sent> {
  /** The schema of what is sent. */
  readonly schema: JsonSchema
  /**
   * Parses and checks JSON text. Of equal keys the last one counts. Nesting beyond 500 levels is an issue; beyond 600
   * schemas that are applied within each other too, so that values of a recursive union may have 200 to 300 levels. No
   * text makes it throw; only an invalid schema does, on first use.
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

/** Properties of every issue. */
interface IssueBase {
  /** JSON Pointer into the decoded value; `''` is the root. */
  readonly path: string
  /** One plain sentence for a person, without a path. */
  readonly message: string
  /** Description of the field in the schema. */
  readonly description?: string
}

/** Accepted values of a location, as an issue lists them. Lists and values are frozen. */
export interface Listed<Value> {
  /** The first 50, in the order of the schema; the nearest one among them. */
  readonly allowed: readonly Value[]
  /** Number of further values; absent if 0. */
  readonly more?: number
}

/** A received value is carried up to 200 characters of its text, then `…`; the text of arrays and objects is their JSON. */
interface Cut {
  /** Length of the complete text in UTF-16 code units, if it is cut. */
  readonly receivedLength?: number
}

/** The kinds of JSON values, as named in issues. */
export type JsonKind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

/** One violation of a schema by a value, with the facts needed to repair it. */
export type Issue = IssueBase &
  (
    | {
        readonly constraint: 'invalid_json'
        /** Index of the unexpected UTF-16 code unit; the length of the text where it ends too early. */
        readonly position?: number
        /** The line of the position, from 1. */
        readonly line?: number
        /** Its column, from 1, in UTF-16 code units. */
        readonly column?: number
        /** The one character that cannot stand there; absent: the text ends. */
        readonly found?: string
      }
    | {
        readonly constraint: 'missing_field'
        readonly field: string
        /** Description of the expected value: `a string`, `one of "a", "b"`. */
        readonly expected?: string
        /** The values it may hold, where they are a list; the first 50. */
        readonly allowed?: readonly JsonValue[]
        /** Number of further accepted values; absent if 0. */
        readonly more?: number
      }
    | (Listed<string> & {
        readonly constraint: 'unknown_field'
        readonly field: string
        readonly nearest?: string
      })
    | { readonly constraint: 'server_owned_field'; readonly field: string }
    | {
        readonly constraint: 'invalid_type'
        readonly expected: readonly JsonKind[]
        /** Expected format of a string, if the schema names it: `date-time`, `decimal integer`, `base64`. */
        readonly format?: string
        readonly received: JsonKind
      }
    | (Listed<JsonValue> &
        Cut & {
          readonly constraint: 'invalid_enum_value'
          /** As it was sent, unless it is cut off. */
          readonly received: JsonValue
          readonly nearest?: JsonValue
        })
    | (Cut & { readonly constraint: 'invalid_format'; readonly format: string; readonly received: string })
    | (Cut & { readonly constraint: 'invalid_pattern'; readonly pattern: string; readonly received: string })
    | {
        readonly constraint: 'invalid_range'
        readonly received: number
        readonly minimum?: number
        readonly maximum?: number
        readonly exclusiveMinimum?: number
        readonly exclusiveMaximum?: number
        readonly multipleOf?: number
      }
    | {
        readonly constraint: 'invalid_length'
        /** Counted unit: code points of a string, items of an array, keys of an object. */
        readonly unit: 'characters' | 'items' | 'properties'
        readonly received: number
        readonly minimum?: number
        readonly maximum?: number
      }
    | { readonly constraint: 'not_unique'; readonly first: number; readonly second: number }
    | {
        readonly constraint: 'invalid_contains'
        readonly found: number
        readonly minimum?: number
        readonly maximum?: number
      }
    | { readonly constraint: 'missing_dependency'; readonly field: string; readonly requiredBy: string }
    | {
        readonly constraint: 'no_variant_matches'
        /** Names of the variants, each once: `Circle`, `kind: "card"`, `a string`. */
        readonly variants: readonly string[]
        /** Number of variants beyond the 50 listed; absent if 0. */
        readonly more?: number
        /** The discriminating field and its allowed values, where the union has one. */
        readonly discriminator?: Listed<JsonValue> & { readonly field: string }
        /** The issues of the variant that came nearest: at most 10, then `more_issues`. */
        readonly nearest?: readonly Issue[]
      }
    | { readonly constraint: 'several_variants_match'; readonly matching: readonly number[] }
    | { readonly constraint: 'not_allowed' }
    | { readonly constraint: 'too_deep'; readonly maximum: number }
    | { readonly constraint: 'not_json'; readonly received: string }
    | { readonly constraint: 'check_failed' }
    | {
        /** The last of many issues. */
        readonly constraint: 'more_issues'
        /**
         * Number of issues that are not listed, at most 10,000. Issues of one constraint at one location can count as
         * one.
         */
        readonly count: number
      }
  )

/** The name of a broken constraint. */
export type Constraint = Issue['constraint']
