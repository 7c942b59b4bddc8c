import type { Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { type Choices, type IssueFacts, issueMessage, mostCounted } from './issue-messages.js'
import type { Segment } from './json-pointer.js'

/** Facts that are left out where issues are only counted: long ones, and those that follow from the others. */
const uncounted: readonly string[] = ['allowed', 'more', 'expected', 'received', 'nearest', 'variants']

/** Number of issues up to which no keys are needed. */
const fewIssues = 12

/**
 * The found issues, each once, e.g. if two parts of an `allOf` require the same field. Holds `max` issues at
 * most; further ones are counted, up to {@link mostCounted}. A wrong format replaces a wrong pattern of the same value.
 */
export class IssueList {
  readonly #max: number
  readonly #issues: Issue[] = []
  /**
   * Added issues, by constraint and path: the facts of the first, or the keys of all. Nearly every place has one
   * issue of a kind, and no key is needed. Made with the first issue: most values have none.
   */
  #seen: Map<string, IssueFacts | Set<string>> | undefined = undefined
  /** The places of wrong formats. */
  #wrongFormats: Set<string> | undefined = undefined
  #more = 0

  constructor(max: number) {
    this.#max = max
  }

  /** True if further issues are only counted, so that nothing but their place matters. */
  get isFull(): boolean {
    return this.#issues.length >= this.#max
  }

  /** True if further issues do not count any more. */
  get isOver(): boolean {
    return this.#more >= mostCounted
  }

  get count(): number {
    return this.#issues.length + this.#more
  }

  /** Adds an issue; it is made of its facts where there is room. */
  add(facts: IssueFacts, location: IssueLocation): void {
    if (this.isOver) return
    const { path } = location
    if (facts.constraint === 'invalid_pattern' && this.#wrongFormats?.has(path) === true) return
    if (facts.constraint === 'invalid_format') {
      this.#wrongFormats ??= new Set()
      this.#wrongFormats.add(path)
      this.#dropPattern(path)
    }
    if (!this.#isNew(path, facts)) return
    if (this.isFull) this.#more++
    else this.#issues.push(makeIssue(facts, location))
  }

  /** The issues, and how many more there are. `path` is the place of all of them. */
  closed(path: string): readonly Issue[] {
    if (this.#more === 0) return this.#issues
    return [...this.#issues, makeIssue({ constraint: 'more_issues', count: this.#more }, { path })]
  }

  /** Records an issue; where only counting is left, those that differ in long facts alone are one. */
  #isNew(path: string, facts: IssueFacts): boolean {
    // Few issues are looked through faster than any key is made.
    if (this.#seen === undefined && this.#issues.length < fewIssues) {
      if (!this.#hasSimilar(path, facts)) return true
    }
    this.#seen ??= new Map(this.#issues.map((issue) => [locationKey(issue.path, issue), factsOf(issue)]))
    const location = locationKey(path, facts)
    const known = this.#seen.get(location)
    if (known === undefined) {
      this.#seen.set(location, facts)
      return true
    }
    const keys = known instanceof Set ? known : new Set([keyOf(known, []), keyOf(known, uncounted)])
    this.#seen.set(location, keys)
    const short = keyOf(facts, uncounted)
    const key = this.isFull ? short : keyOf(facts, [])
    if (keys.has(key)) return false
    keys.add(key).add(short)
    return true
  }

  #hasSimilar(path: string, { constraint }: IssueFacts): boolean {
    for (const issue of this.#issues) if (issue.constraint === constraint && issue.path === path) return true
    return false
  }

  #dropPattern(path: string): void {
    const index = this.#issues.findIndex((issue) => issue.path === path && issue.constraint === 'invalid_pattern')
    if (index >= 0) this.#issues.splice(index, 1)
  }
}

function locationKey(path: string, { constraint }: IssueFacts): string {
  return `${constraint} ${path}`
}

/** Returns the facts of an issue without its path, message and description. */
export function factsOf({ path: _path, message: _message, description: _description, ...facts }: Issue): IssueFacts {
  return facts
}

function keyOf(facts: IssueFacts, leftOut: readonly string[]): string {
  return JSON.stringify([leftOut.length, Object.entries(facts).filter(([name]) => !leftOut.includes(name))])
}

/** More is not kept: each takes as much room as its place is deep. */
const most = 10_000

/** Reports that come after all others, in the order in which evaluation reached the values. */
export class Postponed {
  #isOver = false
  readonly #reports: { readonly path: readonly Segment[]; readonly report: () => void }[] = []

  /** Position for reports about the current value: before those that its parts postpone. */
  get turn(): number {
    return this.#reports.length
  }

  /** True if something was not kept: then nothing that is reported counts, and issues are looked for in another way. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Postpones what is to be reported at a place. */
  add(report: () => void, path: readonly Segment[], turn: number = this.turn): void {
    this.#isOver ||= this.#reports.length === most
    if (this.#isOver) return
    this.#reports.splice(turn, 0, { path: [...path], report })
  }

  /** Reports all of it, each at its place. */
  report(path: Segment[]): void {
    for (const { path: location, report } of this.#reports) {
      path.push(...location)
      report()
      path.length = 0
    }
  }
}

/** Path of an issue, with the facts about the value there. */
interface IssueLocation {
  readonly path: string
  readonly description?: string | undefined
  readonly message?: string | undefined
}

/** Completes facts to an issue. */
export function makeIssue(facts: IssueFacts, location: IssueLocation): Issue {
  const { path, description, message = issueMessage(facts) } = location
  const issue = usualIssue(facts, path, message) ?? Object.assign({ path }, facts, { message })
  return description === undefined ? issue : Object.assign(issue, { description })
}

/**
 * The issues that are met most, each written out: to spread facts of many layouts takes several times as long. Gives
 * `undefined` for all others.
 */
function usualIssue(facts: IssueFacts, path: string, message: string): Issue | undefined {
  const { constraint } = facts
  switch (constraint) {
    case 'missing_field':
      return missingField(facts, path, message)
    case 'unknown_field':
      return unknownField(facts, path, message)
    case 'invalid_type':
      return wrongKind(facts, path, message)
    case 'invalid_format':
      if (facts.receivedLength !== undefined) return undefined
      return { path, constraint, format: facts.format, received: facts.received, message }
    case 'invalid_pattern':
      if (facts.receivedLength !== undefined) return undefined
      return { path, constraint, pattern: facts.pattern, received: facts.received, message }
    case 'invalid_enum_value':
      return wrongLiteral(facts, path, message)
    case 'invalid_range':
      return invalidRange(facts, path, message)
    case 'invalid_length':
      return invalidLength(facts, path, message)
    default:
      return undefined
  }
}

type FactsOf<Constraint> = Extract<IssueFacts, { readonly constraint: Constraint }>

function wrongKind(facts: FactsOf<'invalid_type'>, path: string, message: string): Issue {
  const { constraint, expected, format, received } = facts
  if (format === undefined) return { path, constraint, expected, received, message }
  return { path, constraint, expected, format, received, message }
}

function missingField(facts: FactsOf<'missing_field'>, path: string, message: string): Issue | undefined {
  const { constraint, field, expected, allowed, more } = facts
  if (more !== undefined || expected === undefined) return undefined
  if (allowed === undefined) return { path, constraint, field, expected, message }
  return { path, constraint, field, expected, allowed, message }
}

function unknownField(facts: FactsOf<'unknown_field'>, path: string, message: string): Issue | undefined {
  const { constraint, field, allowed, more, nearest } = facts
  if (more !== undefined) return undefined
  if (nearest === undefined) return { path, constraint, field, allowed, message }
  return { path, constraint, field, allowed, nearest, message }
}

function wrongLiteral(facts: FactsOf<'invalid_enum_value'>, path: string, message: string): Issue | undefined {
  const { constraint, allowed, more, received, receivedLength, nearest } = facts
  if (more !== undefined || nearest !== undefined || receivedLength !== undefined) return undefined
  return { path, constraint, allowed, received, message }
}

function invalidLength(facts: FactsOf<'invalid_length'>, path: string, message: string): Issue | undefined {
  const { constraint, unit, received, minimum, maximum } = facts
  if (minimum === undefined || maximum === undefined) return undefined
  return { path, constraint, unit, received, minimum, maximum, message }
}

function invalidRange(facts: FactsOf<'invalid_range'>, path: string, message: string): Issue | undefined {
  const { constraint, received, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = facts
  const isUsual = exclusiveMinimum === undefined && exclusiveMaximum === undefined && multipleOf === undefined
  if (!isUsual || minimum === undefined) return undefined
  if (maximum === undefined) return { path, constraint, received, minimum, message }
  return { path, constraint, received, minimum, maximum, message }
}

/** The facts of a text, an array or an object that is too short or too long. */
export function lengthFacts(
  unit: 'characters' | 'items' | 'properties',
  received: number,
  minimum: number | undefined,
  maximum: number | undefined,
): IssueFacts {
  const constraint = 'invalid_length'
  if (minimum === undefined) {
    return maximum === undefined ? { constraint, unit, received } : { constraint, unit, received, maximum }
  }
  return maximum === undefined
    ? { constraint, unit, received, minimum }
    : { constraint, unit, received, minimum, maximum }
}

/** The facts of a field that must not be there. */
export function unknownFieldFacts(field: string, choices: Choices<string>, nearest: string | undefined): IssueFacts {
  const listed = choices.listed(nearest)
  const { allowed } = listed
  if (listed.more === undefined) {
    // Written out: most issues of this kind are of one of these two layouts.
    if (nearest === undefined) return { constraint: 'unknown_field', field, allowed }
    return { constraint: 'unknown_field', field, allowed, nearest }
  }
  const facts = { constraint: 'unknown_field', field, ...listed } as const
  return nearest === undefined ? facts : { ...facts, nearest }
}

const longest = 200

interface Received<Value extends JsonValue> {
  readonly received: Value
  readonly receivedLength?: number
}

/**
 * A received value as issues carry it: as it is, or, where its text has more than 200 characters, the beginning of that
 * text with `…`, and how many characters there were. The text of an array or an object is its JSON.
 */
export function boundedReceived<Value extends JsonValue>(received: Value): Received<Value | string> {
  const text = textOf(received)
  if (text.length <= longest) return { received }
  // Half a character would be no text.
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, longest)) ? longest - 1 : longest
  return { received: `${text.slice(0, end)}…`, receivedLength: text.length }
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value
  // Numbers and the like are always short.
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ''
}
