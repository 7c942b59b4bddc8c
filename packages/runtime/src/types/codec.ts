import type { JsonSchema, JsonText, JsonValue } from './json.js'

/**
 * Result of decoding: a typed value, or the issues. If there are more than 100 issues, the array contains 100 issues
 * and a last issue `more_issues` with the number of omitted issues.
 */
export type Decoded<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly Issue[] }

export type Encoded<Value> =
  | { readonly ok: true; readonly value: Value; readonly json: JsonText }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Converts JSON text to a typed value and back. `Sent` is the type of values for `encode`, in which properties with a
 * default are optional. `Value` is the type of decoded values, in which properties with a default are always present.
 *
 * Matching a `pattern` of the schema takes time proportional to the length of the string.
 */
export interface Codec<in Sent, out Value = Sent> {
  /** JSON Schema of the JSON text. */
  readonly schema: JsonSchema
  /**
   * Parses and validates JSON text, then adds defaults. If a key appears twice, the last value applies. Returns issues
   * if the text is invalid, if the text has more than 500 nested levels, or if the validation of a value nests
   * more than 600 subschemas. For a recursive union, the limit is 200 to 300 levels of the text, because each level
   * needs several subschemas. Throws a `SchemaError` if the schema is invalid.
   */
  decode(json: JsonText): Decoded<Value>
  /**
   * Returns true if a value is valid and `decodeValue` would return the value without changes. Such a value contains
   * all defaults and no property that is `undefined` or that the codec removes.
   *
   * @example
   * if (getOrderPayloadCodec.is(value)) value.orderId // typed
   */
  is(value: unknown): value is Value
  /**
   * Validates a JavaScript value, then adds defaults. Treats properties with the value `undefined` as absent, and
   * instances of classes as plain objects. A value that JSON cannot represent, for example a function or a `Map`, is an
   * issue. A `Date` or bigint is valid only if the schema allows this type with `x-js`. Throws only if the schema is
   * invalid.
   *
   * Does not change the input. Returns `value` itself if decoding changes nothing. In all other cases, returns a copy,
   * but unchanged nested objects can be the same objects as in `value`, with their getters and non-enumerable
   * properties. The codec can call a getter several times.
   */
  decodeValue(value: unknown): Decoded<Value>
  /** Validates and serializes a value. Returns the result of `decodeValue` together with its JSON text. Throws only if the schema is invalid. */
  encodeValue(value: unknown): Encoded<Value>
  /**
   * Serializes a value as canonical JSON text. Omits properties with the value `undefined`. The option `unknown` of the
   * codec decides whether the codec rejects, omits or preserves undeclared properties.
   *
   * @throws {CodecError} with all issues, if the value is invalid or cannot be represented as JSON.
   */
  encode(value: Sent): JsonText
}

interface IssueBase {
  /** JSON Pointer to the invalid value or the missing field. `''` means the whole value. */
  readonly path: string
  readonly message: string
  readonly description?: string
}

/** Allowed values that an issue lists. The array and its values are frozen. */
export interface Listed<Value> {
  /**
   * At most 50 allowed values in the order of the schema. If the schema allows more than 50 values, the first value of
   * the array is the allowed value that is most similar to the received value.
   */
  readonly allowed: readonly Value[]
  /** Number of allowed values that `allowed` omits. Absent if `allowed` is complete. */
  readonly more?: number
}

/** If the text of a value has more than 200 characters, `received` is the first 200 characters and `…`. The text of an array or object is JSON. */
interface Cut {
  /** Length of the complete value as text, in UTF-16 code units. Absent if the value was not truncated. */
  readonly receivedLength?: number
}

export type JsonKind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

/** One violation of a schema, with details that help to correct the value. */
export type Issue = IssueBase &
  (
    | {
        readonly constraint: 'invalid_json'
        /** Index of the unexpected character in UTF-16 code units. Equal to the length of the text if the text ends too early. */
        readonly position?: number
        /** Line of the unexpected character, from 1. */
        readonly line?: number
        /** Column of the unexpected character in its line, in UTF-16 code units, from 1. */
        readonly column?: number
        /** The unexpected character. Absent if the text ends too early. */
        readonly found?: string
      }
    | {
        readonly constraint: 'missing_field'
        readonly field: string
        /** Description of the expected value, for example `a string` or `one of "a", "b"`. */
        readonly expected?: string
        /** The first 50 allowed values. Absent if the schema lists no allowed values. */
        readonly allowed?: readonly JsonValue[]
        /** Number of allowed values that `allowed` omits. Absent if `allowed` is complete. */
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
        /**
         * Format that the schema requires for a string, for example `date-time`, `decimal integer` or `base64`. Absent
         * if the schema requires no format.
         */
        readonly format?: string
        readonly received: JsonKind
      }
    | (Listed<JsonValue> &
        Cut & {
          readonly constraint: 'invalid_enum_value'
          /** The received value. Long values are truncated. */
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
        /** Names of the first 50 variants, without duplicate names. A name is, for example, `Circle` or `kind: "card"`. */
        readonly variants: readonly string[]
        /** Number of variants that `variants` omits. Absent if `variants` is complete. */
        readonly more?: number
        /** Property whose value distinguishes the variants, with its allowed values. Absent if no property distinguishes the variants. */
        readonly discriminator?: Listed<JsonValue> & { readonly field: string }
        /**
         * At most 10 issues of the variant that matches best. If the variant has more issues, a last issue
         * `more_issues` contains the number of omitted issues.
         */
        readonly nearest?: readonly Issue[]
      }
    | { readonly constraint: 'several_variants_match'; readonly matching: readonly number[] }
    | { readonly constraint: 'not_allowed' }
    | { readonly constraint: 'too_deep'; readonly maximum: number }
    | { readonly constraint: 'not_json'; readonly received: string }
    | { readonly constraint: 'check_failed' }
    | {
        /** Marks the last issue of an array that omits some issues. */
        readonly constraint: 'more_issues'
        /**
         * Number of omitted issues. 10,000 means 10,000 or more. Issues count as one issue if they have the same constraint
         * and path, and differ only in values such as `received`.
         */
        readonly count: number
      }
  )

export type Constraint = Issue['constraint']
