import type { Issue } from '../types/codec.js'
import { type IssueFacts, mostCounted } from './issue-messages.js'
import { type IssueLocation, makeIssue } from './issues.js'
import type { Segment } from './json-pointer.js'

/** Properties that are ignored in the comparison of issues that are only counted, not listed: they can be long. */
const uncounted: readonly string[] = ['allowed', 'more', 'expected', 'received', 'nearest', 'variants']

/** Number of issues up to which a linear search finds duplicates. */
const fewIssues = 12

/**
 * List of issues without duplicates. Duplicates occur for example if two parts of an `allOf` require the same field.
 * Stores at most `max` issues and counts further issues up to {@link mostCounted}. An issue about the format of a value
 * replaces an issue about its pattern.
 */
export class IssueList {
  readonly #max: number
  readonly #issues: Issue[] = []
  /** Added issues by constraint and path. A single issue is stored as its facts, several issues as their keys. */
  #seen: Map<string, IssueFacts | Set<string>> | undefined = undefined
  #wrongFormats: Set<string> | undefined = undefined
  #more = 0

  constructor(max: number) {
    this.#max = max
  }

  /** True if further issues are only counted. */
  get isFull(): boolean {
    return this.#issues.length >= this.#max
  }

  /** True if the counting limit is reached, so that further issues change nothing. */
  get isOver(): boolean {
    return this.#more >= mostCounted
  }

  get count(): number {
    return this.#issues.length + this.#more
  }

  /** Adds an issue. Builds its message only if it is listed. */
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

  /** Returns the listed issues and, if there are more, a last one with their number at `path`. */
  closed(path: string): readonly Issue[] {
    if (this.#more === 0) return this.#issues
    return [...this.#issues, makeIssue({ constraint: 'more_issues', count: this.#more }, { path })]
  }

  /**
   * Returns whether no equal issue was added before. If the list is full, the comparison ignores the {@link uncounted}
   * facts.
   */
  #isNew(path: string, facts: IssueFacts): boolean {
    if (this.#seen === undefined && this.#issues.length < fewIssues) {
      const { constraint } = facts
      if (!this.#issues.some((issue) => issue.constraint === constraint && issue.path === path)) return true
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

/** Maximum number of postponed reports: each stores its path. */
const most = 10_000

/** Reports that follow all others, in the order in which evaluation reached the values. */
export class Postponed {
  #isOver = false
  readonly #reports: { readonly path: readonly Segment[]; readonly report: () => void }[] = []

  /**
   * Insert position for a report about the current value, so that it comes before the reports about the value's parts.
   */
  get turn(): number {
    return this.#reports.length
  }

  /** True if too many reports were postponed. All of them are then invalid, and `decode` must find the issues. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Postpones a report about the value at `path`. */
  add(report: () => void, path: readonly Segment[], turn: number = this.turn): void {
    this.#isOver ||= this.#reports.length === most
    if (this.#isOver) return
    this.#reports.splice(turn, 0, { path: [...path], report })
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
