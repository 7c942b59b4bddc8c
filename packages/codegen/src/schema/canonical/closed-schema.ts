import type { Schema } from '../json/json-schema.js'
import { definitionsUsed } from './definitions-used.js'

/** A schema together with the definitions that it needs, under `$defs`. */
export function closedSchema(schema: Schema, defs: Readonly<Record<string, Schema>>): Schema {
  const used = definitionsUsed(schema, defs)
  if (used.length === 0 || typeof schema === 'boolean') return schema
  return { ...schema, $defs: Object.fromEntries(used.map((name) => [name, defs[name] ?? true])) }
}
