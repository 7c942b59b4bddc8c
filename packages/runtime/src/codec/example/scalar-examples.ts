import { countKeyword, numberKeyword, textKeyword } from '../evaluate/keywords.js'
import type { Fields } from '../json/kind.js'
import { describedExample } from './described-example.js'
import { patternText } from './pattern-text.js'

/** A schema object and where it stands. */
interface Place {
  readonly schema: Fields
  readonly pointer: string
}

const formatExamples: ReadonlyMap<string, readonly string[]> = new Map([
  ['date-time', ['2025-01-31T12:00:00Z', '2025-01-31T12:00:00.000Z']],
  ['date', ['2025-01-31']],
  ['time', ['12:00:00Z']],
  ['duration', ['P1D']],
  ['email', ['name@example.com']],
  ['uri', ['https://example.com/']],
  ['uri-reference', ['/path']],
  ['uuid', ['123e4567-e89b-42d3-a456-426614174000', '0194b8e5-7c00-7000-8000-000000000000']],
  ['ipv4', ['192.0.2.1']],
  ['ipv6', ['2001:db8::1']],
  ['hostname', ['example.com']],
  ['regex', ['^a+$']],
])

/** Texts of the types that `x-js` names. */
const typedExamples: ReadonlyMap<string, readonly string[]> = new Map([
  ['bigint', ['1', '2', '3', '10', '100', '0', '-1', '12345678901234567890']],
  ['Uint8Array', ['SGVsbG8=', 'SGk=', 'AA==', 'AQ==', 'AAEC', '']],
])

// Several, for arrays whose items must differ.
const plainTexts = ['text', 'a', 'b', 'c', 'd', 'e']
const plainNumbers = [2, 3, 4, 5, 6, 7, 8, 9, 10]

// Longer texts make no useful example.
const longestPadding = 10_000

/** Texts that may satisfy schemas which all apply, the likeliest first. */
export function textExamples(places: readonly Place[]): readonly string[] {
  const least = Math.max(0, ...present(places.map((place) => countKeyword(place, 'minLength'))))
  const most = Math.min(longestPadding, ...present(places.map((place) => countKeyword(place, 'maxLength'))))
  const formats = present(places.map((place) => textKeyword(place, 'format')))
  const patterns = present(places.map((place) => textKeyword(place, 'pattern')))
  const types = present(places.map((place) => textKeyword(place, 'x-js')))
  const formatted = [
    ...types.flatMap((type) => typedExamples.get(type) ?? []),
    ...described(places),
    ...formats.flatMap((format) => formatExamples.get(format) ?? []),
  ]
  const patterned = present(patterns.map(patternText))
  const seeds = [...formatted, ...patterned, ...patterned.flatMap((text) => joined(text, formatted)), ...plainTexts]
  return seeds.flatMap((seed) => [seed, padded(seed, least), padded(seed, least).slice(0, most)])
}

/** Numbers that may satisfy schemas which all apply, the likeliest first. */
export function numberExamples(places: readonly Place[]): readonly number[] {
  const read = (name: string): readonly number[] => present(places.map((place) => numberKeyword(place, name)))
  const least = [...read('minimum'), ...read('exclusiveMinimum')]
  const most = [...read('maximum'), ...read('exclusiveMaximum')]
  const steps = read('multipleOf')
  const near = [...least, ...most]
  const between = least.flatMap((low) => most.map((high) => (low + high) / 2))
  const multiples = [...near, ...between, 1].flatMap((bound) =>
    steps.flatMap((step) => [Math.ceil(bound / step) * step, (Math.floor(bound / step) + 1) * step]),
  )
  const beside = near.flatMap((bound) => [bound + 1, bound - 1, Math.ceil(bound), Math.floor(bound)])
  // A bound below 0 is mostly that of a type: models copy examples, and nobody means -9007199254740991.
  const telling = least.filter((low) => low >= 0)
  const named = described(places).map(Number).filter(Number.isFinite)
  return [...named, ...telling, 1, 0, ...least, ...steps, ...multiples, ...most, ...beside, ...between, ...plainNumbers]
}

/** The examples that descriptions name. */
function described(places: readonly Place[]): readonly string[] {
  return present(places.map((place) => describedExample(textKeyword(place, 'description') ?? '')))
}

/** Texts of a format that also hold what a pattern demands at the start or the end: `name@acme.com`, `ops-name@…`. */
function joined(text: string, formatted: readonly string[]): readonly string[] {
  return formatted.flatMap((example) => [text + example, example + text, `name${text}`])
}

function padded(seed: string, least: number): string {
  return least > longestPadding ? seed : seed.padEnd(least, seed === '' ? 'a' : seed)
}

function present<Value>(values: readonly (Value | undefined)[]): readonly Value[] {
  return values.filter((value) => value !== undefined)
}
