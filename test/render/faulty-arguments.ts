import { isFields, kindOf } from '../../packages/runtime/src/schema/json-values.js'
import type { JsonSchema } from '../../packages/runtime/src/types/json.js'

type Fields = Readonly<Record<string, unknown>>

/** A fault of a model in one top-level field. */
export interface Fault {
  readonly kind: 'missing' | 'wrong type' | 'bad enum' | 'unknown'
  readonly field: string
  /** Value in place of the valid one. `undefined` omits the field. */
  readonly value: unknown
}

/** Returns all faults that are possible in the top-level fields. */
export function possibleFaults(schema: JsonSchema): readonly Fault[] {
  if (!isFields(schema)) return []
  const properties = isFields(schema.properties) ? schema.properties : {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  const known = Object.entries(properties).flatMap(([field, rules]): Fault[] => [
    ...(required.has(field) ? [{ kind: 'missing', field, value: undefined } as const] : []),
    ...faultsOf(field, isFields(rules) ? rules : {}),
  ])
  return [
    ...known,
    ...['extra_information', 'verboze', 'q9'].map((field) => ({ kind: 'unknown', field, value: true }) as const),
  ]
}

function faultsOf(field: string, rules: Fields): Fault[] {
  const faults: Fault[] = []
  if (Array.isArray(rules.enum)) faults.push({ kind: 'bad enum', field, value: 'none_of_these' })
  const wrong = [[], 'text', {}].find((value) => {
    const types: readonly unknown[] = Array.isArray(rules.type) ? rules.type : [rules.type]
    return typeof types[0] === 'string' && !types.includes(kindOf(value))
  })
  if (wrong !== undefined) faults.push({ kind: 'wrong type', field, value: wrong })
  return faults
}

/** Adds faults to valid arguments, each in another field. */
export function withFaults(valid: Fields, faults: readonly Fault[]): Fields {
  const entries = new Map(Object.entries(valid))
  for (const { field, value } of faults) {
    if (value === undefined) entries.delete(field)
    else entries.set(field, value)
  }
  return Object.fromEntries(entries)
}
