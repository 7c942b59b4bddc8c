import { createHash } from 'node:crypto'

/** A source of choices: the same seed and name give the same ones. */
export class Random {
  #seed
  #drawn = 0

  constructor(seed, name) {
    this.#seed = `${seed} ${name}`
  }

  /** A whole number from 0 up to, but not including, `end`. */
  below(end) {
    this.#drawn += 1
    return createHash('md5').update(`${this.#seed} ${this.#drawn}`).digest().readUInt32LE() % end
  }

  chance(share) {
    return this.below(1_000) < share * 1_000
  }

  pick(items) {
    return items[this.below(items.length)]
  }
}
