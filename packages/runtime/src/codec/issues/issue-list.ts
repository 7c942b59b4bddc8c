import type { Issue } from '../../contract/issue.js'
import type { IssueFacts } from './facts.js'
import { makeIssue } from './make-issue.js'

/** Facts that are left out where issues are only counted: long ones, and those that follow from the others. */
const uncounted: ReadonlySet<string> = new Set(['allowed', 'more', 'expected', 'received', 'nearest', 'variants'])

/** Keys of what was added: all facts of what is listed, the short ones of all that was found. */
interface Seen {
  readonly listed: Set<string>
  readonly found: Set<string>
  /** The places of wrong formats. */
  readonly wrongFormats: Set<string>
}

/**
 * The issues that are found, each once, e.g. where two parts of an `allOf` require the same field. Holds so many at
 * most; further ones are counted. Of one value a wrong format says more than the pattern beside it.
 */
export class IssueList {
  readonly #max: number
  readonly #issues: Issue[] = []
  /** Made with the first issue: most values have none. */
  #seen: Seen | undefined = undefined
  #more = 0

  constructor(max: number) {
    this.#max = max
  }

  /** Whether further issues are only counted, so that nothing but their place matters. */
  get isFull(): boolean {
    return this.#issues.length >= this.#max
  }

  /** How many were found. */
  get count(): number {
    return this.#issues.length + this.#more
  }

  /** Adds an issue; `complete` makes it of its facts where there is room. */
  add(path: string, facts: IssueFacts, complete: () => Issue): void {
    this.#seen ??= { listed: new Set(), found: new Set(), wrongFormats: new Set() }
    const seen = this.#seen
    if (facts.constraint === 'invalid_pattern' && seen.wrongFormats.has(path)) return
    if (facts.constraint === 'invalid_format') {
      seen.wrongFormats.add(path)
      this.#dropPattern(path)
    }
    const found = keyOf(path, facts, (name) => uncounted.has(name))
    if (this.isFull) {
      if (!seen.found.has(found)) this.#more++
      seen.found.add(found)
      return
    }
    seen.found.add(found)
    const listed = keyOf(path, facts, () => false)
    if (seen.listed.has(listed)) return
    seen.listed.add(listed)
    this.#issues.push(complete())
  }

  /** The issues, and how many more there are. `path` is the place of all of them. */
  closed(path: string): readonly Issue[] {
    if (this.#more === 0) return this.#issues
    return [...this.#issues, makeIssue({ constraint: 'more_issues', count: this.#more }, { path })]
  }

  #dropPattern(path: string): void {
    const index = this.#issues.findIndex((issue) => issue.path === path && issue.constraint === 'invalid_pattern')
    if (index >= 0) this.#issues.splice(index, 1)
  }
}

function keyOf(path: string, facts: IssueFacts, isLeftOut: (name: string) => boolean): string {
  return JSON.stringify([path, Object.entries(facts).filter(([name]) => !isLeftOut(name))])
}
