import type { JsonKind } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { equalityKey } from './json-values.js'

/** Values that can match a schema. */
export interface Admitted {
  /** Their kinds; `undefined`: any. */
  readonly kinds: readonly JsonKind[] | undefined
  /** The values themselves; `undefined`: not a finite list. */
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

/** Returns what both admit. Of lists of literals that have none in common the first one stays, for issues to name. */
export function both(a: Admitted, b: Admitted): Admitted {
  const kinds = narrowed(a.kinds, b.kinds)
  if (a.literals === undefined || b.literals === undefined) return { kinds, literals: a.literals ?? b.literals }
  const keys = new Set(b.literals.map(equalityKey))
  const common = a.literals.filter((literal) => keys.has(equalityKey(literal)))
  return { kinds, literals: common.length > 0 ? common : a.literals }
}

/** Returns the kinds that both lists admit; `undefined` stands for any. */
export function narrowed<Kind>(
  a: readonly Kind[] | undefined,
  b: readonly Kind[] | undefined,
): readonly Kind[] | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return [...new Set([...a.filter((kind) => covers(b, kind)), ...b.filter((kind) => covers(a, kind))])]
}

/** A whole number is a number: of the two the narrower word stays. */
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
