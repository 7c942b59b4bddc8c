import type { Json } from '../values.js'
import { fault, isPlain, kindOf, quoted } from './fault.js'

const deepest = 1_000

/**
 * A deeply frozen copy of a JSON value; the caller's own value stays as it is. A property that is `undefined` counts as
 * absent. Throws for what JSON cannot carry.
 */
export function frozenJson(value: unknown, where: string): Json {
  return copy(value, where, 0, new Map())
}

/** `copies` holds finished copies, and `undefined` for the values that are being copied. */
function copy(value: unknown, where: string, depth: number, copies: Map<object, Json | undefined>): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw fault(where, `is ${value}`, 'JSON has finite numbers only')
  }
  if (!Array.isArray(value) && !isPlain(value)) {
    throw fault(
      where,
      `is ${kindOf(value)}`,
      'Write it as JSON: text, numbers, booleans, null, lists and plain objects',
    )
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
      ? Array.from(value, (item: unknown, index) => copy(item, `${where}[${index}]`, depth + 1, copies))
      : copyFields(value, where, depth, copies),
  )
  copies.set(value, frozen)
  return frozen
}

function copyFields(
  value: object,
  where: string,
  depth: number,
  copies: Map<object, Json | undefined>,
): Record<string, Json> {
  const fields: [string, Json][] = []
  for (const name of Object.keys(value)) {
    const item: unknown = Reflect.get(value, name)
    if (item !== undefined) fields.push([name, copy(item, `${where}[${quoted(name)}]`, depth + 1, copies)])
  }
  // Defines own properties, also for a name such as `__proto__`.
  return Object.fromEntries(fields)
}
