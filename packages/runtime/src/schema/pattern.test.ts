import { type Arbitrary, array, assert, constantFrom, letrec, oneof, property, tuple } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeRanges, simpleRanges } from './character-classes.js'
import { compilePattern, PatternAutomaton, UnsupportedPatternError } from './pattern.js'
import { isLinearByBacktracking } from './pattern-linearity.js'
import { type PatternNode, parsePattern } from './pattern-syntax.js'

type Flags = '' | 'u'

const common = [
  'a',
  'b',
  '-',
  '.',
  '\\d',
  '\\w',
  '\\W',
  '\\s',
  '[ab]',
  '[^a]',
  '[a-c-]',
  '[]',
  '[^]',
  '\\n',
  'é',
  '\\u0061',
]
const ofFlags = {
  u: ['\\p{L}', '😀', '\\u{1F600}', '[😀-😂]', '\\uD83D\\uDE00', '[\\uD83D\\uDE00b]'],
  '': ['\\-', '{', ']', '(?:\\u{2})', '😀', '[😀]', '\\p', '[\\u{61}]', '[\\d-a]', '\\x6', '[\\0]', '[\\012]'],
}
const letters = ['a', 'b', '-', '1', '\n', ' ', 'é', '😀', '\ud83d', '\ude00', '{', ']', 'u', 'p', 'x', '6', 'd']
const texts = array(constantFrom(...letters), { maxLength: 7 }).map((parts) => parts.join(''))

/** Random patterns of a few levels. */
function patterns(atoms: readonly string[], groups: readonly string[]): Arbitrary<string> {
  const small = { depthSize: 'small', withCrossShrink: true } as const
  const joined = (parts: readonly string[]): string => parts.join('')
  return letrec<{ node: string; part: string }>((tie) => ({
    part: oneof(
      small,
      constantFrom(...atoms),
      constantFrom('^', '$', '\\b', '\\B'),
      tuple(constantFrom(...atoms), constantFrom('*', '+', '?', '{2}', '{1,2}', '{1,}?', '*?')).map(joined),
      tuple(constantFrom(...groups), tie('node')).map(([open, node]) => `${open}${node})`),
      tuple(tie('node'), constantFrom('*', '+', '?', '{2}', '{0,2}', '{2,}')).map(
        ([node, count]) => `(?:${node})${count}`,
      ),
    ),
    node: oneof(
      small,
      array(tie('part'), { maxLength: 4 }).map(joined),
      tuple(tie('node'), tie('node')).map(([a, b]) => `${a}|${b}`),
    ),
  })).node
}

