import { type Converted, schemaError } from '../json-schema.js'
import type { LibrarySchema } from './library.js'
import { readPlainSchema } from './plain.js'

const mark = Symbol.for('vercel.ai.schema')

export function isAiSdkSchema(value: unknown): value is { readonly jsonSchema: unknown } {
  return typeof value === 'object' && value !== null && Reflect.get(value, mark) === true && 'jsonSchema' in value
}

/** A `validate` function counts as a check that JSON Schema cannot express. */
export function fromAiSdk(value: {
  readonly jsonSchema: unknown
  readonly validate?: unknown
}): Converted<LibrarySchema> {
  const { jsonSchema, validate } = value
  if (jsonSchema instanceof Promise) {
    const message = 'This schema of the AI SDK has a promise as its JSON Schema.'
    return { diagnostics: [schemaError('TG3001', message, 'Use a Zod schema or a plain JSON Schema.', [])] }
  }
  const { value: schema, diagnostics } = readPlainSchema(jsonSchema as object)
  const refinements = validate === undefined ? [] : [[]]
  return schema === undefined ? { diagnostics } : { value: { schema, refinements }, diagnostics }
}
