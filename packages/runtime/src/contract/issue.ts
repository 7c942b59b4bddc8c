import type { JsonValue } from './json.js'

/** Facts that every issue carries. */
interface IssueBase {
  /** JSON Pointer into the decoded value; `''` is the root. */
  readonly path: string
  /** One sentence for a person, in plain words, without a path. */
  readonly message: string
  /** What the schema's author says about the field. */
  readonly description?: string
}

/** The kinds of JSON values, as named in issues. */
export type JsonKind = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

/** One fault of a value, with the facts that are needed to repair it. */
export type Issue = IssueBase &
  (
    | {
        readonly constraint: 'invalid_json'
        /** Index of the faulty UTF-16 code unit; the length of the text where it ends too early. */
        readonly position?: number
      }
    | {
        readonly constraint: 'missing_field'
        readonly field: string
        /** What the field must hold, in words: `a string`, `one of "a", "b"`. */
        readonly expected?: string
      }
    | {
        readonly constraint: 'unknown_field'
        readonly field: string
        readonly allowed: readonly string[]
        readonly nearest?: string
      }
    | { readonly constraint: 'server_owned_field'; readonly field: string }
    | { readonly constraint: 'invalid_type'; readonly expected: readonly JsonKind[]; readonly received: JsonKind }
    | {
        readonly constraint: 'invalid_enum_value'
        readonly allowed: readonly JsonValue[]
        readonly received: JsonValue
        readonly nearest?: JsonValue
      }
    | { readonly constraint: 'invalid_format'; readonly format: string; readonly received: string }
    | { readonly constraint: 'invalid_pattern'; readonly pattern: string; readonly received: string }
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
        /** What is counted: code points of a string, items of an array, keys of an object. */
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
        /** The variants by name or kind. */
        readonly variants: readonly string[]
        /** The discriminating field and its allowed values, where the union has one. */
        readonly discriminator?: { readonly field: string; readonly allowed: readonly JsonValue[] }
        /** The issues of the variant that came nearest. */
        readonly nearest?: readonly Issue[]
      }
    | { readonly constraint: 'several_variants_match'; readonly matching: readonly number[] }
    | { readonly constraint: 'not_allowed' }
    | { readonly constraint: 'too_deep'; readonly maximum: number }
    | { readonly constraint: 'not_json'; readonly received: string }
    | { readonly constraint: 'check_failed' }
  )

/** The name of a broken constraint. */
export type Constraint = Issue['constraint']
