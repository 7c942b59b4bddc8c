import { titleOf } from '../../ir/build/title.js'

/** The words of a name, in lower case: `lastOrderId` gives `last`, `order`, `id`. */
export function wordsOf(name: string): readonly string[] {
  return titleOf(name)
    .toLowerCase()
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** Words of a text that carry meaning, each in its simplest form, in their order. */
export function meaningfulWords(text: string): readonly string[] {
  return wordsOf(text)
    .filter((word) => !fillers.has(word))
    .map(singular)
}

/** Whether a text says nothing beyond some names. */
export function saysOnly(text: string, names: readonly string[]): boolean {
  const known = new Set(names.flatMap(wordsOf).map(singular))
  return meaningfulWords(text).every((word) => known.has(word))
}

/** A word without the ending of a plural. */
export function singular(word: string): string {
  if (/(?:ss|us|is)$/.test(word) || word.length < 4) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:x|ch|sh|s)es$/.test(word)) return word.slice(0, -2)
  return word.endsWith('s') ? word.slice(0, -1) : word
}

const fillers: ReadonlySet<string> = new Set(
  [
    'a an the this that these those of for to in on at by with from and or as is are be its it all any each which',
    'given specified particular certain following required optional value field parameter argument param property',
    'used use uses will should must can into tool function via using',
  ].flatMap((line) => line.split(' ')),
)

/** Words for what names one of many. */
const idWords: ReadonlySet<string> = new Set(['id', 'ids', 'uuid', 'guid', 'identifier'])

/** What an id names: `orderId` and `order_id` name an `order`, `id` names nothing, so `''`; other names give none. */
export function namedById(name: string): string | undefined {
  const words = wordsOf(name)
  const last = words.at(-1)
  if (last === undefined || !idWords.has(last)) return undefined
  return words.slice(0, -1).map(singular).join(' ')
}

/** Whether a text names an id, whatever of. */
export function speaksOfIds(text: string): boolean {
  return wordsOf(text).some((word) => idWords.has(word))
}
