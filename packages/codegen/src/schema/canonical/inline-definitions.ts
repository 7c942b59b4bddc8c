import { objectFrom, own, without } from '../json/json.js'
import type { Json, Schema, SchemaObject } from '../json/json-schema.js'
import { copyOf, eachSubschema, mapSubschemas, rulesOnly } from '../json/keywords.js'
import { refName } from '../json/pointer.js'
import type { SchemaDocument } from './normalise.js'

/** A made-up definition with more schemas than this, everything written out, stays a definition. */
const largest = 100

/**
 * Puts definitions whose names a converter made up back where they are used, if they are small and do not contain
 * themselves: models read a schema more easily without references.
 */
export function inlineDefinitions(document: SchemaDocument, madeUp: ReadonlySet<string>): SchemaDocument {
  const { defs } = document
  if (madeUp.size === 0) return document
  const sizes = new Map([...defs.keys()].filter((name) => isRecursive(name, defs)).map((name) => [name, 1] as const))
  const candidates = [...madeUp].filter((name) => !sizes.has(name))
  const inlined = new Set(candidates.filter((name) => sizeOf(name, defs, sizes) <= largest))
  const replace = (schema: Schema): Schema => {
    if (typeof schema === 'boolean') return schema
    const inside = mapSubschemas(schema, replace)
    const name = refName(own(inside, '$ref'))
    const target = name === undefined || !inlined.has(name) ? undefined : defs.get(name)
    if (target === undefined) return inside
    const written = copyOf(replace(target))
    const beside = without(inside, ['$ref'])
    const bare = Object.keys(beside).length === 0
    if (typeof written === 'boolean') return bare ? written : { allOf: [written], ...beside }
    // What restricts the value beside the reference restricts it in addition, and must not replace a keyword inside.
    if (!bare && Object.keys(rulesOnly(beside)).length > 0) return withPart(beside, written)
    return objectFrom([
      ...Object.entries(written).filter(([key]) => !Object.hasOwn(beside, key)),
      ...Object.entries(beside),
    ])
  }
  const kept = [...defs].filter(([name]) => !inlined.has(name))
  return { root: replace(document.root), defs: new Map(kept.map(([name, schema]) => [name, replace(schema)])) }
}

function withPart(schema: SchemaObject, part: SchemaObject): SchemaObject {
  const parts = own(schema, 'allOf')
  return objectFrom<Json>([
    ['allOf', [part, ...(Array.isArray(parts) ? parts : [])]],
    ...Object.entries(schema).filter(([key]) => key !== 'allOf'),
  ])
}

function isRecursive(name: string, defs: ReadonlyMap<string, Schema>): boolean {
  const pending = [name]
  const seen = new Set<string>()
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const target of targetsIn(defs.get(next) ?? true)) {
      if (target === name) return true
      if (!seen.has(target)) pending.push(target)
      seen.add(target)
    }
  }
  return false
}

/** The definitions to which a schema refers, in order, repeated as often as it does. */
export function targetsIn(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const name = refName(own(schema, '$ref'))
  const targets = name === undefined ? [] : [name]
  eachSubschema(schema, (subschema) => targets.push(...targetsIn(subschema)))
  return targets
}

/**
 * How many schemas a definition has when the references in it are written out.
 *
 * @param sizes what is known already; definitions that contain themselves must be among them
 */
function sizeOf(name: string, defs: ReadonlyMap<string, Schema>, sizes: Map<string, number>): number {
  const known = sizes.get(name)
  if (known !== undefined) return known
  const schema = defs.get(name) ?? true
  const inside = targetsIn(schema).reduce((total, target) => total + sizeOf(target, defs, sizes), 0)
  const size = inside + countSchemas(schema)
  sizes.set(name, size)
  return size
}

function countSchemas(schema: Schema): number {
  let count = 1
  if (typeof schema !== 'boolean') {
    eachSubschema(schema, (subschema) => {
      count += countSchemas(subschema)
    })
  }
  return count
}
