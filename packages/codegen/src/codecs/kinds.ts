import { deepEqual } from '@toolgen/runtime/schema'
import { isObject, type Json, own, type SchemaObject } from '../schema/json-schema.js'

export type Kind = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object'

export const allKinds: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object']

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

export function literalsOf(conjuncts: readonly SchemaObject[]): readonly Json[] | undefined {
  let values: readonly Json[] | undefined
  for (const conjunct of conjuncts) {
    for (const listed of listsOf(conjunct)) {
      values = values === undefined ? listed : values.filter((value) => listed.some((other) => deepEqual(other, value)))
    }
  }
  return values?.filter((value) => conjuncts.every((conjunct) => typeNames(conjunct)?.some(hasKind(value)) ?? true))
}

function kindOf(value: Json): Kind {
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
