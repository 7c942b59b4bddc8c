/** A parsed regular expression. */
export type PatternNode =
  | CharacterNode
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'look'; readonly isBehind: boolean; readonly isNegative: boolean; readonly body: PatternNode }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly least: number; readonly most: number }

/** One character: a literal, `.`, an escape such as `\d`, or a class such as `[a-z]`. */
interface CharacterNode {
  readonly kind: 'character'
  readonly source: string
}

/** `^`, `$`, `\b` and `\B`. */
export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

/** Thrown for a pattern that the JavaScript engine accepts and that cannot be matched in linear time. */
export class UnsupportedPatternError extends Error {
  override readonly name = 'UnsupportedPatternError'
  /** Unsupported part of the pattern, e.g. `a back reference`. */
  readonly part: string

  constructor(part: string) {
    super(`a pattern with ${part} cannot be matched in linear time`)
    this.part = part
  }
}

/** Larger counts are refused: arithmetic with them is not exact, or gives infinity. */
const largestCount = Number.MAX_SAFE_INTEGER

const empty: PatternNode = { kind: 'sequence', parts: [] }

function isEmpty(node: PatternNode): boolean {
  return node.kind === 'sequence' && node.parts.length === 0
}

/** Groups nested deeper are not read: each level takes a frame of the call stack. */
const deepest = 200

const classToken = '\\[(?:\\\\.|[^\\]\\\\])*\\]'
const escapeToken = '\\\\u[\\da-fA-F]{4}|\\\\x[\\da-fA-F]{2}|\\\\c[a-zA-Z]|\\\\.'
const pairToken = '\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}'

