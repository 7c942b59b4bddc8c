export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index += 1) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

function rank(unit: number): number {
  // Surrogates encode the highest code points, and must therefore come after all other code units.
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/** Escapes text that would end the comment, start a tag, or hide characters. `indent` is the number of columns before all lines except the first. */
export function docComment(text: string, indent = 0): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map(harmless)
  while (lines.length > 1 && lines[0] === '') lines.shift()
  while (lines.length > 1 && lines.at(-1) === '') lines.pop()
  const [only = ''] = lines
  if (lines.length === 1 && indent + only.length + 7 <= lineWidth) return only === '' ? '/** */' : `/** ${only} */`
  const margin = ' '.repeat(indent)
  const wrapped = lines.flatMap((line) => wrap(line, lineWidth - indent - 3))
  return ['/**', ...wrapped.map((line) => `${margin} * ${line}`.trimEnd()), `${margin} */`].join('\n')
}

export function lineComment(text: string): string {
  return `// ${harmless(text.replace(/[\n\r\u2028\u2029]+/g, ' '))}`
}

function harmless(line: string): string {
  return line
    .replaceAll('\t', ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll('*/', '*\\/')
    .replace(/(?<![\p{L}\p{N}])@/gu, '\\@')
    .trim()
}

function wrap(line: string, width: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/ +/)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current)
      current = word
    } else {
      current = current === '' ? word : `${current} ${word}`
    }
  }
  return [...lines, current]
}

export type LiteralValue = LiteralScalar | readonly LiteralValue[] | { readonly [key: string]: LiteralValue }

type LiteralScalar = string | number | boolean | null | bigint | Date | Uint8Array

export const lineWidth = 120

export interface LiteralPosition {
  readonly indent: number
  /** Number of columns on the first line that the text before and after the literal needs. */
  readonly used: number
}

/** Writes the key `__proto__` as `['__proto__']`, because the plain key would set the prototype. */
export function literalText(value: LiteralValue, position: LiteralPosition): string {
  const room = lineWidth - position.used
  if (!isNested(value)) return flatLiteral(value)
  if (minLength(value, room) <= room) {
    const flat = flatLiteral(value)
    if (flat.length <= room) return flat
  }
  const indent = position.indent + 2
  const margin = ' '.repeat(indent)
  if (isArray(value)) {
    const items = value.map((item) => `${margin}${literalText(item, { indent, used: indent + 1 })},\n`)
    return `[\n${items.join('')}${' '.repeat(position.indent)}]`
  }
  const entries = Object.entries(value).map(([key, item]) => {
    const start = `${margin}${keyText(key)}: `
    return `${start}${literalText(item, { indent, used: start.length + 1 })},\n`
  })
  return `{\n${entries.join('')}${' '.repeat(position.indent)}}`
}

function minLength(value: LiteralValue, max: number): number {
  if (typeof value === 'string') return value.length + 2
  if (!isNested(value)) return 1
  let length = 0
  for (const item of Object.values(value)) if (length <= max) length += minLength(item, max - length) + 2
  return length
}

export function flatLiteral(value: LiteralValue): string {
  if (typeof value === 'string') return stringText(value)
  // JSON.stringify would print -0 as 0.
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Date) return `new Date(${stringText(value.toISOString())})`
  if (value instanceof Uint8Array) return `Uint8Array.of(${[...value].join(', ')})`
  if (isArray(value)) return `[${value.map(flatLiteral).join(', ')}]`
  const entries = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${flatLiteral(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

export function stringText(text: string): string {
  // Fast path for strings without escapes.
  if (/^[ -&(-[\]-~]*$/.test(text)) return `'${text}'`
  const quote = text.split("'").length > text.split('"').length ? '"' : "'"
  let body = ''
  for (const character of text)
    body += character === quote || character === '\\' ? `\\${character}` : visible(character)
  return `${quote}${body}${quote}`
}

export function keyText(key: string): string {
  if (key === '__proto__') return "['__proto__']"
  return isPlainIdentifier(key) ? key : stringText(key)
}

export function propertyNameText(name: string): string {
  return isPlainIdentifier(name) ? name : stringText(name)
}

export function accessText(name: string, optional = false): string {
  if (isPlainIdentifier(name)) return `${optional ? '?' : ''}.${name}`
  return `${optional ? '?.' : ''}[${stringText(name)}]`
}

function isPlainIdentifier(text: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(text)
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
])

function visible(character: string): string {
  const short = shortEscapes.get(character)
  if (short !== undefined) return short
  const isHidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point}]/u.test(character)
  if (!isHidden || character === ' ') return character
  return Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join('')
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

function isNested(value: LiteralValue): value is Exclude<LiteralValue, LiteralScalar> {
  const isScalar = typeof value !== 'object' || value === null || value instanceof Date || value instanceof Uint8Array
  return !isScalar && Object.keys(value).length > 0
}

function isArray(value: LiteralValue): value is readonly LiteralValue[] {
  return Array.isArray(value)
}

export function pascal(name: string): string {
  let text = ''
  for (const word of name.split(/[^A-Za-z0-9]+/)) text += word.charAt(0).toUpperCase() + word.slice(1)
  return text
}

const hidden: RegExp = /(?![\n\t])[\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

export function printable(text: string): string {
  return text.replace(hidden, (character) => escaped(character.charCodeAt(0)))
}

export function printableLine(text: string): string {
  return printable(text).replace(/[\n\t]/g, (character) => escaped(character.charCodeAt(0)))
}

export function shellWord(text: string): string {
  return /^[\w./@:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
