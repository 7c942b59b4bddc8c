import type { SchemaObject } from '../../schema/json/json-schema.js'
import { numbersOf } from '../inclusion/flatten.js'

const common: readonly number[] = [0, 1, 2, -1, 0.5, 1.5, 1e21, -1e21]

/** Numbers on both sides of every bound that schemas set, and multiples of their steps. */
export function nearNumbers(plain: readonly SchemaObject[]): readonly number[] {
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].flatMap((keyword) =>
    numbersOf(plain, keyword),
  )
  const steps = numbersOf(plain, 'multipleOf')
  const beside = bounds.flatMap((bound) => [bound, bound + 1, bound - 1, bound + 0.5, bound - 0.5])
  const middles = bounds.flatMap((low) => bounds.filter((high) => high > low).map((high) => (low + high) / 2))
  const multiples = steps.flatMap((step) => [
    ...[1, 2, 3, -1].map((times) => times * step),
    // Of several steps at once, and of none but one.
    ...steps.flatMap((other) => [step * other, step * (other + 1)]),
    ...bounds.flatMap((bound) => [-1, 0, 1].map((more) => (Math.round(bound / step) + more) * step)),
  ])
  const all = [...bounds, ...steps, ...common, ...beside, ...multiples, ...middles]
  return [...new Set([...all, ...middles.map(Math.round)])].filter(Number.isFinite)
}
