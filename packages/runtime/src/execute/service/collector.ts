import { resultBreaksContract } from './conversion-failure.js'

/** Makes a result of the items of a stream. */
export interface Collector<Item> {
  add(item: Item): void
  /** Asked once, after the last item. */
  result(): unknown
}

/** Makes it of all items. */
export function listCollector<Item>(toResult: (items: readonly Item[]) => unknown): Collector<Item> {
  const items: Item[] = []
  return {
    add: (item) => {
      items.push(item)
    },
    result: () => toResult(items),
  }
}

/** Makes it of the last item; a stream without any breaks what the tool declares. */
export function lastCollector<Item>(toResult: (item: Item) => unknown): Collector<Item> {
  let last: { readonly item: Item } | undefined
  return {
    add: (item) => {
      last = { item }
    },
    result: () => {
      if (last === undefined) throw resultBreaksContract('a stream without items')
      return toResult(last.item)
    },
  }
}
