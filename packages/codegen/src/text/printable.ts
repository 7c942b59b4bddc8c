/** Text as people may see it: what could move a cursor, turn or hide text is shown as an escape; lines and tabs stay. */
export function printable(text: string): string {
  return [...text].map((character) => (isHidden(character) ? escapeOf(character) : character)).join('')
}

/** The same of a name or a path, which stands on one line whatever it holds. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\u000a').replaceAll('\t', '\\u0009')
}

function isHidden(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code === 0x0a || code === 0x09) return false
  const bidi =
    code === 0x200e ||
    code === 0x200f ||
    code === 0x061c ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069)
  const half = code >= 0xd800 && code <= 0xdfff
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029 || bidi || half
}

function escapeOf(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
}
