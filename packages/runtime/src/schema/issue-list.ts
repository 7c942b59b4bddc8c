import type { Constraint, Issue } from '../types/codec.js'
import { mostCounted } from './issue-messages.js'
import { makeIssue } from './issues.js'
import type { Segment } from './json-pointer.js'

const uncompared: readonly string[] = ['path', 'message', 'description']
/** Properties that are ignored in the comparison of issues that the list counts but does not store, because the values can be long. */
const uncounted: readonly string[] = [
  ...uncompared,
  ...['allowed', 'more', 'expected', 'received', 'nearest', 'variants'],
]

const fewIssues = 12

/**
 * Omits duplicates, which occur, for example, if two members of an `allOf` require the same field. If a value violates both `format` and `pattern`,
 * contains only the issue about `format`.
 */
export class IssueList {
  readonly #max: number
  readonly #issues: Issue[] = []
  #seen: Map<string, Issue | Set<string>> | undefined = undefined
  #more = 0

  constructor(max: number) {
    this.#max = max
  }

  get isFull(): boolean {
    return this.#issues.length >= this.#max
  }

  get isOver(): boolean {
    return this.#more >= mostCounted
  }

  get count(): number {
    return this.#issues.length + this.#more
  }

  add(issue: Issue): void {
    if (this.isOver) return
    const { constraint, path } = issue
    if (constraint === 'invalid_pattern' && this.#has('invalid_format', path)) return
    if (constraint === 'invalid_format') {
      const index = this.#issues.findIndex((other) => other.path === path && other.constraint === 'invalid_pattern')
      if (index >= 0) this.#issues.splice(index, 1)
    }
    if (!this.#isNew(issue, constraint, path)) return
    if (this.isFull) this.#more++
    else this.#issues.push(issue)
  }

  closed(path: string): readonly Issue[] {
    if (this.#more === 0) return this.#issues
    return [...this.#issues, makeIssue({ constraint: 'more_issues', count: this.#more }, { path })]
  }

  #isNew(issue: Issue, constraint: Constraint, path: string): boolean {
    if (this.#seen === undefined && this.#issues.length < fewIssues && !this.#has(constraint, path)) return true
    this.#seen ??= new Map(this.#issues.map((other) => [locationKey(other.constraint, other.path), other]))
    const location = locationKey(constraint, path)
    const known = this.#seen.get(location)
    if (known === undefined) {
      this.#seen.set(location, issue)
      return true
    }
    const keys = known instanceof Set ? known : new Set([keyOf(known, uncompared), keyOf(known, uncounted)])
    this.#seen.set(location, keys)
    const short = keyOf(issue, uncounted)
    const key = this.isFull ? short : keyOf(issue, uncompared)
    if (keys.has(key)) return false
    keys.add(key).add(short)
    return true
  }

  #has(constraint: Constraint, path: string): boolean {
    if (this.#seen !== undefined) return this.#seen.has(locationKey(constraint, path))
    for (const issue of this.#issues) if (issue.constraint === constraint && issue.path === path) return true
    return false
  }
}

function locationKey(constraint: Constraint, path: string): string {
  return `${constraint} ${path}`
}

function keyOf(issue: Issue, leftOut: readonly string[]): string {
  return JSON.stringify([leftOut.length, Object.entries(issue).filter(([name]) => !leftOut.includes(name))])
}

/** Each function in {@link Postponed} is stored with its path, so this maximum limits the memory. */
const most = 10_000

export class Postponed {
  #isOver = false
  readonly #reports: { readonly path: readonly Segment[]; readonly report: () => void }[] = []

  /** If true, the list of issues is not complete, and `decode` of the codec must validate the value. */
  get isOver(): boolean {
    return this.#isOver
  }

  add(report: () => void, path: readonly Segment[]): void {
    this.#isOver ||= this.#reports.length === most
    if (!this.#isOver) this.#reports.push({ path: path.slice(), report })
  }

  report(path: Segment[]): void {
    for (const { path: location, report } of this.#reports) {
      path.push(...location)
      report()
      // Setting the length of an array is slow.
      for (const _ of location) path.pop()
    }
  }
}
