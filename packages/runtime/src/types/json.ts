/** A value that JSON can represent. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object. Properties keep their order of insertion. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/**
 * JSON text. Text that toolgen writes is canonical: the text has no white space, and declared properties are in the
 * order of the schema. Undeclared properties follow in their order of insertion. Text from a model may be malformed.
 */
export type JsonText = string

/** A JSON Schema (2020-12) as plain data. `true` accepts every value, `false` accepts no value. */
export type JsonSchema = boolean | JsonSchemaObject

export interface JsonSchemaObject {
  readonly [keyword: string]: unknown
}

/** Frequently executed code uses this type to assign optional properties one by one, because assignments are ten times faster than a spread. */
export type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] }

/**
 * Part of the Standard Schema interface (version 1) that the runtime uses. Schemas of zod, valibot and other libraries
 * implement this interface.
 */
export interface StandardCheck {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    /** Validates a value. Returns the validated value, or the issues. */
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
