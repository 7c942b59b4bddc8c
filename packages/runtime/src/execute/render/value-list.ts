import { nearestNames } from '../../codec/issues/nearest.js'
import type { JsonValue } from '../../contract/json.js'
import { shorten } from './shorten.js'

/** How much of long lists and long texts is shown, in characters. */
export interface Detail {
  /** How many values of a list. */
  readonly values: number
  /** How long a list of values may be; a value that does not fit whole is only counted. */
  readonly listLength: number
  /** How long a pattern, an expectation or the text of one value may be. */
  readonly textLength: number
  /** Whether the schema's description of a missing field is shown. */
  readonly descriptions: boolean
  /** Whether an unknown field is told which fields there are. Default true. */
  readonly fields?: boolean
}

/** A value as JSON, cut where it is long. */
export function valueText(value: JsonValue, detail: Detail): string {
  return shorten(JSON.stringify(value), detail.textLength)
}

/** A list that an issue carries. */
export interface ShownList<Value> {
  readonly allowed: readonly Value[]
  /** How many values there are beside the listed ones. */
  readonly more?: number | undefined
}

/** The values nearest to what was received, then the others in their order: `"a", "b" and 38 more`. */
export function valueList(list: ShownList<JsonValue>, received: JsonValue | undefined, detail: Detail): string {
  const { allowed: values, more = 0 } = list
  const texts = values.filter((value) => typeof value === 'string')
  const near = typeof received === 'string' ? nearestNames(received, texts, detail.values) : []
  const items = [...new Set<JsonValue>([...near, ...values])].map((value) => JSON.stringify(value))
  return listText({ items, more }, detail)
}

/** Names as they are: `a string, an object and 3 more`. */
export function nameList({ allowed, more = 0 }: ShownList<string>, detail: Detail): string {
  return listText({ items: [...new Set(allowed)], more }, detail)
}

/** Half a value helps nobody: values that do not fit whole are counted, except where not even one fits. */
function listText(
  { items, more }: { readonly items: readonly string[]; readonly more: number },
  detail: Detail,
): string {
  const shown: string[] = []
  let room = detail.listLength
  for (const item of items) {
    if (shown.length === detail.values) break
    if (item.length > room) continue
    shown.push(item)
    room -= item.length + 2
  }
  const [first] = items
  if (shown.length === 0 && first !== undefined) shown.push(shorten(first, detail.listLength))
  const untold = items.length - shown.length + more
  return `${shown.join(', ')}${untold > 0 ? ` and ${untold} more` : ''}`
}
