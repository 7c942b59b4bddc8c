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

export interface SchemaDocument {
  readonly root: Schema
  /** In the order of their first references. References always have the form `#/$defs/NAME`. */
  readonly defs: ReadonlyMap<string, Schema>
}

/** Maximum number of subschemas of an inlined definition, including the definitions that are inlined in this definition. */
const largest = 100

/** Models read schemas without references better. Keeps the definitions outside of `madeUp`, because their names are from the author of a schema. */
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
    // Keywords next to the reference are additional restrictions: they must not replace keywords of the definition.
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

export function targetsIn(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const name = refName(own(schema, '$ref'))
  const targets = name === undefined ? [] : [name]
  eachSubschema(schema, (subschema) => targets.push(...targetsIn(subschema)))
  return targets
}

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

/** For deeper schemas, recursive functions would exceed the call stack. */
const maxDefinitionDepth = 1000

export function definitionDepth(
  { root, defs }: SchemaDocument,
  keysOf: (name: string) => readonly string[],
): readonly SchemaDiagnostic[] {
  // Fast path: with fewer definitions, the limit cannot be exceeded.
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
    `The definition \`${name}\` is nested within more than ${maxDefinitionDepth} other definitions.`,
    'Remove the definition, or replace it by a schema for any JSON value: such deep values do not occur.',
    trail,
  )
}
