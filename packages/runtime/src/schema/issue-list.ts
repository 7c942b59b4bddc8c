import type { Issue } from '../types/codec.js'
import { type IssueFacts, mostCounted } from './issue-messages.js'
import { type IssueLocation, makeIssue } from './issues.js'
import type { Segment } from './json-pointer.js'

/** Properties of issues that are ignored in comparisons if an issue is only counted, not listed. Their values can be long. */
const uncounted: readonly string[] = ['allowed', 'more', 'expected', 'received', 'nearest', 'variants']

/** Up to this number of issues, a linear search finds duplicates. */
const fewIssues = 12

/**
 * List of issues without duplicates. Duplicates occur for example if two parts of an `allOf` require the same field. Stores at most `max`
 * issues and counts further issues up to {@link mostCounted}. An issue about the format of a value replaces an issue about its pattern.
 */
export class IssueList {
  readonly #max: number
  readonly #issues: Issue[] = []
  /** Added issues by constraint and path. For one issue, the map contains its facts; for several issues, their keys (see `keyOf`). */
  #seen: Map<string, IssueFacts | Set<string>> | undefined = undefined
  #wrongFormats: Set<string> | undefined = undefined
  #more = 0

  constructor(max: number) {
    this.#max = max
  }

  /** True if the list contains `max` issues. Further issues are only counted. */
  get isFull(): boolean {
    return this.#issues.length >= this.#max
  }

  /** True if the counting limit is reached. Further issues are then ignored. */
  get isOver(): boolean {
    return this.#more >= mostCounted
  }

  get count(): number {
    return this.#issues.length + this.#more
  }

  /** Adds an issue. Creates its message only if the issue is listed, not if it is only counted. */
  add(facts: IssueFacts, location: IssueLocation): void {
    if (this.isOver) return
    const { path } = location
    if (facts.constraint === 'invalid_pattern' && this.#wrongFormats?.has(path) === true) return
    if (facts.constraint === 'invalid_format') {
      this.#wrongFormats ??= new Set()
      this.#wrongFormats.add(path)
      const index = this.#issues.findIndex((issue) => issue.path === path && issue.constraint === 'invalid_pattern')
      if (index >= 0) this.#issues.splice(index, 1)
    }
    if (!this.#isNew(path, facts)) return
    if (this.isFull) this.#more++
    else this.#issues.push(makeIssue(facts, location))
  }

  /** Returns the listed issues. If further issues were counted, the last item is an issue at `path` with their number. */
  closed(path: string): readonly Issue[] {
    if (this.#more === 0) return this.#issues
    return [...this.#issues, makeIssue({ constraint: 'more_issues', count: this.#more }, { path })]
  }

  /** Returns true if no equal issue was added before. If the list is full, the comparison ignores the {@link uncounted} properties. */
  #isNew(path: string, facts: IssueFacts): boolean {
    if (this.#seen === undefined && this.#issues.length < fewIssues && !this.#hasAlike(path, facts)) return true
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

  #hasAlike(path: string, { constraint }: IssueFacts): boolean {
    for (const issue of this.#issues) if (issue.constraint === constraint && issue.path === path) return true
    return false
  }
}

function locationKey(path: string, { constraint }: IssueFacts): string {
  return `${constraint} ${path}`
}

/** Returns the properties of an issue, except `path`, `message` and `description`. */
export function factsOf({ path: _path, message: _message, description: _description, ...facts }: Issue): IssueFacts {
  return facts
}

function keyOf(facts: IssueFacts, leftOut: readonly string[]): string {
  return JSON.stringify([leftOut.length, Object.entries(facts).filter(([name]) => !leftOut.includes(name))])
}

/** Maximum number of postponed reports. The limit bounds the memory, because each report stores its path. */
const most = 10_000

/** Reports that are made after the evaluation, in the order in which the evaluation reached the values. */
export class Postponed {
  #isOver = false
  readonly #reports: { readonly path: readonly Segment[]; readonly report: () => void }[] = []

  /** Position for a report about the current value, so that it comes before reports about fields and items of this value. */
  get turn(): number {
    return this.#reports.length
  }

  /** True if more than {@link most} reports were postponed. All reports are then invalid; the caller must use `decode`. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Postpones a report about the value at `path`. */
  add(report: () => void, path: readonly Segment[], turn: number = this.turn): void {
    this.#isOver ||= this.#reports.length === most
    if (this.#isOver) return
    const postponed = { path: path.slice(), report }
    if (turn === this.#reports.length) this.#reports.push(postponed)
    else this.#reports.splice(turn, 0, postponed)
  }

  /** Calls all postponed reports, each with its path as the current path. */
  report(path: Segment[]): void {
    for (const { path: location, report } of this.#reports) {
      path.push(...location)
      report()
      path.length = 0
    }
  }
}
