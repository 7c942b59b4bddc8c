/** A seeded random generator. The same seed gives the same schemas and values. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns an integer from 0 to `end - 1`. */
  below(end: number): number {
    // Mulberry32: 32 bits of state are enough for test cases.
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * end)
  }

  /** Returns true with a probability of `share`. */
  chance(share: number): boolean {
    return this.below(1000) < share * 1000
  }

  /** Returns a random item. */
  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new RangeError('Nothing to pick from.')
    return item
  }

  /** Returns a random part of the items, in their order. */
  some<Item>(items: readonly Item[], share: number): readonly Item[] {
    return items.filter(() => this.chance(share))
  }

  /** Returns an array of random length with created items. */
  list<Item>(least: number, most: number, make: (index: number) => Item): readonly Item[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, index) => make(index))
  }
}
