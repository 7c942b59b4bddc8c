import { isAnchored, isLinearByBacktracking } from './pattern-linearity.js'
import { type Assertion, type PatternNode, parsePattern, UnsupportedPatternError } from './pattern-syntax.js'

export { UnsupportedPatternError } from './pattern-syntax.js'

/** Regular expression that is matched in linear time: in time proportional to the length of the string. */
export interface Pattern {
  /** Returns whether the expression matches the text or a part of the text. */
  test(text: string): boolean
}

/** Maximum length of a pattern, because the time to compile a pattern can grow faster than its length. */
export const maxPatternLength = 10_000

/**
 * Compiles a `pattern` of JSON Schema. Uses the `u` flag if the pattern is valid with this flag. Uses a JavaScript
 * `RegExp` if the `RegExp` provably matches in linear time, or else an automaton.
 *
 * @throws {SyntaxError} for a string that is not a regular expression
 * @throws {UnsupportedPatternError} for a pattern with back references, inline flags or very large counts
 * @example
 * compilePattern('^(a+)+$').test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab') // false, at once
 */
export function compilePattern(source: string): Pattern {
  const { pattern, flags } = parseSource(source)
  const expression = new RegExp(source, flags)
  return isLinearByBacktracking(pattern) && isCompilable(expression) ? expression : new PatternAutomaton(pattern, flags)
}

export function parseSource(source: string): { readonly pattern: PatternNode; readonly flags: '' | 'u' } {
  if (source.length > maxPatternLength) throw new UnsupportedPatternError(`more than ${maxPatternLength} characters`)
  const flags = isLegalPattern(source, 'u') ? 'u' : ''
  if (flags === '') new RegExp(source)
  return { pattern: parsePattern(source, flags), flags }
}

/** Returns whether the JavaScript engine accepts a pattern with at least one of the `flags`. Default: the flag `u` or no flag. */
export function isLegalPattern(source: string, ...flags: readonly string[]): boolean {
  return (flags.length === 0 ? ['u', ''] : flags).some((each) => {
    try {
      new RegExp(source, each)
      return true
    } catch {
      // The constructor is the only way to validate a pattern.
      return false
    }
  })
}

/** Runs a match, because engines report very large counts only at the first match. */
function isCompilable(expression: RegExp): boolean {
  if (!expression.source.includes('{')) return true
  try {
    expression.test('')
    return true
  } catch {
    return false
  }
}

/**
 * Describes why a valid pattern cannot be matched in linear time: returns the unsupported part, for example `'a back reference'`. Returns `undefined`
 * for a supported or invalid pattern.
 */
export function unsupportedPart(source: string): string | undefined {
  try {
    compilePattern(source)
    return undefined
  } catch (error) {
    if (error instanceof UnsupportedPatternError) return error.part
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Limit for all automata of a pattern. In the worst case, matching needs one step per state for each character. */
const mostStates = 5000

type State =
  | { readonly kind: 'match' }
  | { readonly kind: 'character'; readonly character: Character; readonly next: number }
  | { readonly kind: 'split'; next: number; readonly other: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'look'; readonly look: number; readonly isNegative: boolean; readonly next: number }

interface Automaton {
  readonly states: readonly State[]
  readonly start: number
  readonly isBackward: boolean
}

/**
 * Follows all alternatives at the same time and reads each character once, so that the time is linear. Each look-around is a separate automaton that
 * runs first and records the positions of its matches.
 */
export class PatternAutomaton {
  readonly #isUnicode: boolean
  readonly #isAnchored: boolean
  readonly #main: Automaton
  readonly #looks: readonly Automaton[]
  /** Only tests use this number. */
  steps = 0

  constructor(pattern: PatternNode, flags: '' | 'u') {
    const builder = new AutomatonBuilder(flags)
    this.#isUnicode = flags === 'u'
    this.#isAnchored = isAnchored(pattern)
    this.#main = builder.automaton(pattern, false)
    this.#looks = builder.looks
  }

  test(text: string): boolean {
    const codes = this.#isUnicode ? codePointsOf(text) : codeUnitsOf(text)
    const matched: Uint8Array[] = []
    for (const look of this.#looks) {
      const positions = new Uint8Array(codes.length + 1)
      this.#run(look, { codes, matched, isAnchored: false }, (position) => {
        positions[position] = 1
        return false
      })
      matched.push(positions)
    }
    return this.#run(this.#main, { codes, matched, isAnchored: this.#isAnchored }, () => true)
  }

  #run({ states, start, isBackward }: Automaton, input: Input, report: (position: number) => boolean): boolean {
    const { codes, isAnchored: startsOnce } = input
    const { length } = codes
    const reached = new Uint32Array(states.length)
    let characters: number[] = []
    for (let index = 0; index <= length; index++) {
      const position = isBackward ? length - index : index
      const pending: number[] = []
      if (index > 0) {
        const code = codes[isBackward ? position : position - 1] ?? 0
        for (const each of characters) {
          const state = states[each]
          if (state?.kind === 'character' && state.character.matches(code)) pending.push(state.next)
        }
      }
      if (index === 0 || !startsOnce) pending.push(start)
      if (pending.length === 0) return false
      characters = []
      let isMatch = false
      for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
        if (reached[each] === index + 1) continue
        reached[each] = index + 1
        this.steps += 1
        const state = states[each]
        if (state === undefined) continue
        if (state.kind === 'match') isMatch = true
        else if (state.kind === 'character') characters.push(each)
        else if (state.kind === 'split') pending.push(state.next, state.other)
        else if (holds(state, position, input)) pending.push(state.next)
      }
      if (isMatch && report(position)) return true
    }
    return false
  }
}

