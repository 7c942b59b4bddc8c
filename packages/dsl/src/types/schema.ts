import type { Json } from '../values.js'

/** A schema that tells its types, as Standard Schema asks for: `~standard.types`. */
interface TypedSchema {
  readonly '~standard': { readonly types?: { readonly input: unknown; readonly output: unknown } | undefined }
}

/**
 * The type that a schema accepts. Known for every library that follows Standard Schema; `Json` for a plain JSON Schema
 * value.
 *
 * @example
 * type Sent = InputOf<typeof orderSchema>
 */
export type InputOf<Schema> = Schema extends TypedSchema ? NonNullable<Schema['~standard']['types']>['input'] : Json

/**
 * The type that a schema yields: its defaults are filled. Known for every library that follows Standard Schema; `Json`
 * for a plain JSON Schema value.
 *
 * @example
 * type Seen = OutputOf<typeof orderSchema>
 */
export type OutputOf<Schema> = Schema extends TypedSchema ? NonNullable<Schema['~standard']['types']>['output'] : Json

/**
 * The names of a schema's direct fields: those of an object root, or those that every variant of a union root has.
 * `string` where a schema does not show them, e.g. a JSON Schema behind a `$ref`.
 *
 * @example
 * type Field = FieldsOf<typeof orderSchema> // 'orderId' | 'sessionId'
 */
export type FieldsOf<Schema> = Schema extends { readonly '~standard': unknown }
  ? // An object schema's `shape` gives the names without computing the type of every field.
    Schema extends { readonly shape: infer Shape extends object }
    ? keyof Shape & string
    : TypeFields<InputOf<Schema>>
  : JsonSchemaFields<Schema>

type TypeFields<Input> = unknown extends Input ? string : DeclaredFields<Extract<Input, object>>

// The mapped type distributes over the variants of a union, and `keyof` of a union keeps the names that all have.
type DeclaredFields<T> = [T] extends [never] ? never : keyof WithoutIndex<T> & string

type WithoutIndex<T> = {
  [Field in keyof T as string extends Field ? never : number extends Field ? never : Field]: unknown
}

type JsonSchemaFields<Schema> = Schema extends { readonly allOf: unknown } | { readonly $ref: unknown }
  ? string
  : Schema extends { readonly properties: infer Properties }
    ? keyof Properties & string
    : Schema extends { readonly oneOf: readonly (infer Variant)[] } | { readonly anyOf: readonly (infer Variant)[] }
      ? keyof VariantFields<Variant> & string
      : string

type VariantFields<Variant> = Variant extends unknown ? Record<JsonSchemaFields<Variant>, unknown> : never
