import type { SchemaObject } from '../../schema/json/json-schema.js'
import { commonValues } from '../../schema/values/sample.js'
import { numbersOf, textsOf } from '../inclusion/flatten.js'
import { patternTexts } from './pattern-texts.js'

/** Texts of which one fits most formats and patterns, some of them beside the common ones. */
const texts: readonly string[] = [
  ...commonValues.filter((value): value is string => typeof value === 'string'),
  ...[
    '',
    'b',
    'A',
    'ab',
    'A-1',
    'a1',
    '0',
    '-',
    ' ',
    'é',
    '12:00:00Z',
    '10.0.0.1',
    '2001:db8::1',
    'P1D',
    'example.com',
    '/a',
  ],
]

/** Longer ones are not tried. */
const longest = 20_000

/** Texts on both sides of every length that schemas ask for. */
export function nearTexts(plain: readonly SchemaObject[]): readonly string[] {
  const lengths = nearLengths(plain, ['minLength', 'maxLength'], longest)
  const long = lengths.flatMap((length) => ['a', '0', 'A'].map((char) => char.repeat(length)))
  const matched = textsOf(plain, 'pattern').flatMap(patternTexts)
  return [...new Set([...matched, ...long.slice(0, 3), ...texts, ...long])]
}

/** Every length that keywords name, with those beside it. */
export function nearLengths(
  plain: readonly SchemaObject[],
  keywords: readonly string[],
  most: number,
): readonly number[] {
  const bounds = keywords.flatMap((keyword) => numbersOf(plain, keyword))
  const near = bounds.flatMap((bound) => [bound, bound + 1, bound - 1])
  return [...new Set(near)].filter((length) => length >= 0 && length <= most)
}