const plainTokens = {
  or: /\|/y,
  symbol: /[*+?]\??/y,
  // Without the `u` flag a brace that begins no count is a literal.
  count: /\{\d+(?:,\d*)?\}\??/y,
  assertion: /\^|\$|\\[bB]/y,
  open: /\((?:\?(?:<?[=!]|:|<[^>]*>))?/y,
  reference: /\\(?:[1-9]|0\d|k)/y,
  bareControl: /\\c(?![a-zA-Z])/y,
  character: new RegExp(`${classToken}|${escapeToken}|.`, 'sy'),
}
const unicodeTokens = {
  ...plainTokens,
  character: new RegExp(`${classToken}|\\\\u\\{[^}]*\\}|${pairToken}|\\\\[pP]\\{[^}]*\\}|${escapeToken}|.`, 'suy'),
}
const assertions: Readonly<Record<string, Assertion>> = { '^': 'start', $: 'end', '\\b': 'boundary', '\\B': 'inside' }

/**
 * Parses a pattern that the JavaScript engine has accepted with the same flag.
 *
 * @throws {UnsupportedPatternError} for back references, inline flags and groups nested deeper than 200 levels
 */
export function parsePattern(pattern: string, flags: '' | 'u'): PatternNode {
  return new PatternReader(pattern, flags === 'u').read()
}

class PatternReader {
  readonly #pattern: string
  readonly #tokens: typeof plainTokens
  #at = 0
  #depth = 0

  constructor(pattern: string, isUnicode: boolean) {
    this.#pattern = pattern
    this.#tokens = isUnicode ? unicodeTokens : plainTokens
  }

  read(): PatternNode {
    return this.#choice()
  }

  #choice(): PatternNode {
    this.#depth += 1
    if (this.#depth > deepest) throw new UnsupportedPatternError(`groups nested deeper than ${deepest} levels`)
    const options = [this.#sequence()]
    while (this.#take('or') !== undefined) options.push(this.#sequence())
    this.#depth -= 1
    const [only] = options
    return options.length === 1 && only !== undefined ? only : { kind: 'choice', options }
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = []
    while (this.#at < this.#pattern.length && this.#next() !== '|' && this.#next() !== ')') {
      const part = this.#repeated(this.#term())
      // Without empty parts the work on a pattern is bounded by its characters, whatever its counts are.
      if (!isEmpty(part)) parts.push(part)
    }
    const [only] = parts
    return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts }
  }

  #repeated(body: PatternNode): PatternNode {
    const symbol = this.#take('symbol')
    if (symbol !== undefined) {
      if (isEmpty(body)) return empty
      const least = symbol.startsWith('+') ? 1 : 0
      return { kind: 'repeat', body, least, most: symbol.startsWith('?') ? 1 : Number.POSITIVE_INFINITY }
    }
    const count = this.#take('count')
    if (count === undefined) return body
    const [from = '', to = from] = count.replace(/[{}?]/g, '').split(',')
    const [least, most] = [Number(from), to === '' ? Number.POSITIVE_INFINITY : Number(to)]
    if (least > largestCount || (to !== '' && most > largestCount)) {
      throw new UnsupportedPatternError(`a count of more than ${largestCount}`)
    }
    return most === 0 || isEmpty(body) ? empty : { kind: 'repeat', body, least, most }
  }

  #term(): PatternNode {
    const assertion = assertions[this.#take('assertion') ?? '']
    if (assertion !== undefined) return { kind: 'assertion', assertion }
    const open = this.#take('open')
    return open === undefined ? this.#character() : this.#group(open)
  }

  #group(open: string): PatternNode {
    if (open === '(' && this.#next() === '?') throw new UnsupportedPatternError('inline flags')
    const body = this.#choice()
    // The closing parenthesis.
    this.#at += 1
    if (!/[=!]$/.test(open)) return body
    return { kind: 'look', isBehind: open.includes('<'), isNegative: open.endsWith('!'), body }
  }

  #character(): PatternNode {
    if (this.#take('reference') !== undefined) throw new UnsupportedPatternError('a back reference')
    if (this.#take('bareControl') !== undefined) throw new UnsupportedPatternError('`\\c` without a letter')
    return { kind: 'character', source: this.#take('character') ?? '' }
  }

  #next(): string | undefined {
    return this.#pattern[this.#at]
  }

  /** Returns the token at which the reader is, and moves behind it. */
  #take(name: keyof typeof plainTokens): string | undefined {
    const token = this.#tokens[name]
    token.lastIndex = this.#at
    const taken = token.exec(this.#pattern)?.[0]
    if (taken !== undefined) this.#at += taken.length
    return taken
  }
}

/** Code points from one to another, both included. */
export type CodeRange = readonly [from: number, to: number]

const last = 0x10ffff
const digits: readonly CodeRange[] = [[0x30, 0x39]]
const words: readonly CodeRange[] = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
const spaces: readonly CodeRange[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
const lineEnds: readonly CodeRange[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]
const classes: ReadonlyMap<string, readonly CodeRange[]> = new Map([
  ['.', complement(lineEnds)],
  ['\\d', digits],
  ['\\D', complement(digits)],
  ['\\w', words],
  ['\\W', complement(words)],
  ['\\s', spaces],
  ['\\S', complement(spaces)],
])
const controls: ReadonlyMap<string, number> = new Map([
  ['\\t', 0x09],
  ['\\n', 0x0a],
  ['\\v', 0x0b],
  ['\\f', 0x0c],
  ['\\r', 0x0d],
  ['\\0', 0x00],
])

/**
 * Returns the characters that a literal, an escape or a class may match, as {@link united} does: all characters where it is
 * not one of the simple forms, such as `\p{L}`.
 */
export function codeRanges(source: string): readonly CodeRange[] {
  return united(simpleRanges(source) ?? [[0, last]])
}

/** Returns the characters that a literal, an escape or a class matches; `undefined` for other forms than the simple ones. */
export function simpleRanges(source: string): readonly CodeRange[] | undefined {
  const known = classes.get(source)
  if (known !== undefined) return known
  if (source.startsWith('[') && source.endsWith(']') && source.length > 1) return classRanges(source.slice(1, -1))
  const code = codeOf(source)
  return code === undefined ? undefined : [[code, code]]
}

/** Returns the same characters as sorted ranges that neither overlap nor touch. */
export function united(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const merged: CodeRange[] = []
  for (const range of [...ranges].sort(([a], [b]) => a - b)) {
    const before = merged.at(-1)
    if (before === undefined || range[0] > before[1] + 1) merged.push(range)
    else merged[merged.length - 1] = [before[0], Math.max(before[1], range[1])]
  }
  return merged
}

/** Returns whether some of the ranges have a character in common. */
export function overlap(ranges: readonly CodeRange[]): boolean {
  const sorted = [...ranges].sort(([a], [b]) => a - b)
  return sorted.some(([from], index) => from <= (sorted[index - 1]?.[1] ?? -1))
}

const member = /\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\.|./gsu

function classRanges(inner: string): readonly CodeRange[] | undefined {
  const isNegated = inner.startsWith('^')
  const members = (isNegated ? inner.slice(1) : inner).match(member) ?? []
  const ranges: CodeRange[] = []
  for (let index = 0; index < members.length; index++) {
    const source = members[index] ?? ''
    const found = source === '.' ? undefined : classes.get(source)
    if (found !== undefined) {
      // Next to a class a hyphen is a literal in one mode and an error in the other.
      if (members[index + 1] === '-' && index + 2 < members.length) return undefined
      ranges.push(...found)
      continue
    }
    const from = memberCode(source)
    if (from === undefined) return undefined
    if (members[index + 1] !== '-' || index + 2 >= members.length) {
      ranges.push([from, from])
      continue
    }
    const to = memberCode(members[index + 2] ?? '')
    if (to === undefined || to < from) return undefined
    ranges.push([from, to])
    index += 2
  }
  return isNegated ? complement(ranges) : ranges
}

/** Returns the code point of a member of a class; `undefined` for forms whose meaning depends on the mode. */
function memberCode(source: string): number | undefined {
  if (source === '\\b') return 0x08
  if (source === '\\0' || source.startsWith('\\u{')) return undefined
  const code = codeOf(source)
  const isPaired = code !== undefined && (code > 0xffff || (code >= 0xd800 && code <= 0xdfff))
  return isPaired ? undefined : code
}

/** Returns the code point of a literal or an escape; `undefined` where it is more than one, or its meaning depends on the mode. */
function codeOf(source: string): number | undefined {
  if (!source.startsWith('\\')) {
    const code = source.codePointAt(0)
    return code !== undefined && source.length === String.fromCodePoint(code).length ? code : undefined
  }
  const hex = /^\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2}))$/.exec(source)
  if (hex !== null) return Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? '', 16)
  if (/^\\c[a-zA-Z]$/.test(source)) return source.charCodeAt(2) % 32
  const known = controls.get(source)
  if (known !== undefined) return known
  return /^\\[^\da-zA-Z]$/u.test(source) ? source.codePointAt(1) : undefined
}

function complement(ranges: readonly CodeRange[]): readonly CodeRange[] {
  const gaps: CodeRange[] = []
  let next = 0
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    if (from > next) gaps.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  return next > last ? gaps : [...gaps, [next, last]]
}
