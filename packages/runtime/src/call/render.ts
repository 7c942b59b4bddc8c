import { either, formatSample, kindInWords } from '../schema/issue-messages.js'
import { parsePointer } from '../schema/json-pointer.js'
import { nearestNames } from '../schema/nearest.js'
import type { Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import type { Acknowledgement, RetryHint, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import { FIXED_MESSAGES } from './tool-failure.js'

/** Names of which one may be meant: `"a", "b" or "c"`. */
export function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name))
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`
}

/** Issues of a failed call, as shown to a model. */
interface Faults {
  /** First sentence: `Invalid arguments:` or the message of the error. */
  readonly lead: string
  readonly issues: readonly Issue[]
  /** Next step, if the first sentence does not contain it. */
  readonly next?: string
  /** Number of issues that are not listed. */
  readonly more: number
  readonly example: JsonValue | undefined
}

/** Three faults and an example stay below 300 characters, with a lead of this length. */
const LENGTH_OF_THREE = 299
const LENGTH_OF_LEAD = 'Invalid arguments:'.length

/** Maximum length that each further issue adds. */
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
function faultsText(faults: Faults): string {
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

const LONGEST_MESSAGE = 600

const SUSPENDED_TEXTS = {
  approval: 'The call waits for the approval of a person and has not been run.',
  external: 'The call has been started; its result will come later.',
  clarification: 'The call waits for an answer of the user.',
} as const

type CallHint = Extract<RetryHint, { reason: 'missing_fields' | 'invalid_arguments' }>
type FaultyHint = CallHint | Extract<RetryHint, { reason: 'domain_rejection' }>

/**
 * Returns the text of a call's outcome for a model: the encoded result, the acknowledgement of a session, or the
 * problem and the next step. For invalid arguments, lists every field with the allowed values and one correct
 * example, below 300 characters for three issues. Never contains a stack, a path or the message of an exception other
 * than `ToolFailure`.
 *
 * @example
 * messages.push({ role: 'tool', tool_call_id, content: renderForModel(outcome) })
 */
export function renderForModel(outcome: ToolOutcome | StoredOutcome | Acknowledgement): string {
  switch (outcome.status) {
    case 'streaming':
      return JSON.stringify(outcome)
    case 'completed':
      return outcome.json
    case 'failed':
      return hintTextRender(outcome.hint)
    case 'suspended':
      return SUSPENDED_TEXTS[outcome.suspension.kind]
  }
}

function hintTextRender(hint: RetryHint): string {
  const message = sentence(shorten(hint.message, LONGEST_MESSAGE))
  switch (hint.reason) {
    case 'missing_fields':
    case 'invalid_arguments':
      return callText(hint, message)
    case 'unknown_tool':
      return unknownToolText(hint, message)
    case 'domain_rejection':
      return rejectionText(hint, message)
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return `${message} ${nextStep(hint.action, hint.retryAfterMs)}`
    case 'cancelled':
      return message
    default:
      return `${message} ${nextStep(hint.action)}`
  }
}

/** Returns the issues of a hint, without the first sentence. */
function faultsOf({ issues = [], moreIssues = 0, example }: FaultyHint): Omit<Faults, 'lead'> {
  return { issues, more: moreIssues, example }
}

/** A sentence that was written for the model comes first; it may be all there is to say. */
function callText(hint: CallHint, message: string): string {
  const [first, ...others] = hint.issues
  const isAll = others.length === 0 && first.constraint === 'check_failed' && first.message === hint.message
  if (isAll && first.path === '') return `Invalid arguments: ${message}${exampleText(hint)}`
  const isFixed = hint.message === FIXED_MESSAGES.missing_fields || hint.message === FIXED_MESSAGES.invalid_arguments
  const lead = isFixed || isAll ? 'Invalid arguments:' : `${message} Invalid arguments:`
  return faultsText({ ...faultsOf(hint), lead })
}

function exampleText({ example }: FaultyHint): string {
  const text = example === undefined ? '' : ` Correct example: ${JSON.stringify(example)}`
  return text.length > LONGEST_MESSAGE ? '' : text
}

function rejectionText(hint: Extract<RetryHint, { reason: 'domain_rejection' }>, message: string): string {
  if (hint.issues !== undefined && hint.issues.length > 0) {
    return faultsText({ ...faultsOf(hint), lead: message, next: nextStep(hint.action) })
  }
  return `${message} ${nextStep(hint.action)}${exampleText(hint)}`
}

/** A name that was never there may be a slip; a tool that was there, as a sentence of its own says, is to be replaced. */
function unknownToolText(
  { tool, near, message: said }: Extract<RetryHint, { reason: 'unknown_tool' }>,
  message: string,
): string {
  if (said !== FIXED_MESSAGES.unknown_tool) {
    return `${message} ${near.length === 0 ? 'Use another tool.' : `Try ${alternatives(near)}.`}`
  }
  const asked = JSON.stringify(shorten(tool, 64))
  if (near.length === 0) return `There is no tool ${asked}. Use one of the tools you were given.`
  return `There is no tool ${asked}. Did you mean ${alternatives(near)}?`
}

/** A text that more text may follow. */
function sentence(text: string): string {
  return /[.?!…:]$/.test(text.trimEnd()) ? text : `${text}.`
}

function nextStep(action: RetryHint['action'], retryAfterMs?: number): string {
  switch (action) {
    case 'correct_call':
      return 'Correct the arguments and call again.'
    case 'replan':
      return 'Try another way.'
    case 'wait':
      return retryAfterMs === undefined ? 'Try again later.' : `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
    case 'finish':
      return 'Do not call it again.'
  }
}

