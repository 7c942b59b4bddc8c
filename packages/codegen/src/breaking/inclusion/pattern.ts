/** A pattern as codecs read it: by Unicode rules, or without where it is legal only so; `undefined` where it is none. */
export function compilePattern(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // There is no other way to ask whether a pattern is well-formed.
    }
  }
  return undefined
}
