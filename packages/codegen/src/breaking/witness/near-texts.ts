import type { SchemaObject } from '../../schema/json/json-schema.js'
import { patternTexts } from '../../schema/values/pattern-texts.js'
import { commonValues } from '../../schema/values/sample.js'
import { numbersOf, textsOf } from '../inclusion/flatten.js'

/** Texts of which one fits most patterns, some of them beside the common ones. */
const texts: readonly string[] = [
  ...commonValues.filter((value): value is string => typeof value === 'string'),
  ...['', 'b', 'A', 'ab', 'A-1', 'a1', '0', '-', ' ', 'é'],
]

/** A text of each format that is asserted. */
const ofFormats: ReadonlyMap<string, string> = new Map([
  ['date-time', '2024-01-01T00:00:00Z'],
  ['date', '2024-01-01'],
  ['time', '12:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'sample@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '10.0.0.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['uri-reference', '/a'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['regex', '^a$'],
])

/** Longer ones are not tried. */
const longest = 20_000

/** Texts of the formats and patterns that schemas ask for, and on both sides of every length; the likeliest come first. */
export function nearTexts(plain: readonly SchemaObject[]): readonly string[] {
  const lengths = nearLengths(plain, ['minLength', 'maxLength'], longest)
  const long = lengths.flatMap((length) => ['a', '0', 'A'].map((char) => char.repeat(length)))
  const matched = textsOf(plain, 'pattern').flatMap(patternTexts)
  const formatted = textsOf(plain, 'format').flatMap((format) => ofFormats.get(format) ?? [])
  return [...new Set([...formatted, ...matched, ...long.slice(0, 3), ...texts, ...ofFormats.values(), ...long])]
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