class AutomatonBuilder {
  readonly looks: Automaton[] = []
  readonly #flags: '' | 'u'
  readonly #characters: Map<string, Character> = new Map()
  #states: State[] = []
  #isBackward = false
  #count = 0

  constructor(flags: '' | 'u') {
    this.#flags = flags
  }

  automaton(pattern: PatternNode, isBackward: boolean): Automaton {
    const outer = { states: this.#states, isBackward: this.#isBackward }
    const states: State[] = []
    this.#states = states
    this.#isBackward = isBackward
    const start = this.#build(pattern, this.#add({ kind: 'match' }))
    this.#states = outer.states
    this.#isBackward = outer.isBackward
    return { states, start, isBackward }
  }

  #build(node: PatternNode, next: number): number {
    switch (node.kind) {
      case 'character':
        return this.#add({ kind: 'character', character: this.#character(node.source), next })
      case 'assertion':
        return this.#add({ kind: 'assertion', assertion: node.assertion, next })
      case 'look': {
        // The automaton of a look-ahead reads the string from its end, so that one pass finds all positions at which it matches.
        this.looks.push(this.automaton(node.body, !node.isBehind))
        return this.#add({ kind: 'look', look: this.looks.length - 1, isNegative: node.isNegative, next })
      }
      case 'sequence': {
        const parts = this.#isBackward ? node.parts : [...node.parts].reverse()
        return parts.reduce((following, part) => this.#build(part, following), next)
      }
      case 'choice':
        return node.options
          .map((option) => this.#build(option, next))
          .reduce((all, option) => this.#add({ kind: 'split', next: all, other: option }))
      case 'repeat':
        return this.#repeat(node, next)
    }
  }

  #repeat({ body, least, most }: PatternNode & { readonly kind: 'repeat' }, next: number): number {
    let start = next
    let required = least
    if (most === Number.POSITIVE_INFINITY) {
      const loop: State & { kind: 'split' } = { kind: 'split', next, other: next }
      start = this.#add(loop)
      loop.next = this.#build(body, start)
      if (required > 0) {
        start = loop.next
        required -= 1
      }
    } else {
      for (let count = least; count < most; count++) {
        start = this.#add({ kind: 'split', next: this.#build(body, start), other: next })
      }
    }
    for (let count = 0; count < required; count++) start = this.#build(body, start)
    return start
  }

  #character(source: string): Character {
    const known = this.#characters.get(source) ?? new Character(source, this.#flags)
    this.#characters.set(source, known)
    return known
  }

  #add(state: State): number {
    this.#count += 1
    if (this.#count > mostStates) throw new UnsupportedPatternError(`counts that need more than ${mostStates} states`)
    return this.#states.push(state) - 1
  }
}

class Character {
  readonly #expression: RegExp
  readonly #known: Uint8Array = new Uint8Array(128)

  constructor(source: string, flags: '' | 'u') {
    this.#expression = new RegExp(`^(?:${source})$`, flags)
  }

  matches(code: number): boolean {
    const known = code < 128 ? this.#known[code] : 0
    if (known !== 0) return known === 1
    const isMatch = this.#expression.test(String.fromCodePoint(code))
    if (code < 128) this.#known[code] = isMatch ? 1 : 2
    return isMatch
  }
}

interface Input {
  readonly codes: readonly number[]
  readonly matched: readonly Uint8Array[]
  readonly isAnchored: boolean
}

function holds(
  state: State & { readonly kind: 'assertion' | 'look' },
  position: number,
  { codes, matched }: Input,
): boolean {
  if (state.kind === 'look') return (matched[state.look]?.[position] === 1) !== state.isNegative
  if (state.assertion === 'start') return position === 0
  if (state.assertion === 'end') return position === codes.length
  const isBoundary = isWord(codes[position - 1]) !== isWord(codes[position])
  return isBoundary === (state.assertion === 'boundary')
}

function isWord(code: number | undefined): boolean {
  if (code === undefined) return false
  return (
    (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)
  )
}

function codePointsOf(text: string): readonly number[] {
  const codes: number[] = []
  for (const character of text) codes.push(character.codePointAt(0) ?? 0)
  return codes
}

function codeUnitsOf(text: string): readonly number[] {
  return Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
}
