import { titleOf } from './letter-case.js'

export function wordsOf(name: string): readonly string[] {
  return titleOf(name)
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
}

export function singularWordsOf(name: string): readonly string[] {
  return wordsOf(name).map(singular)
}

export function singular(word: string): string {
  if (/(?:ss|us|is)$/.test(word) || word.length < 4) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:x|ch|sh|s)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') ? word.slice(0, -1) : word
}

const fillers: ReadonlySet<string> = wordSet(
  'a an the this that these those of for to in on at by with from and or as is are be its it all any each which',
  'given specified particular certain following required optional value field parameter argument param property',
  'used use uses will should must can into tool function via using',
)

export function meaningfulWords(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => !fillers.has(word))
    .map(singular)
}

export function saysOnly(text: string, names: readonly string[]): boolean {
  const known = new Set(names.flatMap(singularWordsOf))
  return meaningfulWords(text).every((word) => known.has(word))
}

export function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}
