import type { Issue } from '../types/codec.js'
import { type IssueFacts, mostCounted } from './issue-messages.js'
import { type IssueLocation, makeIssue } from './issues.js'
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
