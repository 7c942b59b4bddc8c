import { eachSubschema, mapSubschemas } from '@toolgen/runtime/schema'
import {
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
  schemaError,
  without,
} from './json-schema.js'
import { copyOf, rulesOnly } from './keywords.js'
import { refName } from './references.js'

/** A schema in canonical form with the definitions to which it refers. */
export interface SchemaDocument {
  readonly root: Schema
  /** By name; a reference is always `#/$defs/NAME`. In the order in which they are met. */
  readonly defs: ReadonlyMap<string, Schema>
}

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
    // Keywords next to the reference restrict the value in addition: they must not replace a keyword inside.
    if (!bare && Object.keys(rulesOnly(beside)).length > 0) return withPart(beside, written)
    return objectFrom([
      ...Object.entries(written).filter(([key]) => !Object.hasOwn(beside, key)),
      ...Object.entries(beside),
    ])
  }
  const remaining = [...defs].filter(([name]) => !inlined.has(name))
  return { root: replace(document.root), defs: new Map(remaining.map(([name, schema]) => [name, replace(schema)])) }
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
 * Returns the number of schemas of a definition whose references are written out.
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

/**
 * Values in which more definitions than these stand within each other are refused: whatever walks over them runs out of
 * stack.
 */
const maxDefinitionDepth = 1000

/**
 * Definitions that are reached over too many others, each from the one before: a diagnostic for each at which that
 * begins.
 *
 * @param keysOf the keys that lead to a definition in the source
 */
export function definitionDepth(
  { root, defs }: SchemaDocument,
  keysOf: (name: string) => readonly string[],
): readonly SchemaDiagnostic[] {
  // Most schemas have fewer in all.
  if (defs.size <= maxDefinitionDepth) return []
  const met = new Set<string>()
  let level: readonly Schema[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    const names = new Set(level.flatMap((schema) => [...targetsIn(schema)]).filter((name) => !met.has(name)))
    if (depth > maxDefinitionDepth) return [...names].map((name) => definitionTooDeep(name, keysOf(name)))
    for (const name of names) met.add(name)
    level = [...names].map((name) => defs.get(name) ?? true)
  }
  return []
}

function definitionTooDeep(name: string, trail: readonly string[]): SchemaDiagnostic {
  return schemaError(
    'TG3014',
    `The definition \`${name}\` stands within more than ${maxDefinitionDepth} others.`,
    'Leave it out, or let it be any JSON: values that deep nobody sends.',
    trail,
  )
}
