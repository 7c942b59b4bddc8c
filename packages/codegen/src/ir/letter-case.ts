import { createHash } from 'node:crypto'

const longestStem = 64

/** Letters and marks that Unicode added after version 15. Current compilers reject identifiers with these characters, even if Node accepts them. */
const youngLetters: readonly (readonly [first: number, last: number])[] = [
  [0x088f, 0x088f],
  [0x0897, 0x0897],
  [0x0c5c, 0x0c5c],
  [0x0cdc, 0x0cdc],
  [0x1acf, 0x1aff],
  [0x1c89, 0x1c8a],
  [0xa7cb, 0xa7cf],
  [0xa7d2, 0xa7d2],
  [0xa7d4, 0xa7d4],
  [0xa7da, 0xa7dc],
  [0xa7f1, 0xa7f1],
]

function isUsable(character: string): boolean {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x80) return /[0-9A-Za-z]/.test(character)
  return (
    code <= 0xffff &&
    /[\p{L}\p{Mn}\p{Mc}\p{Nd}]/u.test(character) &&
    /\p{ID_Continue}/u.test(character) &&
    !/\p{Default_Ignorable_Code_Point}/u.test(character) &&
    !youngLetters.some(([first, last]) => code >= first && code <= last)
  )
}

function segments(name: string): readonly string[] {
  const usable = Array.from(name.normalize('NFC'), (character) => (isUsable(character) ? character : ' ')).join('')
  return usable.split(' ').filter((segment) => segment !== '')
}

/** Hashes the UTF-16 code units, so that names with different lone surrogates have different hashes. */
export function nameHash(name: string, length: number): string {
  return createHash('sha256').update(name, 'utf16le').digest('hex').slice(0, length)
}

export function pascalStem(name: string, kind: string): string {
  const joined = segments(name).map(capitalised).join('').normalize('NFC')
  if (joined === '') return `${kind}_${nameHash(name, 6)}`
  const legal = /^\p{ID_Start}/u.test(joined) ? joined : `_${joined}`
  return legal.length <= longestStem ? legal : `${legal.slice(0, longestStem)}_${nameHash(name, 6)}`
}

/** Converts a leading acronym to lowercase: `URLFor` → `urlFor`. */
export function camel(stem: string): string {
  return stem.replace(/^(?:\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}+)/u, (capitals) =>
    usableCase(capitals, capitals.toLowerCase()),
  )
}

export function kebabStem(name: string, kind: string): string {
  const words = segments(name).flatMap((segment) =>
    segment.replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, '_').split('_'),
  )
  const joined = words.join('-').toLowerCase().normalize('NFC')
  if (joined === '') return `${kind.toLowerCase()}-${nameHash(name, 6)}`
  return joined.length <= longestStem ? joined : `${joined.slice(0, longestStem)}-${nameHash(name, 6)}`
}

function capitalised(segment: string): string {
  const [first = ''] = segment
  return usableCase(first, first.toUpperCase()) + segment.slice(first.length)
}

function usableCase(original: string, cased: string): string {
  return Array.from(cased).every(isUsable) ? cased : original
}

export function titleOf(name: string): string {
  const words = name
    .replace(/(\p{Ll}|\p{N})(?=\p{Lu})/gu, '$1 ')
    .replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => (/^\p{Lu}{2,}\p{N}*$/u.test(word) ? word : word.toLowerCase()))
  const [first = '', ...others] = words
  const [initial = ''] = first
  return first === '' ? name : [initial.toUpperCase() + first.slice(initial.length), ...others].join(' ')
}
