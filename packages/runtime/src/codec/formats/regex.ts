// A longer pattern is no tool argument, and the engine's own parser recurses.
const longestPattern = 10_000

/** Whether a text is a regular expression of ECMA-262 under its `u` flag, of at most 10,000 characters. */
export function isRegex(text: string): boolean {
  if (text.length > longestPattern) return false
  try {
    new RegExp(text, 'u')
    return true
  } catch {
    // There is no other way to ask whether a pattern is well-formed.
    return false
  }
}
