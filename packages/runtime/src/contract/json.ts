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
