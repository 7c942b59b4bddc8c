/**
 * A schema that cannot be prepared: a malformed keyword, a bad pattern, a reference that leads nowhere, to another
 * document or back to itself. Thrown when a codec is first used; values never cause it.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  /** JSON Pointer of the faulty place in the schema. */
  readonly pointer: string

  constructor(pointer: string, problem: string, options?: ErrorOptions) {
    super(`Schema at ${pointer === '' ? 'its root' : pointer}: ${problem}`, options)
    this.pointer = pointer
  }
}

/** Whether a value is a {@link SchemaError}, also one of another copy of this package. */
export function isSchemaError(value: unknown): value is SchemaError {
  return value instanceof Error && value.name === 'SchemaError'
}
