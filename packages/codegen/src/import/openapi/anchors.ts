import { isObject, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import type { PartKeys } from './read-document.js'

/** Of the documents in which a reference names an anchor: few have any. */
const known = new WeakMap<SchemaObject, ReadonlyMap<string, PartKeys>>()

/** Objects whose keys are names that people chose. */
const dictionaries: readonly unknown[] = ['properties', 'patternProperties', '$defs', 'schemas']
/** Values in which nothing is a schema. */
const literals: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'example', 'examples'])

/** The keys of the schemas of a document that have an `$anchor`, by its name. A name that several have leads nowhere. */
export function anchorsOf(root: SchemaObject): ReadonlyMap<string, PartKeys> {
  const found = known.get(root) ?? new Map(readAnchors(root))
  known.set(root, found)
  return found
}

function readAnchors(root: SchemaObject): readonly (readonly [string, PartKeys])[] {
  const found = new Map<string, PartKeys[]>()
  const visit = (value: Json, keys: PartKeys): void => {
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, [...keys, index])
    }
    if (!isObject(value)) return
    const name = own(value, '$anchor')
    if (typeof name === 'string') found.set(name, [...(found.get(name) ?? []), keys])
    const isNamed = dictionaries.includes(keys.at(-1))
    for (const [key, part] of Object.entries(value)) {
      if (isNamed || (!literals.has(key) && !key.startsWith('x-'))) visit(part, [...keys, key])
    }
  }
  visit(root, [])
  return [...found].flatMap(([name, [keys, ...others]]) =>
    keys === undefined || others.length > 0 ? [] : [[name, keys]],
  )
}
