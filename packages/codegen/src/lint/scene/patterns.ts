import { isObject, own } from '../../schema/json/json.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { eachSubschema } from '../../schema/json/keywords.js'
import { refName } from '../../schema/json/pointer.js'

/** A pattern of a schema, and the names of the fields that lead to it. */
export interface PlacedPattern {
  readonly pattern: string
  readonly names: readonly string[]
}

/** Every pattern of a schema and of what it refers to, for texts and for the names of fields; definitions once. */
export function patternsOf(root: Schema, defs: Readonly<Record<string, Schema>>): readonly PlacedPattern[] {
  const found: PlacedPattern[] = []
  const met = new Set<string>()
  const walk = (schema: Schema, names: readonly string[]): void => {
    if (!isObject(schema)) return
    const [pattern, keyed] = [own(schema, 'pattern'), own(schema, 'patternProperties')]
    if (typeof pattern === 'string') found.push({ pattern, names })
    for (const key of isObject(keyed) ? Object.keys(keyed) : []) found.push({ pattern: key, names })
    eachSubschema(schema, (inner, [keyword, key]) =>
      walk(inner, keyword === 'properties' && key !== undefined ? [...names, key] : names),
    )
    const name = refName(own(schema, '$ref'))
    if (name === undefined || met.has(name)) return
    met.add(name)
    walk(own(defs, name) ?? true, names)
  }
  walk(root, [])
  return found
}
