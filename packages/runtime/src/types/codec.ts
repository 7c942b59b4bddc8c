import type { JsonSchema, JsonText, JsonValue } from './json.js'

/**
 * Result of decoding: a typed value, or the issues. Lists at most 100 issues. If there are more, a last issue
 * `more_issues` contains the number of further issues.
 */
export type Decoded<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Result of `encodeValue`: the validated value with its JSON text, or the issues. */
export type Encoded<Value> =
  | { readonly ok: true; readonly value: Value; readonly json: JsonText }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Converts JSON text to a typed value and back. `Sent` is the type of values for `encode`: properties with a default
 * are optional. `Value` is the type of decoded values: absent properties have their default.
 *
 * The time to match a pattern grows only linearly with the length of the string.
 */
export interface Codec<in Sent, out Value = Sent> {
  /** JSON Schema of the encoded value, that is, of the JSON text. */
  readonly schema: JsonSchema
  /**
   * Parses and validates JSON text, then adds defaults. If a key appears twice, the last value is used. Invalid text
   * never causes an exception. Text nested deeper than 500 levels is an issue. More than 600 nested subschemas are an
   * issue, too. A recursive union has several subschemas for each level of the text, so it reaches this number at 200
   * to 300 levels. The first call throws if the schema is invalid.
   */
  decode(json: JsonText): Decoded<Value>
  /**
   * Returns true if a value needs no decoding: it is valid, contains all defaults, and has no undeclared or `undefined`
   * properties.
   *
   * @example
   * if (getOrderPayloadCodec.is(value)) value.orderId // typed
   */
  is(value: unknown): value is Value
  /**
   * Validates a value that is already parsed. Properties that are `undefined` count as absent, and instances of classes
   * are read like plain objects. A value that JSON cannot represent is an issue, for example a function or a `Map`. A
   * `Date` or bigint is an issue unless the schema allows it with `x-js`. Never throws and does not change the input.
   * Returns `value` itself if it needs no change. Otherwise returns a new value, which may share nested objects with
   * `value`. These objects can have non-enumerable properties and getters. The codec may read a getter several times.
   */
  decodeValue(value: unknown): Decoded<Value>
  /** Validates and serializes a value. Returns the value that `decodeValue` returns, and its JSON text. Never throws. */
  encodeValue(value: unknown): Encoded<Value>
  /**
   * Serializes a value as canonical JSON text. Omits properties that the schema does not declare or that are
   * `undefined`.
   *
   * @throws {CodecError} with all issues, if the value is invalid or cannot be represented as JSON.
   */
  encode(value: Sent): JsonText
}

/** Properties of every issue. */
interface IssueBase {
  /** JSON Pointer to the value or field with the issue; `''` is the whole value. */
  readonly path: string
  /** Description of the issue in one sentence, without the path. */
  readonly message: string
  /** Description of the field in the schema. Absent if the schema has none. */
  readonly description?: string
}

/** Allowed values that an issue lists. The array and its values are frozen. */
export interface Listed<Value> {
  /**
   * At most 50 allowed values in the order of the schema. If there are more, the first value of this list is the
   * allowed value that is most similar to the received value.
   */
  readonly allowed: readonly Value[]
  /** Number of allowed values that are not listed; absent if 0. */
  readonly more?: number
}

/**
 * Property of issues with a `received` value, which may be truncated. A truncated value consists of the first 200 characters of its text
 * and `…`. The text of an array or object is its JSON.
 */
interface Cut {
  /** Length of the complete value as text, in UTF-16 code units. Absent if the value was not truncated. */
  readonly receivedLength?: number
}

/** Type of a JSON value, as issues name it. */
export type JsonKind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

/** One violation of a schema, with the details that are needed to correct the value. */
export type Issue = IssueBase &
  (
    | {
        readonly constraint: 'invalid_json'
        /** Index of the unexpected character in UTF-16 code units. If the text ends too early, the length of the text. */
        readonly position?: number
        /** Number of the line with the unexpected character, from 1. */
        readonly line?: number
        /** Column of the unexpected character in its line, in UTF-16 code units, from 1. */
        readonly column?: number
        /** The unexpected character; absent if the text ends too early. */
        readonly found?: string
      }
    | {
        readonly constraint: 'missing_field'
        readonly field: string
        /** Description of the expected value: `a string`, `one of "a", "b"`. */
        readonly expected?: string
        /** The first 50 allowed values, if the schema lists them. */
        readonly allowed?: readonly JsonValue[]
        /** Number of allowed values that are not listed; absent if 0. */
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
          /** The received value, truncated if it is long. */
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
        /** Unit of the length: code points of a string, items of an array, properties of an object. */
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
        /** Names of the first 50 variants without duplicates, for example `Circle`, `kind: "card"`, `a string`. */
        readonly variants: readonly string[]
        /** Number of variants that are not listed; absent if 0. */
        readonly more?: number
        /** Property whose value distinguishes the variants, with its allowed values. Absent if there is no such property. */
        readonly discriminator?: Listed<JsonValue> & { readonly field: string }
        /**
         * At most 10 issues of the variant that matches best. If the variant has more issues, a last issue
         * `more_issues` contains the number of further issues.
         */
        readonly nearest?: readonly Issue[]
      }
    | { readonly constraint: 'several_variants_match'; readonly matching: readonly number[] }
    | { readonly constraint: 'not_allowed' }
    | { readonly constraint: 'too_deep'; readonly maximum: number }
    | { readonly constraint: 'not_json'; readonly received: string }
    | { readonly constraint: 'check_failed' }
    | {
        /** Last issue of a list that does not contain all issues. */
        readonly constraint: 'more_issues'
        /** Number of omitted issues, at most 10,000. Issues with the same constraint and path may count as one. */
        readonly count: number
      }
  )

/** Name of a violated constraint. */
export type Constraint = Issue['constraint']
