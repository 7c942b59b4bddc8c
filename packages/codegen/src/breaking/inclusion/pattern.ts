import { SlowPatternError } from '../../schema/values/slow-pattern-error.js'
import { timelyPattern } from '../../schema/values/timely-pattern.js'

type Pattern = ReturnType<typeof timelyPattern>

/** Each is met again and again, and remembers that it is slow. */
const known = new Map<string, Pattern | undefined>()

/**
 * Whether a text has what a pattern asks for, as codecs read it; `undefined` where it is no pattern.
 *
 * @throws {@link SlowPatternError} where it takes too long to find out
 */
export function triedPattern(pattern: string, text: string): boolean | undefined {
  if (!known.has(pattern)) known.set(pattern, compiled(pattern))
  return known.get(pattern)?.test(text)
}

/** The same, and `undefined` too where it takes too long to find out. */
export function knownMatch(pattern: string, text: string): boolean | undefined {
  try {
    return triedPattern(pattern, text)
  } catch (error) {
    if (error instanceof SlowPatternError) return undefined
    throw error
  }
}

/** By Unicode rules, or without where it is legal only so. */
function compiled(pattern: string): Pattern | undefined {
  for (const flags of ['u', '']) {
    try {
      return timelyPattern(pattern, flags)
    } catch {
      // There is no other way to ask whether a pattern is well-formed.
    }
  }
  return undefined
}
