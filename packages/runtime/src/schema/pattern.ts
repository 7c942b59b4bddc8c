import { PatternAutomaton } from './pattern-automaton.js'
import { isLinearByBacktracking } from './pattern-linearity.js'
import { type PatternNode, parsePattern, simpleRanges, UnsupportedPatternError } from './pattern-syntax.js'

export { UnsupportedPatternError } from './pattern-syntax.js'

/** A regular expression that takes time linear in the length of the string. */
export interface Pattern {
  test(text: string): boolean
}

/** Maximum length of a pattern: the time to compile one may grow faster than its length. */
export const maxPatternLength = 10_000

/**
 * Compiles a `pattern` of JSON Schema: with the `u` flag, or without it where the pattern is legal only so. JavaScript's
 * regular expressions match it only where they provably take linear time; an automaton matches all other patterns.
 *
 * @throws {SyntaxError} for a string that is not a regular expression
 * @throws {UnsupportedPatternError} for a pattern with back references, inline flags or very large counts
 * @example
 * compilePattern('^(a+)+$').test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab') // false, at once
 */
export function compilePattern(source: string): Pattern {
  const { pattern, flags } = parse(source)
  const expression = new RegExp(source, flags)
  return isLinearByBacktracking(pattern) && isCompilable(expression) ? expression : new PatternAutomaton(pattern, flags)
}

function parse(source: string): { readonly pattern: PatternNode; readonly flags: '' | 'u' } {
  if (source.length > maxPatternLength) throw new UnsupportedPatternError(`more than ${maxPatternLength} characters`)
  const flags = isLegalPattern(source, 'u') ? 'u' : ''
  if (flags === '') new RegExp(source)
  return { pattern: parsePattern(source, flags), flags }
}

/** Whether the JavaScript engine accepts a pattern, by default with or without the `u` flag. */
export function isLegalPattern(source: string, ...flags: readonly string[]): boolean {
  return (flags.length === 0 ? ['u', ''] : flags).some((each) => {
    try {
      new RegExp(source, each)
      return true
    } catch {
      // There is no other way to find out whether a pattern is legal.
      return false
    }
  })
}

/** The engine reads large counts, and refuses them at the first string. */
function isCompilable(expression: RegExp): boolean {
  if (!expression.source.includes('{')) return true
  try {
    expression.test('')
    return true
  } catch {
    return false
  }
}

/**
 * Returns the part for which a legal pattern cannot be matched in linear time, e.g. `a back reference`; `undefined` where
 * there is none, except that an automaton may still be too large.
 */
export function unsupportedPart(source: string): string | undefined {
  try {
    parse(source)
    return undefined
  } catch (error) {
    if (error instanceof UnsupportedPatternError) return error.part
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Number of examples of one pattern. */
const maxExamples = 4
/** Counts without an upper bound are repeated at most this often. */
const maxRepetitions = 300
/** Characters that a class most likely matches. */
const usualCharacters = ['a', '0', 'A', '-', ' ', '_', '.', 'Z', '\t', '\n']

/**
 * Returns short strings that a simple pattern probably matches, each with other alternatives, class members and counts.
 * There are none for patterns with look-arounds. The caller tests them against the pattern.
 *
 * @example
 * patternExamples('^A-\\d+$')[0] // 'A-0'
 */
export function patternExamples(source: string): readonly string[] {
  let pattern: PatternNode
  let flags: '' | 'u'
  try {
    ;({ pattern, flags } = parse(source))
  } catch (error) {
    if (error instanceof UnsupportedPatternError || error instanceof SyntaxError) return []
    throw error
  }

  function character(part: string, choice: number): string | undefined {
    const isListed = part.startsWith('[') && !/^\[\^|\\[dDwWsSpP]/.test(part)
    const ranges = isListed || !part.startsWith('[') ? simpleRanges(part) : undefined
    const [first, ...others] = ranges ?? []
    const isLiteral = first !== undefined && others.length === 0 && first[0] === first[1]
    const matches = new RegExp(`^(?:${part})$`, flags)
    const members =
      ranges !== undefined && (isListed || isLiteral)
        ? ranges.flatMap((range) => [...new Set(range)].map((code) => String.fromCodePoint(code)))
        : usualCharacters.filter((each) => matches.test(each))
    return members[choice % members.length]
  }

  function text(node: PatternNode, choice: number): string | undefined {
    switch (node.kind) {
      case 'character':
        return character(node.source, choice)
      case 'assertion':
        return ''
      case 'look':
        return undefined
      case 'sequence':
        return node.parts.reduce<string | undefined>((whole, part) => join(whole, text(part, choice)), '')
      case 'choice': {
        const { options } = node
        const texts = options.map((_, index) => text(options[(choice + index) % options.length] ?? node, choice))
        return texts.find((each) => each !== undefined)
      }
      case 'repeat': {
        const most = node.most === Number.POSITIVE_INFINITY ? node.least + 2 : node.most
        const times = [node.least, most, Math.min(node.least + 1, most), most][choice] ?? node.least
        return text(node.body, choice)?.repeat(Math.min(maxRepetitions, times))
      }
    }
  }

  const texts = Array.from({ length: maxExamples }, (_, choice) => text(pattern, choice))
  return [...new Set(texts.filter((each) => each !== undefined))]
}

/** Examples are short: a longer one is given up. */
const maxExampleLength = 50_000

function join(start: string | undefined, end: string | undefined): string | undefined {
  if (start === undefined || end === undefined || start.length + end.length > maxExampleLength) return undefined
  return start + end
}
