import { inTime } from '../../time/in-time.js'
import type { MakePattern } from './check-value.js'
import { SlowPatternError } from './slow-pattern-error.js'

/** Texts that a pattern with one repetition takes are tried in far less than the time that there is. */
const shortText = 10_000

/** Makes regular expressions that give up: whoever wrote a pattern may not know how long it can take. */
export const timelyPattern: MakePattern = (pattern, flags) => new TimelyPattern(pattern, flags)

/** A regular expression that gives up. */
class TimelyPattern {
  readonly #expression: RegExp
  readonly #isPlain: boolean
  #isSlow = false

  /** @throws `SyntaxError` where it is no pattern */
  constructor(pattern: string, flags: string) {
    this.#expression = new RegExp(pattern, flags)
    this.#isPlain = (pattern.match(/[*+?{|]/g) ?? []).length <= 1
  }

  /** @throws {@link SlowPatternError} where the time is up; then for every further text, too */
  test(text: string): boolean {
    if (this.#isPlain && text.length <= shortText) return this.#expression.test(text)
    const tried = this.#isSlow ? undefined : inTime(() => this.#expression.test(text))
    if (tried?.isDone === true) return tried.value
    this.#isSlow = true
    throw new SlowPatternError(this.#expression.source)
  }

  toString(): string {
    return String(this.#expression)
  }
}