/** Maximum number of listed issues of the nearest variant. */
const MAX_NESTED = 2

const LONGEST_SENTENCE = 120

/** One fault in one clause: which field and what is allowed. Never what was received, which may be long or private. */
export function faultText(issue: Issue, detail: Detail): string {
  const name = fieldName(issue)
  switch (issue.constraint) {
    case 'invalid_json':
      return `the arguments are not valid JSON${jsonFaultText(issue)}`
    case 'missing_field':
      return `${name} is missing${missingFacts(issue, detail)}`
    case 'unknown_field':
      return `${name} is unknown${unknownFieldAdvice(issue, detail)}`
    case 'server_owned_field':
      return `${name} must be left out`
    case 'invalid_type':
      return `${name} must be ${withRoomForSample(kindsText(issue), detail)}`
    case 'invalid_enum_value':
      return `${name} must be ${issue.allowed.length === 1 ? '' : 'one of '}${valueList(issue, issue.received, detail)}`
    case 'invalid_format': {
      const sample = formatSample(issue.format)
      return `${name} must be a valid ${shorten(issue.format, 30)}${sample === undefined ? '' : ` like ${sample}`}`
    }
    case 'invalid_pattern':
      return `${name} must match ${shorten(issue.pattern, detail.textLength)}`
    case 'invalid_range':
      return `${name} must be ${rangeText(issue)}`
    case 'invalid_length':
      return `${name} must have ${countText(issue.minimum, issue.maximum)} ${issue.unit}`
    case 'not_unique':
      return `${name} must not repeat an item (${issue.first} and ${issue.second} are equal)`
    case 'invalid_contains':
      return `${name} must have ${countText(issue.minimum, issue.maximum)} matching items`
    case 'missing_dependency':
      return `${name} ${isRoot(issue) ? 'need' : 'needs'} ${valueText(issue.field, detail)} beside ${valueText(issue.requiredBy, detail)}`
    case 'no_variant_matches':
      return variantText(name, issue, detail)
    case 'several_variants_match':
      return `${name} must match exactly one variant`
    case 'not_allowed':
      return `${name} ${isRoot(issue) ? 'are' : 'is'} not allowed`
    case 'too_deep':
      return `${name} must not be nested deeper than ${issue.maximum} levels`
    case 'not_json':
      return `${name} must be a JSON value`
    case 'more_issues':
      return issue.count === 1 ? '1 more fault' : `${issue.count} more faults`
    case 'check_failed':
      return `${name}: ${shorten(issue.message, LONGEST_SENTENCE)}`
  }
}

function kindsText({ expected, format }: Extract<Issue, { constraint: 'invalid_type' }>): string {
  return either(expected.map((kind) => kindInWords(kind, format)))
}

/** Leaves out the sample of a format where it has no room: half of one would mislead. */
function withRoomForSample(expected: string, { textLength }: Detail): string {
  return expected.length <= textLength ? expected : expected.replace(/ such as \S+/, '')
}

