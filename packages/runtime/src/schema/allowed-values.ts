import type { JsonKind } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { equalityKey } from './json-values.js'

export interface AllowedValues {
  /** Allowed JSON kinds, such as `string`. `undefined` if every kind is allowed. */
  readonly kinds: readonly JsonKind[] | undefined
  readonly literals: readonly JsonValue[] | undefined
}

export function haveNothingInCommon(a: readonly JsonValue[] | undefined, b: readonly JsonValue[] | undefined): boolean {
  if (a === undefined || b === undefined) return false
  const keys = new Set(b.map(equalityKey))
  return !a.some((value) => keys.has(equalityKey(value)))
}

export function numeric(kind: JsonKind): JsonKind {
  return kind === 'integer' ? 'number' : kind
}

export function isOnlyNull(kinds: readonly JsonKind[] | undefined): boolean {
  return kinds !== undefined && kinds.length > 0 && kinds.every((kind) => kind === 'null')
}

/**
 * Returns the values that both `a` and `b` allow. If their lists have no common value, the result lists the values of `a`, because messages name the
 * listed values, and an empty list would name none.
 */
export function both(a: AllowedValues, b: AllowedValues): AllowedValues {
  const kinds = narrowed(a.kinds, b.kinds)
  if (a.literals === undefined || b.literals === undefined) return { kinds, literals: a.literals ?? b.literals }
  const keys = new Set(b.literals.map(equalityKey))
  const common = a.literals.filter((literal) => keys.has(equalityKey(literal)))
  return { kinds, literals: common.length > 0 ? common : a.literals }
}

export function narrowed<Kind>(
  a: readonly Kind[] | undefined,
  b: readonly Kind[] | undefined,
): readonly Kind[] | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return [...new Set([...a.filter((kind) => covers(b, kind)), ...b.filter((kind) => covers(a, kind))])]
}

function covers(kinds: readonly unknown[], kind: unknown): boolean {
  return kinds.includes(kind) || (kind === 'integer' && kinds.includes('number'))
}

export function union<Item>(lists: readonly (readonly Item[] | undefined)[]): readonly Item[] | undefined {
  const all = new Set<Item>()
  for (const list of lists) {
    if (list === undefined) return undefined
    for (const item of list) all.add(item)
  }
  return [...all]
}
