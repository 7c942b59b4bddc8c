import { nearest } from '../diagnostics/near-names.js'

/**
 * The words of a name without their case and separators: `orderId`, `order_id`, `OrderID` → `orderid`. A name with a
 * leading underscore is private to its side and matches itself alone.
 */
function wordsOf(name: string): string {
  return name.startsWith('_') ? name : name.replace(/[-_. ]/g, '').toLowerCase()
}

/** The words of a positional parameter: an underscore only says that the method does not use it. */
export function wordsOfParameter(name: string): string {
  return wordsOf(name.replace(/^_+/, '') || name)
}

/**
 * Pairs the names of two sides: what `rename` says, equal names, then names with the same words where only one name on
 * each side has them.
 *
 * @returns source name → target name
 */
export function matchNames(
  sources: readonly string[],
  targets: readonly string[],
  rename: ReadonlyMap<string, string> = new Map(),
  wordsOfTarget: (name: string) => string = wordsOf,
): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>()
  const taken = new Set<string>()
  const known = new Set(targets)
  const pair = (source: string, target: string): void => {
    if (pairs.has(source) || taken.has(target)) return
    pairs.set(source, target)
    taken.add(target)
  }
  for (const source of sources) {
    const target = rename.get(source)
    if (target !== undefined && known.has(target)) pair(source, target)
  }
  const free = sources.filter((source) => !rename.has(source))
  for (const source of free) if (known.has(source)) pair(source, source)
  const targetByWords = uniqueByWords(targets, wordsOfTarget)
  for (const [words, source] of uniqueByWords(free, wordsOf)) {
    const target = targetByWords.get(words)
    if (target !== undefined) pair(source, target)
  }
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

/** At most two names that may have been meant: near ones, then those that begin or end with the name or it with them. */
export function nearestNames(name: string, candidates: readonly string[]): readonly string[] {
  const wanted = wordsOf(name)
  const contained = candidates.filter((candidate) => {
    const [short, long] = [wanted, wordsOf(candidate)].sort((a, b) => a.length - b.length)
    return short !== undefined && long !== undefined && short.length > 1 && isEnd(short, long)
  })
  const same = candidates.filter((candidate) => candidate === name)
  return [...new Set([...same, ...nearest(name, candidates), ...contained])].slice(0, 2)
}

function isEnd(part: string, whole: string): boolean {
  return whole.startsWith(part) || whole.endsWith(part)
}
