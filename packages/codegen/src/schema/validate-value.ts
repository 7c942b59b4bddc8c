import {
  eachSubschema,
  type Issue,
  type PreparedSchema,
  pointerOf,
  prepareSchema,
  SchemaError,
} from '@toolgen/runtime/schema'
import { closedSchema } from './definitions.js'
import { atPointer, type Json, own, type Schema } from './json-schema.js'

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

/** A default inside a schema that does not fit its own schema. The message has no full stop. */
interface MisfittingDefault {
  /** Path to the default. */
  readonly keys: readonly string[]
  readonly message: string
}

/** Finds the defaults that do not fit their schemas: a default replaces a value that nobody sent, so it must be valid. */
export function misfittingDefaults(schema: Schema, validate: ValidateValue): readonly MisfittingDefault[] {
  const found: MisfittingDefault[] = []
  const visit = (inner: Schema, keys: readonly string[]): void => {
    if (typeof inner === 'boolean') return
    const value = own(inner, 'default')
    const [issue] = value === undefined ? [] : validate(inner, value)
    if (issue !== undefined) {
      const message = `default ${atPointer(pointerOf(keys))} does not fit its own schema: ${issueText(issue)}`
      found.push({ keys: [...keys, 'default'], message })
    }
    eachSubschema(inner, (subschema, more) => visit(subschema, [...keys, ...more]))
  }
  visit(schema, [])
  return found
}
