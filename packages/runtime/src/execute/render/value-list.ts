import { nearestNames } from '../../codec/issues/nearest.js'
import type { JsonValue } from '../../contract/json.js'
import { shorten } from './shorten.js'

/** How much of long lists and long values is shown. */
export interface Detail {
  /** How many values of a list. */
  readonly values: number
  /** How many characters of one value. */
  readonly valueLength: number
  /** Whether the schema's description of a missing field is shown. */
  readonly descriptions: boolean
}

/** A value as JSON, cut where it is long. */
export function valueText(value: JsonValue, detail: Detail): string {
  return shorten(JSON.stringify(value), detail.valueLength)
}

/** The values nearest to what was received, then the others in their order: `"a", "b" and 38 more`. */
export function valueList(values: readonly JsonValue[], received: JsonValue | undefined, detail: Detail): string {
  const texts = values.filter((value) => typeof value === 'string')
  const near = typeof received === 'string' ? nearestNames(received, texts, detail.values) : []
  const shown = [...new Set<JsonValue>([...near, ...values])].slice(0, detail.values)
  const more = values.length - shown.length
  return `${shown.map((value) => valueText(value, detail)).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
