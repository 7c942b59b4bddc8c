import type { Issue } from '../../contract/issue.js'
import type { JsonValue } from '../../contract/json.js'
import { faultText } from './fault-text.js'
import { fieldName } from './field-name.js'
import { shorten } from './shorten.js'
import type { Detail } from './value-list.js'

/** What is told of a faulty call. */
export interface Faults {
  /** What comes first: `Invalid arguments:` or the sentence of who found the faults. */
  readonly lead: string
  readonly issues: readonly Issue[]
  /** What to do next, where the lead does not say it. */
  readonly next?: string
  /** How many faults there are beside them. */
  readonly more: number
  readonly example: JsonValue | undefined
}

/** Three faults and an example stay below 300 characters, with a lead of this length. */
const LENGTH_OF_THREE = 299
const LENGTH_OF_LEAD = 'Invalid arguments:'.length

/** What each further fault may add. */
const LENGTH_OF_MORE = 90

/** Faults beyond these are only counted. */
const MAX_FAULTS = 8

/** From the fullest text of one fault to the shortest. */
const DETAILS: readonly Detail[] = [
  { values: 5, listLength: 200, textLength: 80, descriptions: true },
  { values: 5, listLength: 200, textLength: 80, descriptions: false },
  { values: 5, listLength: 110, textLength: 60, descriptions: false },
  { values: 3, listLength: 70, textLength: 40, descriptions: false },
  { values: 2, listLength: 45, textLength: 40, descriptions: false },
  { values: 1, listLength: 30, textLength: 24, descriptions: false },
]

/** An example shows which fields there are: beside it that need not be said of an unknown one. */
const SHORTEST_BESIDE_EXAMPLE: Detail = {
  values: 1,
  listLength: 30,
  textLength: 24,
  descriptions: false,
  fields: false,
}

/** All faulty fields with what is allowed, then one correct example if there is room for it whole. */
export function faultsText(faults: Faults): string {
  const { lead, next = '', issues, example } = faults
  const further = LENGTH_OF_MORE * Math.max(0, Math.min(issues.length, MAX_FAULTS) - 3)
  // A sentence that somebody wrote for the model takes no room from the faults.
  const longest = LENGTH_OF_THREE + further + Math.max(0, [...lead, ...next].length - LENGTH_OF_LEAD)
  const shown = issues.slice(0, MAX_FAULTS)
  const fits = (text: string): boolean => [...text].length <= longest
  // An example is worth more than long lists: it is left out only where the shortest texts leave no room for it.
  for (const end of example === undefined ? [undefined] : [example, undefined]) {
    for (const detail of end === undefined ? DETAILS : [...DETAILS, SHORTEST_BESIDE_EXAMPLE]) {
      const text = wholeText(faults, textsOf(shown, detail), end)
      if (fits(text)) return text
    }
  }
  const room =
    longest -
    [
      ...wholeText(
        faults,
        shown.map(() => ''),
        undefined,
      ),
    ].length
  return wholeText(faults, sharedTexts(shown, room), undefined)
}

/** One text for each fault. Which fields an object has is said once, with the first of its unknown fields. */
function textsOf(issues: readonly Issue[], detail: Detail): readonly string[] {
  const told = new Set<string>()
  return issues.map((issue) => {
    if (issue.constraint !== 'unknown_field' || issue.nearest !== undefined) return faultText(issue, detail)
    const place = issue.path.slice(0, issue.path.lastIndexOf('/'))
    if (detail.fields === false || told.has(place)) return `${fieldName(issue)} is unknown`
    told.add(place)
    return faultText(issue, detail)
  })
}

function wholeText(
  { lead, next, issues, more }: Faults,
  texts: readonly string[],
  example: JsonValue | undefined,
): string {
  const untold = issues.length - texts.length + more
  const faults = [...texts, ...(untold > 0 ? [`${untold} more faults`] : [])].join('; ')
  const end = /[.?!…]$/.test(faults) ? '' : '.'
  const advice = next === undefined ? '' : ` ${next}`
  return `${lead} ${faults}${end}${advice}${example === undefined ? '' : ` Correct example: ${JSON.stringify(example)}`}`
}

/** The faults in so many characters, each in its fair share: the name of every field survives. */
function sharedTexts(issues: readonly Issue[], room: number): readonly string[] {
  const rows = DETAILS.map((detail) => textsOf(issues, detail))
  const variants = issues.map((_, at) => rows.map((texts) => texts[at] ?? ''))
  const texts = new Map<number, string>()
  let left = room
  // The shortest first: what they do not need is for the others.
  const order = variants.map((_, at) => at).sort((a, b) => shortest(variants[a]) - shortest(variants[b]))
  for (const at of order) {
    const share = Math.floor(left / (issues.length - texts.size))
    const choices = variants[at] ?? []
    const text = choices.find((one) => [...one].length <= share) ?? shorten(choices.at(-1) ?? '', share)
    texts.set(at, text)
    left -= [...text].length
  }
  return issues.map((_, at) => texts.get(at) ?? '')
}

function shortest(texts: readonly string[] = []): number {
  return [...(texts.at(-1) ?? '')].length
}
