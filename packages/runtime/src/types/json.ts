/** A value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object; the order of its keys is the order of insertion. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/**
 * JSON as text. Text that toolgen writes is canonical: compact, declared fields in declared order, then the others in
 * order of insertion. Text that comes from a model may be anything, also malformed.
 */
export type JsonText = string

/** A JSON Schema (2020-12) object as plain data; `true` and `false` are the schemas that accept all and nothing. */
export type JsonSchema = boolean | JsonSchemaObject

/** The object form of a {@link JsonSchema}. */
export interface JsonSchemaObject {
  readonly [keyword: string]: unknown
}

/**
 * An object that its maker still fills: optional fields are set one by one where they are present. On the path of every
 * call that is ten times cheaper than a spread for each of them.
 */
export type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] }

/** The part of a Standard Schema (version 1) that a check needs: any schema library's validator fits. */
export interface StandardCheck {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    /** Validates a value. */
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>
  }
}

type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
      }[]
    }
