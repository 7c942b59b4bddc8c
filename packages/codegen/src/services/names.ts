import { nearest } from '../diagnostics/near-names.js'

function wordsOf(name: string): string {
  return name.startsWith('_') ? name : name.replace(/[-_. ]/g, '').toLowerCase()
}

/** The name of an unused parameter can begin with an underscore. */
export function wordsOfParameter(name: string): string {
  return wordsOf(name.replace(/^_+/, '') || name)
}

/** Pairs different names with the same letters, such as `orderId` and `order_id`, only if no other name has these letters. */
export function matchNames(
  sources: readonly string[],
  targets: readonly string[],
  rename: ReadonlyMap<string, string> = new Map(),
  wordsOfTarget: (name: string) => string = wordsOf,
): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  const open = new Set(targets)
  const pair = (source: string, target: string | undefined): void => {
    if (target !== undefined && !pairs.has(source) && open.delete(target)) pairs.set(source, target)
  }
  for (const source of sources) pair(source, rename.get(source))
  const free = sources.filter((source) => !rename.has(source))
  for (const source of free) pair(source, source)
  const targetByWords = uniqueByWords(targets, wordsOfTarget)
  for (const [words, source] of uniqueByWords(free, wordsOf)) pair(source, targetByWords.get(words))
  return pairs
}

function uniqueByWords(names: readonly string[], wordsIn: (name: string) => string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const repeated = new Set<string>()
  for (const name of names) {
    const words = wordsIn(name)
    if (found.has(words)) repeated.add(words)
    else found.set(words, name)
  }
  for (const words of repeated) found.delete(words)
  return found
}

export function nearestNames(name: string, candidates: readonly string[]): readonly string[] {
  const wanted = wordsOf(name)
  const contained = candidates.filter((candidate) => {
    const words = wordsOf(candidate)
    const [short, long] = words.length < wanted.length ? [words, wanted] : [wanted, words]
    return short.length > 1 && (long.startsWith(short) || long.endsWith(short))
  })
  const same = candidates.filter((candidate) => candidate === name)
  return [...new Set([...same, ...nearest(name, candidates), ...contained])].slice(0, 2)
}