describe('an automaton', () => {
  it.each<Flags>(['', 'u'])('agrees with the regular expressions of JavaScript with the flags "%s"', (flags) => {
    const sources = patterns([...common, ...ofFlags[flags]], ['(', '(?:', '(?<name>', '(?=', '(?!', '(?<=', '(?<!'])
    assert(
      property(sources, array(texts, { minLength: 5, maxLength: 5 }), (given, samples) => {
        // A name can stand once.
        const source = given.split('(?<name>').join('(')
        const expression = new RegExp(source, flags)
        const automaton = new PatternAutomaton(parsePattern(source, flags), flags)
        // V8 begins matches of no length within a character of two units, against the specification.
        const isOdd = flags === 'u' && /\\B|\(\?<?!|\(\?<=/.test(source)
        for (const text of samples.filter((each) => !isOdd || !each.includes('😀'))) {
          expect([source, text, automaton.test(text)]).toEqual([source, text, expression.test(text)])
        }
      }),
      { numRuns: 1500 },
    )
  })

  it('agrees with them on named groups and on characters within a pair', () => {
    for (const [source, text] of [
      ['^(?<year>\\d{4})-(?<rest>.*)$', '2020-x'],
      ['^.$', '😀'],
      ['\\ude00', '😀'],
      ['^[^a]$', '\ud83d'],
    ] as const) {
      const automaton = new PatternAutomaton(parsePattern(source, 'u'), 'u')
      expect([source, automaton.test(text)]).toEqual([source, new RegExp(source, 'u').test(text)])
    }
  })
})

it.each<Flags>(['', 'u'])('the characters of an atom include all that it matches, with the flags "%s"', (flags) => {
  const codes = [...Array(0x300).keys(), 0x1680, 0x2028, 0x2029, 0xd83d, 0xde00, 0xfeff, 0xffff, 0x1f600, 0x10ffff]
  const more = ['.', '\\S', '\\D', '\\cA', '[\\w.-]', '[^\\s"]', '[\\b]', '[a\\-z]', '[\\x41-\\x5a]', '\\x41', '\\/']
  for (const source of [...common, ...ofFlags[flags], ...more]) {
    const isLegal = parsePattern(source, flags).kind === 'character'
    const ranges = codeRanges(source)
    const expression = new RegExp(`^(?:${source})$`, flags)
    for (const code of isLegal ? codes.filter((each) => flags === 'u' || each <= 0xffff) : []) {
      const isIn = ranges.some(([from, to]) => from <= code && code <= to)
      const isMatch = expression.test(String.fromCodePoint(code))
      if (isMatch) expect([source, code, isIn]).toEqual([source, code, true])
      // Without the flag, what a class excludes is units, not characters.
      if (simpleRanges(source) !== undefined && code < 0xd800)
        expect([source, code, isIn]).toEqual([source, code, isMatch])
    }
  }
})

describe('defect 7: a regular expression of JavaScript is used only where it takes linear time', () => {
  it.each([
    ...['^a+$', '^[A-Z]+$', '^\\d{4}-\\d{2}-\\d{2}$', '^[a-z0-9]+(?:-[a-z0-9]+)*$', '^(foo|foobar)$', 'Z$', '^A-', 'x'],
    ...['^[a-z]{1,4000}$', '^(?:a|b)*c$', '^refs/(heads|tags)/.*$', '\\d+', '^-?(0|[1-9][0-9]*)$', '^\\p{L}+$'],
    ...['^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', '^(?!con$)[a-z]{1,9}$'],
  ])('it is for %s', (source) => {
    expect(compilePattern(source)).toBeInstanceOf(RegExp)
  })

  it.each([
    ...['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(\\w+\\s?)*$', '^([a-c]|b)*d$', '^(.*a){12}$', '(x+x+)+y', '^(a*)*$'],
    ...['^\\s+|\\s+$', 'a*a*b', '^a*a*$', '\\s+$', '^\\S+@\\S+$', '^[^@]+@[^@]+\\.[^@]+$', '^.*,.*,.*$', '[a-z]+_x$'],
    ...[
      '^(a?){30}a{30}$',
      '^(?:a?b?)*$',
      '^(?=.*a)(?=.*b).{8,}$',
      '^(?:\\b|a)*$',
      '^(?:a{0,20}){20}$',
      '^.{0,90}.{0,90}x',
    ],
    ...['^\\p{L}+\\w+$', '^(?:[\\s\\S]|a)*$', '^a+(?:$|a)', '^(?:(?=a+b)a)*$', '^(?:a|(b)*)*$'],
  ])('it is not for %s', (source) => {
    expect(compilePattern(source)).toBeInstanceOf(PatternAutomaton)
  })

  it('the steps of a backtracking engine grow no faster than the text for what is accepted', () => {
    const sources = patterns(['a', 'b', '[ab]', '[^a]', '.', '\\w', '-'], ['(', '(?:', '(?=', '(?<!'])
    const words = array(constantFrom('a', 'b', '-', 'ab', 'ba', 'a-', 'aab', '\n'), { minLength: 1, maxLength: 3 })
    let accepted = 0
    assert(
      property(sources, constantFrom('^', ''), words, constantFrom('', '!', 'a', 'b'), (given, start, pump, end) => {
        const source = `${start}(?:${given})$`
        const pattern = parsePattern(source, 'u')
        if (!isLinearByBacktracking(pattern)) return
        accepted += 1
        const cost = (times: number): number => stepsToMatch(pattern, pump.join('').repeat(times) + end)
        const [short, middle, long] = [cost(20), cost(40), cost(80)]
        // Twice the text, twice the steps; four times is quadratic.
        expect([source, long - middle <= 2.5 * (middle - short) + 100]).toEqual([source, true])
      }),
      { numRuns: 4000 },
    )
    expect(accepted).toBeGreaterThan(300)
  })

  it('the counting engine of that test finds out what is not linear', () => {
    const cost = (source: string, times: number): number =>
      stepsToMatch(parsePattern(source, 'u'), `${'a'.repeat(times)}!`)
    expect(cost('^a*a*$', 80) - cost('^a*a*$', 40)).toBeGreaterThan(3 * (cost('^a*a*$', 40) - cost('^a*a*$', 20)))
    expect(() => cost('^(a+)+$', 40)).toThrow('too many steps')
  })
})

it('defect 7: the work of an automaton grows no faster than the text', () => {
  for (const source of ['^(a+)+$', '^(a|aa)+$', '^a*a*a*$', '\\s+$', '^(?:(?=(a+)+b)a)*$', '^(?:(?<=(a|a)*)a)*$']) {
    const cost = (length: number): number => {
      const automaton = new PatternAutomaton(parsePattern(source, 'u'), 'u')
      const text = 'a'.repeat(length)
      expect(automaton.test(`${text}!`)).toBe(false)
      return automaton.steps
    }
    expect([source, cost(4000) - cost(2000) <= 2.1 * (cost(2000) - cost(1000))]).toEqual([source, true])
  }
})

describe('defect 7: a pattern that nothing matches in linear time is refused', () => {
  it.each([
    ['^(a+)\\1$', 'a back reference'],
    ['^(?<x>a)\\k<x>$', 'a back reference'],
    [`${'(?:'.repeat(300)}a${')'.repeat(300)}`, 'groups nested deeper than 200 levels'],
    ['^(?:a{0,1000}){1000}b$', 'counts that need more than 5000 states'],
    ['a'.repeat(10_001), 'more than 10000 characters'],
  ])('%s', (source, part) => {
    expect(() => compilePattern(source)).toThrow(UnsupportedPatternError)
    expect(() => compilePattern(source)).toThrow(`a pattern with ${part} cannot be matched in linear time`)
  })

  it('what is no regular expression is a SyntaxError', () => {
    expect(() => compilePattern('(')).toThrow(SyntaxError)
  })
})

/** Matches as a backtracking engine does, begun at every position, and counts the steps. */
function stepsToMatch(pattern: PatternNode, text: string): number {
  let steps = 0
  type Next = (at: number) => boolean
  const isWord = (at: number): boolean => /\w/.test(text[at] ?? '')
  const match = (node: PatternNode, at: number, next: Next): boolean => {
    steps += 1
    if (steps > 2_000_000) throw new Error('too many steps')
    switch (node.kind) {
      case 'character':
        return at < text.length && new RegExp(`^(?:${node.source})$`, 'u').test(text[at] ?? '') && next(at + 1)
      case 'assertion':
        if (node.assertion === 'start') return at === 0 && next(at)
        if (node.assertion === 'end') return at === text.length && next(at)
        return (isWord(at - 1) !== isWord(at)) === (node.assertion === 'boundary') && next(at)
      case 'look':
        // Looking behind costs as much from any start before.
        return match(node.body, node.isBehind ? Math.max(0, at - 1) : at, () => true) !== node.isNegative && next(at)
      case 'sequence':
        return node.parts.reduceRight<Next>((rest, part) => (here) => match(part, here, rest), next)(at)
      case 'choice':
        return node.options.some((option) => match(option, at, next))
      case 'repeat': {
        const repeat = (count: number, here: number): boolean =>
          (count < node.most &&
            match(node.body, here, (after) => (after > here || count < node.least) && repeat(count + 1, after))) ||
          (count >= node.least && next(here))
        return repeat(0, at)
      }
    }
  }
  for (let start = 0; start <= text.length; start++) if (match(pattern, start, () => true)) break
  return steps
}
