/**
 * A pattern of JSON Schema as a literal: Unicode-aware; patterns that are legal only without that, without.
 *
 * @example
 * patternText('^a/b$') // '/^a\\/b$/u'
 */
export function patternText(pattern: string): string {
  const expression = compiled(pattern, 'u') ?? new RegExp(pattern)
  return visible(String(expression))
}

function compiled(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    // There is no other way to ask whether a pattern is legal with these flags.
    return undefined
  }
}

/** Nothing invisible, and nothing that would be read otherwise than it looks, stays in the literal. */
function visible(literal: string): string {
  return literal.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  )
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}