/** Returns the position at which a text stops being JSON, with at most one character of it. */
function jsonFaultText({ position, line, column, found }: Extract<Issue, { constraint: 'invalid_json' }>): string {
  if (position === 0 && found === undefined) return ': the text is empty'
  if (line === undefined || column === undefined) return ''
  const place = `line ${line}, column ${column}`
  return found === undefined
    ? `: the text ends too early, at ${place}`
    : `: unexpected ${JSON.stringify(found)} at ${place}`
}

function isRoot({ path }: Issue): boolean {
  return path === ''
}

function missingFacts(issue: Extract<Issue, { constraint: 'missing_field' }>, detail: Detail): string {
  const description = detail.descriptions && issue.description ? shorten(issue.description, 60) : undefined
  const expected = expectedText(issue, detail)
  const facts = [expected, description].filter((fact) => fact !== undefined)
  return facts.length === 0 ? '' : ` (${facts.join('; ')})`
}

function expectedText(
  { allowed, more, expected }: Extract<Issue, { constraint: 'missing_field' }>,
  detail: Detail,
): string | undefined {
  if (allowed !== undefined && allowed.length > 0) {
    return `${allowed.length === 1 ? '' : 'one of '}${valueList({ allowed, more }, undefined, detail)}`
  }
  return expected === undefined ? undefined : shorten(withRoomForSample(expected, detail), detail.textLength)
}

function unknownFieldAdvice(issue: Extract<Issue, { constraint: 'unknown_field' }>, detail: Detail): string {
  if (issue.nearest !== undefined) return `, did you mean ${valueText(issue.nearest, detail)}?`
  if (issue.allowed.length === 0) return ', no fields are allowed'
  return `, allowed: ${valueList(issue, issue.field, detail)}`
}

function variantText(
  name: string,
  issue: Extract<Issue, { constraint: 'no_variant_matches' }>,
  detail: Detail,
): string {
  if (issue.discriminator !== undefined) {
    const { field, allowed, more } = issue.discriminator
    return `${name} ${isRoot(issue) ? 'need' : 'needs'} ${valueText(field, detail)} to be one of ${valueList({ allowed, more }, undefined, detail)}`
  }
  const nested = (issue.nearest ?? []).slice(0, MAX_NESTED).map((inner) => faultText(inner, detail))
  const nearest = nested.length === 0 ? '' : `; nearest: ${nested.join(', ')}`
  const variants = nameList({ allowed: issue.variants, more: issue.more }, detail)
  const isOneName = issue.variants.length === 1
  return `${name} must ${isOneName ? `fit one of ${isRoot(issue) ? 'their' : 'its'} variants, each ${variants}` : `be one of ${variants}`}${nearest}`
}

/** `1 to 20`, `at least 1`, `at most 20`, `exactly 3`. */
function countText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return `at most ${maximum ?? 0}`
  if (maximum === undefined) return `at least ${minimum}`
  return minimum === maximum ? `exactly ${minimum}` : `${minimum} to ${maximum}`
}

/** The bounds of a number: `1 to 100`, `more than 0 and at most 5`, `a multiple of 5`. */
function rangeText(issue: Extract<Issue, { constraint: 'invalid_range' }>): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = issue
  const bounds: string[] = []
  if (minimum !== undefined && maximum !== undefined) bounds.push(countText(minimum, maximum))
  else if (minimum !== undefined) bounds.push(`at least ${minimum}`)
  else if (maximum !== undefined) bounds.push(`at most ${maximum}`)
  if (exclusiveMinimum !== undefined) bounds.push(`more than ${exclusiveMinimum}`)
  if (exclusiveMaximum !== undefined) bounds.push(`less than ${exclusiveMaximum}`)
  if (multipleOf !== undefined) bounds.push(`a multiple of ${multipleOf}`)
  return bounds.join(' and ')
}

/** Maximum lengths of lists and texts, in characters. */
export interface Detail {
  /** Maximum number of listed values. */
  readonly values: number
  /** Maximum length of a list of values; further values are only counted. */
  readonly listLength: number
  /** Maximum length of a pattern, an expectation or a value. */
  readonly textLength: number
  /** Whether to include the schema's description of a missing field. */
  readonly descriptions: boolean
  /** Whether to list the declared fields for an unknown field. Default true. */
  readonly fields?: boolean
}

