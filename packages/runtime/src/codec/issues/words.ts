import type { JsonKind } from '../../contract/issue.js'

const kindWords: { readonly [Kind in JsonKind]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
}

/** A kind in words: `a whole number`. */
export function kindInWords(kind: JsonKind): string {
  return kindWords[kind]
}

/** Joins words: `a, b or c`. */
export function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** A count with its noun: `1 item`, `2 items`. */
export function counted(count: number, plural: string): string {
  const singular = plural === 'properties' ? 'property' : plural.slice(0, -1)
  return `${count} ${count === 1 ? singular : plural}`
}

/** A value as JSON, cut where it is long. */
export function quoted(value: unknown, longest: number = 60): string {
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, longest + 1) : value) ?? String(value)
  return text.length > longest + 2 ? `${text.slice(0, longest)}…` : text
}

/** Several values as JSON: at most five, and how many more there are. */
export function quotedList(values: readonly unknown[]): string {
  const shown = values.slice(0, 5).map((value) => quoted(value))
  const more = values.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
