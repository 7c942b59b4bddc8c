import {
  type Arbitrary,
  array,
  assert,
  constantFrom,
  integer,
  letrec,
  oneof,
  property,
  string,
  tuple,
} from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PatternAutomaton } from './automaton.js'
import { isLinearByBacktracking } from './backtracking.js'
import { simpleRanges } from './characters.js'
import { compilePattern, UnsupportedPatternError } from './pattern.js'
import { type PatternNode, parsePattern } from './syntax.js'

const characters = [
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
const unicode = ['\\p{L}', '😀', '\\u{1F600}', '[😀-😂]', '\\uD83D\\uDE00', '[\\uD83D\\uDE00b]']
const legacy = ['\\-', '{', ']', '(?:\\u{2})', '😀', '[😀]', '\\p', '[\\u{61}]', '[\\d-a]', '\\x6']
const alphabet = ['a', 'b', '-', '1', '\n', ' ', 'é', '😀', '\ud83d', '\ude00', '{', ']', 'u', 'p', 'x', '6', 'd']

/** Random patterns of a few levels. */
function patterns(flags: '' | 'u'): Arbitrary<string> {
  const atoms = [...characters, ...(flags === 'u' ? unicode : legacy)]
  return letrec<{ node: string; part: string }>((tie) => ({
    part: oneof(
      { depthSize: 'small', withCrossShrink: true },
      constantFrom(...atoms),
      constantFrom('^', '$', '\\b', '\\B'),
      tuple(constantFrom(...atoms), constantFrom('*', '+', '?', '{2}', '{1,2}', '{1,}?', '*?')).map((both) =>
        both.join(''),
      ),
      tuple(constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!'), tie('node')).map(
        ([open, node]) => `${open}${node})`,
      ),
      tuple(tie('node'), constantFrom('*', '+', '?', '{2}', '{0,2}', '{2,}')).map(
        ([node, count]) => `(?:${node})${count}`,
      ),
    ),
    node: oneof(
      { depthSize: 'small', withCrossShrink: true },
      array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
      tuple(tie('node'), tie('node')).map(([a, b]) => `${a}|${b}`),
    ),
  })).node
}

const texts = array(constantFrom(...alphabet), { maxLength: 7 }).map((parts) => parts.join(''))

describe('an automaton', () => {
  it.each(['', 'u'] as const)('agrees with the regular expressions of JavaScript with the flags "%s"', (flags) => {
    assert(
      property(patterns(flags), array(texts, { minLength: 5, maxLength: 5 }), (source, samples) => {
        const expression = new RegExp(source, flags)
        const automaton = new PatternAutomaton(parsePattern(source, flags), flags)
        // V8 begins matches of no length within a character of two units, against the specification.
        const isOdd = flags === 'u' && /\\B|\(\?<[=!]/.test(source)
        for (const text of samples.filter((each) => !isOdd || !each.includes('😀')))
          expect([source, text, automaton.test(text)]).toEqual([source, text, expression.test(text)])
      }),
      { numRuns: 3000 },
    )
  })
})
