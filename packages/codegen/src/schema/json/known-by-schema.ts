import type { Schema, SchemaObject } from './json-schema.js'

/** Definitions by name. */
type Defs = Readonly<Record<string, Schema>>

/**
 * A function of a schema over definitions that remembers what it gave: types and the makers of checks, writers and
 * pickers ask the same of the same schemas, and of what they lead to, again and again. Schemas never change.
 */
export function knownBySchema<T>(
  read: (schema: SchemaObject, defs: Defs) => T,
): (schema: SchemaObject, defs: Defs) => T {
  const byDefs = new WeakMap<Defs, WeakMap<SchemaObject, { readonly value: T }>>()
  return (schema, defs) => {
    const known = byDefs.get(defs) ?? new WeakMap<SchemaObject, { readonly value: T }>()
    const given = known.get(schema) ?? { value: read(schema, defs) }
    byDefs.set(defs, known.set(schema, given))
    return given.value
  }
}
