/** What can be written as a literal: JSON. */
export type LiteralValue =
  | string
  | number
  | boolean
  | null
  | readonly LiteralValue[]
  | { readonly [key: string]: LiteralValue }

/** How wide a line of generated code may be, where possible. */
export const lineWidth = 120

/** Where a literal begins, so that it can break its lines. */
export interface LiteralPlace {
  /** How far the line is indented on which the literal begins, in columns. */
  readonly indent: number
  /** How many columns of that line are taken besides the literal: what stands before it and after its end. */
  readonly used: number
}

/**
 * JSON as a TypeScript literal: on one line where it fits, else one entry per line. A key `__proto__` is computed, so
 * that it is an ordinary property.
 */
export function literalText(value: LiteralValue, place: LiteralPlace): string {
  const flat = flatLiteral(value)
  if (place.used + flat.length <= lineWidth || !isNested(value)) return flat
  const indent = place.indent + 2
  const margin = ' '.repeat(indent)
  if (isList(value)) {
    const items = value.map((item) => `${margin}${literalText(item, { indent, used: indent + 1 })},\n`)
    return `[\n${items.join('')}${' '.repeat(place.indent)}]`
  }
  const entries = Object.entries(value).map(([key, item]) => {
    const start = `${margin}${keyText(key)}: `
    return `${start}${literalText(item, { indent, used: start.length + 1 })},\n`
  })
  return `{\n${entries.join('')}${' '.repeat(place.indent)}}`
}

/** JSON as a TypeScript literal on one line. */
export function flatLiteral(value: LiteralValue): string {
  if (typeof value === 'string') return stringText(value)
  // JSON.stringify would write -0 as 0.
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (isList(value)) return `[${value.map(flatLiteral).join(', ')}]`
  const entries = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${flatLiteral(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

/** A string literal: in single quotes, or in double quotes where that needs fewer escapes. */
export function stringText(text: string): string {
  // What most texts are: nothing of them needs an escape.
  if (/^[ -&(-[\]-~]*$/.test(text)) return `'${text}'`
  const quote = count(text, "'") > count(text, '"') ? '"' : "'"
  let body = ''
  for (const character of text)
    body += character === quote || character === '\\' ? `\\${character}` : visible(character)
  return `${quote}${body}${quote}`
}

/** A key of an object literal: bare where it is an identifier, computed where it is `__proto__`, else quoted. */
export function keyText(key: string): string {
  if (key === '__proto__') return "['__proto__']"
  return isPlainIdentifier(key) ? key : stringText(key)
}

/** A name of a property in a type: bare where it is an identifier, else quoted. */
export function propertyNameText(name: string): string {
  return isPlainIdentifier(name) ? name : stringText(name)
}

/** The access of a property: `.orderId`, or `['order-id']`; with `?.` in front of either where it is optional. */
export function accessText(name: string, optional = false): string {
  if (isPlainIdentifier(name)) return `${optional ? '?' : ''}.${name}`
  return `${optional ? '?.' : ''}[${stringText(name)}]`
}

function isPlainIdentifier(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text)
}

/** A character that people see as it is, else its escape: nothing invisible and nothing that ends a line stays. */
function visible(character: string): string {
  const short = shortEscapes.get(character)
  if (short !== undefined) return short
  if (!/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character) || character === ' ')
    return character
  return Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join('')
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function count(text: string, character: string): number {
  return text.split(character).length - 1
}

function isNested(value: LiteralValue): value is Exclude<LiteralValue, string | number | boolean | null> {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function isList(value: LiteralValue): value is readonly LiteralValue[] {
  return Array.isArray(value)
}
