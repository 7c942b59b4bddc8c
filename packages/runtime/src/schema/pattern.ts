import { PatternAutomaton } from './pattern-automaton.js'
import { isLinearByBacktracking } from './pattern-linearity.js'
import { parsePattern, UnsupportedPatternError } from './pattern-syntax.js'

export { UnsupportedPatternError } from './pattern-syntax.js'

/** A regular expression that takes time linear in the length of the text. */
export interface Pattern {
  test(text: string): boolean
}

/** Maximum length of a pattern: the time to compile one may grow faster than its length. */
export const maxPatternLength = 10_000

/**
 * Compiles a pattern of JSON Schema: with the `u` flag, or without it where it is legal only so. The regular expressions of
 * JavaScript match it only where it is proven that they take linear time; an automaton matches all others.
 *
 * @throws {SyntaxError} for a text that is not a regular expression
 * @throws {UnsupportedPatternError} for a pattern with back references, inline flags or very large counts
 */
export function compilePattern(source: string): Pattern {
  if (source.length > maxPatternLength) throw new UnsupportedPatternError(`more than ${maxPatternLength} characters`)
  const flags = isLegalPattern(source, 'u') ? 'u' : ''
  const expression = new RegExp(source, flags)
  const pattern = parsePattern(source, flags)
  return isLinearByBacktracking(pattern) && isCompilable(expression) ? expression : new PatternAutomaton(pattern, flags)
}

/** Whether the JavaScript engine accepts a pattern. */
export function isLegalPattern(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags)
    return true
  } catch {
    // There is no other way to ask whether a pattern is legal with these flags.
    return false
  }
}

/** The engine reads large counts, and refuses them at the first text. */
function isCompilable(expression: RegExp): boolean {
  if (!expression.source.includes('{')) return true
  try {
    expression.test('')
    return true
  } catch {
    return false
  }
}
