import type { Issue } from '../../contract/issue.js'
import type { JsonValue } from '../../contract/json.js'
import { faultText } from './fault-text.js'
import { shorten } from './shorten.js'
import type { Detail } from './value-list.js'

/** Three faults and an example stay below 300 characters. */
const LENGTH_OF_THREE = 299

/** What each further fault may add. */
const LENGTH_OF_MORE = 90

/** Faults beyond these are only counted. */
const MAX_FAULTS = 8

/** From the fullest text to the shortest; the first that fits is taken. */
const DETAILS: readonly (Detail & { readonly example: boolean })[] = [
  { values: 5, valueLength: 40, descriptions: true, example: true },
  { values: 5, valueLength: 40, descriptions: false, example: true },
  { values: 5, valueLength: 20, descriptions: false, example: true },
  { values: 3, valueLength: 20, descriptions: false, example: true },
  { values: 2, valueLength: 16, descriptions: false, example: true },
  { values: 5, valueLength: 20, descriptions: false, example: false },
  { values: 2, valueLength: 16, descriptions: false, example: false },
]

/** All faulty fields with what is allowed, then one correct example if there is room for it whole. */
export function faultsText(lead: string, issues: readonly Issue[], example: JsonValue | undefined): string {
  const longest = LENGTH_OF_THREE + LENGTH_OF_MORE * Math.max(0, Math.min(issues.length, MAX_FAULTS) - 3)
  const texts = DETAILS.map((detail) => detailedText(lead, issues, detail.example ? example : undefined, detail))
  const fitting = texts.find((text) => [...text].length <= longest)
  return fitting ?? shorten(texts.at(-1) ?? lead, longest)
}

function detailedText(lead: string, issues: readonly Issue[], example: JsonValue | undefined, detail: Detail): string {
  const shown = issues.slice(0, MAX_FAULTS).map((issue) => faultText(issue, detail))
  const more = issues.length - shown.length
  const faults = [...shown, ...(more > 0 ? [`${more} more faults`] : [])].join('; ')
  const end = /[.?!…]$/.test(faults) ? '' : '.'
  return `${lead} ${faults}${end}${example === undefined ? '' : ` Correct example: ${JSON.stringify(example)}`}`
}
