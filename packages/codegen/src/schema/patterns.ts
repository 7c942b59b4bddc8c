/** How many texts are made for one pattern, each by other choices. */
const most = 4

/**
 * Texts that a simple pattern may match: by its alternatives, its classes, and its counts from the least to the most. None for
 * look-arounds and the like. They are guesses: whether a pattern matches them is for its codec to say.
 */
export function patternTexts(pattern: string): readonly string[] {
  const texts = Array.from({ length: most }, (_, choice) => new PatternGuess(pattern, choice).text())
  return [...new Set(texts.filter((text) => text !== undefined))]
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['d', '0123456789'],
  ['D', 'aA-'],
  ['w', 'abcz09_'],
  ['W', '- '],
  ['s', ' '],
  ['S', 'aA0-'],
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
])

/** What a class that excludes some may still have. */
const usual = 'aZ0-_ .'

/** More repetitions than that are not made where there is no end of them. */
const furthest = 300

/** Reads a pattern once, and takes the same choice wherever there is one. */
class PatternGuess {
  readonly #pattern: string
  readonly #choice: number
  #at = 0

  constructor(pattern: string, choice: number) {
    this.#pattern = pattern
    this.#choice = choice
  }

  text(): string | undefined {
    const text = this.#alternatives()
    return this.#at === this.#pattern.length ? text : undefined
  }

  #alternatives(): string | undefined {
    const texts = [this.#sequence()]
    while (this.#take('|')) texts.push(this.#sequence())
    return texts[this.#choice % texts.length]
  }

  #sequence(): string | undefined {
    let text: string | undefined = ''
    while (this.#at < this.#pattern.length && !['|', ')'].includes(this.#peek())) {
      const part = this.#atom()
      const times = this.#times()
      text = text === undefined || part === undefined ? undefined : text + part.repeat(times)
    }
    return text
  }

  #atom(): string | undefined {
    const char = this.#next()
    if (char === '^' || char === '$') return ''
    if (char === '.') return this.#oneOf(usual)
    if (char === '[') return this.#class()
    if (char === '\\') return this.#oneOf(this.#escaped())
    return char === '(' ? this.#group() : char
  }

  #group(): string | undefined {
    const name = /^\?<[^=!>]*>/.exec(this.#pattern.slice(this.#at))?.[0]
    if (name !== undefined) this.#at += name.length
    const isPlain = name !== undefined || this.#take('?:') || this.#peek() !== '?'
    const text = this.#alternatives()
    return this.#take(')') && isPlain ? text : undefined
  }

  #class(): string | undefined {
    const isNegated = this.#take('^')
    let members = ''
    while (this.#at < this.#pattern.length && this.#peek() !== ']') {
      const first = this.#member()
      const isRange = this.#peek() === '-' && this.#pattern[this.#at + 1] !== ']'
      if (isRange) this.#at += 1
      // The ends of a range stand for all of it.
      members += isRange ? first + this.#member() : first
    }
    if (!this.#take(']')) return undefined
    return this.#oneOf(isNegated ? [...usual].filter((char) => !members.includes(char)).join('') : members)
  }

  #member(): string {
    const char = this.#next()
    return char === '\\' ? this.#escaped() : char
  }

  #escaped(): string {
    const char = this.#next()
    const property = char === 'p' || char === 'P' ? /^\{[^}]*\}/.exec(this.#pattern.slice(this.#at))?.[0] : undefined
    if (property !== undefined) this.#at += property.length
    return property !== undefined ? 'aA0 ' : (escapes.get(char) ?? char)
  }

  /** How often the last part stands there. */
  #times(): number {
    const [found, least, more, end] = /^(?:\{(\d+)(,(\d*))?\}|[*+?])\??/.exec(this.#pattern.slice(this.#at)) ?? ['']
    if (found === '') return 1
    this.#at += found.length
    const lowest = least !== undefined ? Number(least) : found.startsWith('+') ? 1 : 0
    const highest = found.startsWith('?') ? 1 : end ? Number(end) : more || least === undefined ? lowest + 2 : lowest
    return Math.min(furthest, [lowest, highest, Math.min(lowest + 1, highest), highest][this.#choice] ?? lowest)
  }

  #oneOf(chars: string): string | undefined {
    return chars === '' ? undefined : [...chars][this.#choice % [...chars].length]
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
