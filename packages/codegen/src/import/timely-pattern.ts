import { runInNewContext } from 'node:vm'
import type { MakePattern } from '../schema/values/check-value.js'
import { SlowPatternError } from '../schema/values/slow-pattern-error.js'

/** How long one text may be tried against a pattern, in milliseconds: patterns that end soon do so in microseconds. */
const timeLimit = 500

/** Texts that a pattern with one repetition takes are tried in far less, whatever they are. */
const shortText = 10_000

/** Makes regular expressions that give up, for schemas of strangers. */
export const timelyPattern: MakePattern = (pattern, flags) => new TimelyPattern(pattern, flags)

/** A regular expression that gives up. The engine sets itself no limit, and whoever wrote the pattern may be a stranger. */
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
    if (this.#isSlow) throw new SlowPatternError(this.#expression.source)
    try {
      const scope = { pattern: this.#expression, text }
      return Boolean(runInNewContext('pattern.test(text)', scope, { timeout: timeLimit }))
    } catch (error) {
      if (!isTimeout(error)) throw error
      this.#isSlow = true
      throw new SlowPatternError(this.#expression.source)
    }
  }

  toString(): string {
    return String(this.#expression)
  }
}

/** The error is of the other realm, so it is an instance of no class of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
