import { deepEqual } from '@toolgen/runtime/schema'
import { isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { conjunctsOf, type Defs, subschemas } from './conjuncts.js'

/** A kind of JSON values. */
export type Kind = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object'

/** All kinds; a whole number is a number. */
export const allKinds: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object']

/** The kinds that schemas which all apply allow, by `type`, `const` and `enum`; `undefined`: none of them says. */
export function kindsOf(conjuncts: readonly SchemaObject[]): readonly Kind[] | undefined {
  let kinds: readonly Kind[] | undefined
  for (const conjunct of conjuncts) {
    const named = typeNames(conjunct)
    if (named !== undefined) kinds = kinds === undefined ? named : narrowed(kinds, named)
  }
  const values = literalsOf(conjuncts)
  if (values === undefined) return kinds
  return [...new Set(values.map(kindOf))]
}

/** The values that schemas which all apply allow, where they list them. */
export function literalsOf(conjuncts: readonly SchemaObject[]): readonly Json[] | undefined {
  let values: readonly Json[] | undefined
  for (const conjunct of conjuncts) {
    for (const listed of listsOf(conjunct)) {
      values = values === undefined ? listed : values.filter((value) => listed.some((other) => deepEqual(other, value)))
    }
  }
  return values?.filter((value) => conjuncts.every((conjunct) => typeNames(conjunct)?.some(hasKind(value)) ?? true))
}

/** Unions within unions are looked through so far. */
const deepestUnion = 5

/**
 * The kinds of which a schema's values can be, also by way of unions; `undefined`: any.
 *
 * @param within the schemas that led here
 */
export function reachableKinds(
  schema: Schema,
  defs: Defs,
  within: readonly Schema[] = [],
): readonly Kind[] | undefined {
  if (within.length > deepestUnion || within.includes(schema)) return undefined
  const conjuncts = conjunctsOf(schema, defs)
  if (conjuncts === false) return []
  let kinds = kindsOf(conjuncts)
  for (const union of conjuncts.flatMap((conjunct) => [subschemas(conjunct, 'anyOf'), subschemas(conjunct, 'oneOf')])) {
    if (union.length === 0) continue
    const lists = union.map((variant) => reachableKinds(variant, defs, [...within, schema]))
    if (lists.includes(undefined)) continue
    const reachable = [...new Set(lists.flatMap((list) => list ?? []))]
    kinds = kinds === undefined ? reachable : narrowed(kinds, reachable)
  }
  return kinds
}

/** Whether two lists of kinds have a value in common. */
export function overlap(a: readonly Kind[], b: readonly Kind[]): boolean {
  return a.some((kind) => b.some((other) => plain(kind) === plain(other)))
}

/** The kind of a JSON value. */
export function kindOf(value: Json): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  return typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'boolean'
}

function hasKind(value: Json): (kind: Kind) => boolean {
  const own = kindOf(value)
  return (kind) => kind === own || (kind === 'integer' && Number.isInteger(value))
}

function listsOf(schema: SchemaObject): readonly (readonly Json[])[] {
  const listed = own(schema, 'enum')
  const only = own(schema, 'const')
  return [...(Array.isArray(listed) ? [listed] : []), ...(only === undefined ? [] : [[only]])]
}

function typeNames(schema: SchemaObject): readonly Kind[] | undefined {
  const type = own(schema, 'type')
  if (type === undefined) return undefined
  const names: readonly Json[] = Array.isArray(type) ? type : [type]
  const kinds = names.filter((name): name is Kind => name === 'integer' || allKinds.some((kind) => kind === name))
  return kinds.includes('number') ? kinds.filter((kind) => kind !== 'integer') : kinds
}

function narrowed(a: readonly Kind[], b: readonly Kind[]): readonly Kind[] {
  const both = [...a.filter((kind) => covers(b, kind)), ...b.filter((kind) => covers(a, kind))]
  return [...new Set(both)]
}

function covers(kinds: readonly Kind[], kind: Kind): boolean {
  return kinds.includes(kind) || (kind === 'integer' && kinds.includes('number'))
}

function plain(kind: Kind): Kind {
  return kind === 'integer' ? 'number' : kind
}