/** A value as JSON, cut where it is long. */
function valueText(value: JsonValue, detail: Detail): string {
  return shorten(JSON.stringify(value), detail.textLength)
}

/** A list that an issue carries. */
interface ShownList<Value> {
  readonly allowed: readonly Value[]
  /** Number of values that are not listed. */
  readonly more?: number | undefined
}

/** The values nearest to what was received, then the others in their order: `"a", "b" and 38 more`. */
function valueList(list: ShownList<JsonValue>, received: JsonValue | undefined, detail: Detail): string {
  const { allowed: values, more = 0 } = list
  const texts = values.filter((value) => typeof value === 'string')
  const near = typeof received === 'string' ? nearestNames(received, texts, detail.values) : []
  const items = [...new Set<JsonValue>([...near, ...values])].map((value) => JSON.stringify(value))
  return listText({ items, more }, detail)
}

/** Names as they are: `a string, an object and 3 more`. */
function nameList({ allowed, more = 0 }: ShownList<string>, detail: Detail): string {
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

/** Text cut to so many characters; what was cut off shows as `…`. Never cuts a character in two. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const characters = [...text]
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`
}

const LONGEST_NAME = 64

/** The place of an issue as a model reads it: `items[0].sku`; `the arguments` for the root. */
function fieldName(issue: Issue): string {
  const steps = parsePointer(issue.path) ?? []
  const [first = 'the arguments', ...rest] = steps.map(stepText)
  return shortenStart([first.replace(/^\./, ''), ...rest].join(''))
}

function stepText(step: string): string {
  if (/^(0|[1-9]\d{0,8})$/.test(step)) return `[${step}]`
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(shorten(step, LONGEST_NAME))}]`
}

/** The end of a place tells more than its beginning. */
function shortenStart(text: string): string {
  const characters = [...text]
  return characters.length <= LONGEST_NAME ? text : `…${characters.slice(1 - LONGEST_NAME).join('')}`
}

/** Maximum number of characters of a field in a hint. */
const MAX_FIELD = 120

/** A template that was read once: fills in the fields of a value. */
export type HintTemplate = (value: unknown) => string

/** Reads a hint template, for those who fill it in again and again; see {@link hintText}. */
export function hintTemplate(template: string): HintTemplate {
  return filling(template, shown)
}

/**
 * A hint template with its fields filled in: `Looking up {{orderId}}`, `{{customer.name}}`. A field that is absent is
 * shown as nothing; lists and objects are shown as short JSON; line ends become spaces.
 *
 * @example
 * hintText('Order {{id}} is {{status}}', { id: 'A-1', status: 'open' }) // 'Order A-1 is open'
 */
export function hintText(template: string, value: unknown): string {
  return hintTemplate(template)(value)
}

/** A template with its fields filled in, whole: a text is shown as it is, lists and objects as JSON. */
export function templateText(template: string, value: unknown): string {
  return filling(template, fullText)(value)
}

function filling(template: string, show: (field: unknown) => string): HintTemplate {
  // Texts and the paths between them take turns.
  const parts = template.split(/\{\{\s*([^{}]*?)\s*\}\}/)
  return (value) => parts.map((part, index) => (index % 2 === 0 ? part : show(fieldOf(value, part)))).join('')
}

function fieldOf(value: unknown, path: string): unknown {
  // A name may hold a dot itself.
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, path)) return Reflect.get(value, path)
  return path.split('.').reduce<unknown>((inner, name) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, name)) return undefined
    return Reflect.get(inner, name)
  }, value)
}

function fullText(field: unknown): string {
  if (field === undefined || field === null) return ''
  return field instanceof Date ? dateText(field) : typeof field === 'object' ? jsonText(field) : String(field)
}

function shown(field: unknown): string {
  const line = fullText(field).replace(/\s+/g, ' ')
  // Half a character cannot be written as UTF-8.
  return line.length <= MAX_FIELD ? line : `${line.slice(0, MAX_FIELD - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

function dateText(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString()
}

function jsonText(value: object): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    // A bigint inside, say: a hint is for people's eyes and not worth a failure.
    return '…'
  }
}
