/**
 * Makes the shortest text that a simple pattern describes: literals, classes, groups, alternatives (the first one) and
 * counts. `undefined` for look-arounds, back references and the like. The caller checks the text against the pattern.
 */
export function patternText(pattern: string): string | undefined {
  const reader = new PatternReader(pattern)
  const text = reader.alternatives()
  return reader.atEnd() ? text : undefined
}

const classes: ReadonlyMap<string, string> = new Map([
  ['d', '0'],
  ['D', 'a'],
  ['w', 'a'],
  ['W', '-'],
  ['s', ' '],
  ['S', 'a'],
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
])
const counts = /\{(\d+)(?:,\d*)?\}\??/y
// More repetitions make no useful example.
const mostRepeated = 200
// What a negated class most likely allows.
const usual = ['a', '0', 'A', '-', ' ']

class PatternReader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  atEnd(): boolean {
    return this.#at >= this.#pattern.length
  }

  /** Reads `a|b|c`: the text of the first alternative that has one. */
  alternatives(): string | undefined {
    let text = this.#sequence()
    while (this.#take('|')) {
      const other = this.#sequence()
      text ??= other
    }
    return text
  }

  #sequence(): string | undefined {
    let text: string | undefined = ''
    while (!this.atEnd() && this.#peek() !== '|' && this.#peek() !== ')') {
      const part: string | undefined = this.#atom()
      const times = this.#times()
      text = text === undefined || part === undefined || times > mostRepeated ? undefined : text + part.repeat(times)
    }
    return text
  }

  #atom(): string | undefined {
    const char = this.#next()
    switch (char) {
      case '^':
      case '$':
        return ''
      case '.':
        return 'a'
      case '[':
        return this.#class()
      case '(':
        return this.#group()
      case '\\':
        return this.#escape()
      default:
        return char
    }
  }

  #group(): string | undefined {
    const isNamed = this.#pattern.startsWith('?<', this.#at) && !/[=!]/.test(this.#pattern[this.#at + 2] ?? '')
    if (isNamed) this.#at = this.#pattern.indexOf('>', this.#at) + 1
    const isPlain = isNamed || this.#peek() !== '?' || this.#take('?:')
    const text = this.alternatives()
    return this.#take(')') && isPlain ? text : undefined
  }

  #escape(): string | undefined {
    const char = this.#next()
    return classes.get(char) ?? (/[a-zA-Z0-9]/.test(char) ? undefined : char)
  }

  #class(): string | undefined {
    const start = this.#at
    const isNegated = this.#take('^')
    let first: string | undefined
    while (!this.atEnd() && this.#peek() !== ']') {
      const char = this.#next()
      const member = char === '\\' ? this.#escape() : char
      first ??= member
    }
    if (!this.#take(']')) return undefined
    if (!isNegated) return first
    const isMember = new RegExp(`[${this.#pattern.slice(start, this.#at)}`)
    return usual.find((char) => isMember.test(char))
  }

  /** How often the last atom must occur at least. */
  #times(): number {
    if (this.#take('*') || this.#take('?')) return this.#lazily(0)
    if (this.#take('+')) return this.#lazily(1)
    counts.lastIndex = this.#at
    const match = counts.exec(this.#pattern)
    if (match === null) return 1
    this.#at = counts.lastIndex
    return Number(match[1])
  }

  #lazily(times: number): number {
    this.#take('?')
    return times
  }

  #peek(): string {
    return this.#pattern[this.#at] ?? ''
  }

  #next(): string {
    const char = this.#peek()
    this.#at += 1
    return char
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false
    this.#at += text.length
    return true
  }
}
