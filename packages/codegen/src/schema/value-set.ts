import { deepEqual } from '@toolgen/runtime/schema'
import { type Json, own, type SchemaObject } from './json-schema.js'
import { typeNames } from './keywords.js'

export interface ValueSet {
  readonly listed: readonly Json[]
  /** Types whose values are all allowed. Never contains `string`, because the property `string` checks strings. */
  readonly types: readonly string[]
  readonly string?: (text: string) => boolean
}

const otherTypes = typeNames.filter((type) => type !== 'string' && type !== 'integer')

export const nothing: ValueSet = { listed: [], types: [] }
export const anything: ValueSet = { listed: [], types: otherTypes, string: () => true }

export function ownValues(schema: SchemaObject): ValueSet {
  const [constant, list, type] = [own(schema, 'const'), own(schema, 'enum'), own(schema, 'type')]
  const types = type === undefined ? undefined : [type].flat()
  const typed: ValueSet =
    types === undefined
      ? anything
      : {
          listed: [],
          types: otherTypes.filter((name) => types.includes(name) || (name === 'number' && types.includes('integer'))),
          ...(types.includes('string') && { string: () => true }),
        }
  const lists = [...(constant === undefined ? [] : [[constant]]), ...(Array.isArray(list) ? [list] : [])]
  const values = lists.map((listed: readonly Json[]) => ({ ...nothing, listed })).reduce<ValueSet>(both, typed)
  return values.string === undefined ? values : { ...values, string: stringRule(schema) }
}

function stringRule(schema: SchemaObject): (text: string) => boolean {
  const [shortest, longest] = [own(schema, 'minLength'), own(schema, 'maxLength')]
  if (own(schema, 'pattern') !== undefined) return () => false
  return (text) => {
    const { length } = [...text]
    return !(typeof shortest === 'number' && length < shortest) && !(typeof longest === 'number' && length > longest)
  }
}

export function allows({ listed, string }: ValueSet, text: string): boolean {
  return listed.includes(text) || string?.(text) === true
}

function has(set: ValueSet, value: Json): boolean {
  if (typeof value === 'string') return allows(set, value)
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return set.types.includes(type) || set.listed.some((other) => deepEqual(other, value))
}

export function either(a: ValueSet, b: ValueSet): ValueSet {
  const [first, second] = [a.string, b.string]
  return {
    listed: [...a.listed, ...b.listed.filter((value) => !a.listed.some((other) => deepEqual(other, value)))],
    types: otherTypes.filter((type) => a.types.includes(type) || b.types.includes(type)),
    ...((first !== undefined || second !== undefined) && {
      string: (text: string) => first?.(text) === true || second?.(text) === true,
    }),
  }
}

export function both(a: ValueSet, b: ValueSet): ValueSet {
  const [first, second] = [a.string, b.string]
  const listed = [...a.listed.filter((value) => has(b, value)), ...b.listed.filter((value) => has(a, value))]
  return {
    listed: listed.filter((value, index) => listed.findIndex((other) => deepEqual(other, value)) === index),
    types: a.types.filter((type) => b.types.includes(type)),
    ...(first !== undefined && second !== undefined && { string: (text: string) => first(text) && second(text) }),
  }
}
