import type { JsonKind } from '../types/codec.js'

const shownInList = 5

const plainText = /^[\w .:,+@/-]*$/

const kindWords: { readonly [Kind in JsonKind]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
}

export function kindInWords(kind: JsonKind, format?: string): string {
  return kind === 'string' && format !== undefined ? formatInWords(format) : kindWords[kind]
}

export function expectedKinds(expected: readonly JsonKind[], format: string | undefined): string {
  return either(expected.map((kind) => kindInWords(kind, format)))
}

export function either(input: readonly string[]): string {
  const [only] = input
  if (only !== undefined && input.length === 1) return only
  const words = [...new Set(input)]
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

export function counted(count: number, plural: string): string {
  const singular = plural === 'properties' ? 'property' : plural.slice(0, -1)
  return `${count} ${count === 1 ? singular : plural}`
}

export function quoted(value: unknown, longest: number = 60): string {
  if (typeof value === 'string' && value.length <= longest && plainText.test(value)) return `"${value}"`
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, longest + 1) : value) ?? String(value)
  return text.length > longest + 2 ? `${text.slice(0, longest)}…` : text
}

export function quotedList(values: readonly unknown[], unlisted: number = 0): string {
  return shortList(
    values.slice(0, shownInList).map((value) => quoted(value)),
    Math.max(0, values.length - shownInList) + unlisted,
  )
}

export function wordList(words: readonly string[], unlisted: number = 0): string {
  return shortList(words.slice(0, shownInList), Math.max(0, words.length - shownInList) + unlisted)
}

function shortList(shown: readonly string[], more: number): string {
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

const samples: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-01-31T09:30:00Z'],
  ['date', '2026-01-31'],
  ['decimal integer', '-42'],
  ['base64', 'SGVsbG8='],
  ['time', '09:30:00Z'],
  ['duration', 'P1DT2H'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
])

/** Returns `undefined` for a format whose name is clear without a sample, such as `email`. */
export function formatSample(format: string): string | undefined {
  return samples.get(format)
}

function formatInWords(format: string): string {
  const sample = samples.get(format)
  return sample === undefined ? `a ${format} string` : `a ${format} string such as ${sample}`
}
