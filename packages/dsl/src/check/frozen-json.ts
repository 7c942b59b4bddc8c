import type { Json } from '../values.js'
import { fault, isPlain, kindOf, quoted } from './fault.js'

const deepest = 1_000

/** Values that JSON can carry, with typed values among them. */
type Plain<Typed> =
  | string
  | number
  | boolean
  | null
  | Typed
  | readonly Plain<Typed>[]
  | { readonly [key: string]: Plain<Typed> }

/** Values that travel as text and have a type in code. */
type Typed = Date | bigint | Uint8Array

/** What copying a value needs besides the value. */
interface Copying<Typed> {
  /** A copy of a typed value; `undefined` for every value that is none. */
  readonly typed: (value: unknown) => Typed | undefined
  /** What may be written. */
  readonly allowed: string
  /** Finished copies, and `undefined` for the values that are being copied. */
  readonly copies: Map<object, Plain<Typed> | undefined>
}

/**
 * A deeply frozen copy of a JSON value; the caller's own value stays as it is. A property that is `undefined` counts as
 * absent. Throws for what JSON cannot carry.
 */
export function frozenJson(value: unknown, where: string): Json {
  return copy<never>(value, where, 0, { typed: () => undefined, allowed: 'plain objects', copies: new Map() })
}

/**
 * A deeply frozen copy of an example, which may hold dates, bigints and bytes too. Of those dates and bytes the engine
 * can freeze none, so that they are copies that only the definition has.
 */
export function frozenExample(value: unknown, where: string): Plain<Typed> {
  return copy(value, where, 0, {
    typed: copyTyped,
    allowed: 'plain objects; dates, bigints and bytes (Uint8Array) where the schema has them',
    copies: new Map(),
  })
}

function copyTyped(value: unknown): Typed | undefined {
  if (typeof value === 'bigint') return value
  if (value instanceof Date) return new Date(value)
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined
}

function copy<Typed>(value: unknown, where: string, depth: number, copying: Copying<Typed>): Plain<Typed> {
  const { copies } = copying
  const typed = copying.typed(value)
  if (typed !== undefined) return typed
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw fault(where, `is ${value}`, 'JSON has finite numbers only')
  }
  if (!Array.isArray(value) && !isPlain(value)) {
    const next = `Write it as JSON: text, numbers, booleans, null, lists and ${copying.allowed}`
    throw fault(where, `is ${kindOf(value)}`, next)
  }
  if (copies.has(value)) {
    const finished = copies.get(value)
    if (finished === undefined) throw fault(where, 'contains itself', 'JSON has no cycles')
    return finished
  }
  if (depth === deepest) throw fault(where, `is nested deeper than ${deepest} levels`, 'Use a flatter value')
  copies.set(value, undefined)
  const frozen = Object.freeze(
    Array.isArray(value)
      ? Array.from(value, (item: unknown, index) => copy(item, `${where}[${index}]`, depth + 1, copying))
      : copyFields(value, where, depth, copying),
  )
  copies.set(value, frozen)
  return frozen
}

function copyFields<Typed>(
  value: object,
  where: string,
  depth: number,
  copying: Copying<Typed>,
): Record<string, Plain<Typed>> {
  const fields: [string, Plain<Typed>][] = []
  for (const name of Object.keys(value)) {
    const item: unknown = Reflect.get(value, name)
    if (item !== undefined) fields.push([name, copy(item, `${where}[${quoted(name)}]`, depth + 1, copying)])
  }
  // Defines own properties, also for a name such as `__proto__`.
  return Object.fromEntries(fields)
}
