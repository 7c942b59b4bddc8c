export type PatternNode =
  /** A literal, `.`, an escape such as `\d`, or a class such as `[a-z]`. */
  | { readonly kind: 'character'; readonly source: string }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'look'; readonly isBehind: boolean; readonly isNegative: boolean; readonly body: PatternNode }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly least: number; readonly most: number }

export type Assertion = 'start' | 'end' | 'boundary' | 'inside'

/** Error for a valid pattern that cannot be matched in linear time. */
export class UnsupportedPatternError extends Error {
  override readonly name = 'UnsupportedPatternError'
  /** Unsupported element of the pattern, for example `a back reference`. */
  readonly part: string

  constructor(part: string) {
    super(`a pattern with ${part} cannot be matched in linear time`)
    this.part = part
  }
}

const largestCount = Number.MAX_SAFE_INTEGER

const empty: PatternNode = { kind: 'sequence', parts: [] }

function isEmpty(node: PatternNode): boolean {
  return node.kind === 'sequence' && node.parts.length === 0
}

/** Each nested group needs a frame of the call stack. */
const deepest = 200

const classToken = '\\[(?:\\\\.|[^\\]\\\\])*\\]'
const escapeToken = '\\\\u[\\da-fA-F]{4}|\\\\x[\\da-fA-F]{2}|\\\\c[a-zA-Z]|\\\\.'
const pairToken = '\\\\u[dD][89abAB][\\da-fA-F]{2}\\\\u[dD][c-fC-F][\\da-fA-F]{2}'

const plainTokens = {
  or: /\|/y,
  symbol: /[*+?]\??/y,
  // Without the `u` flag, a brace that does not begin a count is a literal.
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
 * The caller must first confirm that the JavaScript engine accepts the pattern with the same flags.
 *
 * @throws {UnsupportedPatternError} for back references, inline flags, `\c` without a letter, very large counts, and groups nested deeper than 200
 * levels
 */
export function parsePattern(pattern: string, flags: '' | 'u'): PatternNode {
  return new PatternReader(pattern, flags === 'u').choice()
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

  choice(): PatternNode {
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
      // Dropping empty parts limits the work by the length of the pattern, whatever its counts are.
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
    if (open !== undefined) return this.#group(open)
    if (this.#take('reference') !== undefined) throw new UnsupportedPatternError('a back reference')
    if (this.#take('bareControl') !== undefined) throw new UnsupportedPatternError('`\\c` without a letter')
    return { kind: 'character', source: this.#take('character') ?? '' }
  }

  #group(open: string): PatternNode {
    if (open === '(' && this.#next() === '?') throw new UnsupportedPatternError('inline flags')
    const body = this.choice()
    // Skip the closing parenthesis.
    this.#at += 1
    if (!/[=!]$/.test(open)) return body
    return { kind: 'look', isBehind: open.includes('<'), isNegative: open.endsWith('!'), body }
  }

  #next(): string | undefined {
    return this.#pattern[this.#at]
  }

  #take(name: keyof typeof plainTokens): string | undefined {
    const token = this.#tokens[name]
    token.lastIndex = this.#at
    const taken = token.exec(this.#pattern)?.[0]
    if (taken !== undefined) this.#at += taken.length
    return taken
  }
}
