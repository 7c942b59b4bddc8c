import { type Issue, type PreparedSchema, prepareSchema, SchemaError } from '@toolgen/runtime/schema'
import { closedSchema } from './definitions.js'
import type { Json, Schema } from './json-schema.js'

/** One violation of a schema; the message has no full stop. */
export type ValueIssue = Pick<Issue, 'path' | 'message'> & { readonly issue?: Issue }

/** Returns the issues of a value. */
export type ValidateValue = (schema: Schema, value: Json) => readonly ValueIssue[]

/**
 * Creates a validator of values against schemas over the same definitions.
 *
 * @param unknown `reject`: undeclared fields are issues, as in payloads; `keep`: they are allowed, as in JSON Schema
 */
export function valueValidator(defs: Readonly<Record<string, Schema>>, unknown: 'reject' | 'keep'): ValidateValue {
  const prepared = new Map<Schema, PreparedSchema>()
  return (schema, value) => {
    try {
      const known = prepared.get(schema) ?? prepareSchema(closedSchema(schema, defs), { unknown })
      prepared.set(schema, known)
      return known.validate(value).map((issue) => ({
        path: issue.path,
        message: issue.message.replace(/\.$/, ''),
        issue,
      }))
    } catch (error) {
      // A pattern with very large counts: no codec can validate the value either.
      if (error instanceof SchemaError) return [{ path: '', message: error.message.replace(/\.$/, '') }]
      throw error
    }
  }
}

/** Writes an issue with its path. */
export function issueText({ path, message }: ValueIssue): string {
  return path === '' ? message : `${path}: ${message}`
}
