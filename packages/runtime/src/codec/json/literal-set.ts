import { deepEqual } from './deep-equal.js'
import { equalityKey } from './equality-key.js'
import { isContainer } from './kind.js'

/**
 * A set of JSON values with JSON's equality. A lookup takes time linear in the size of the value, however many values the
 * set has: arrays and objects are found by their canonical text.
 */
export class LiteralSet {
  readonly #scalars: Set<unknown> = new Set()
  readonly #containers: Map<string, unknown[]> = new Map()

  constructor(values: Iterable<unknown>) {
    for (const value of values) {
      if (!isContainer(value)) {
        this.#scalars.add(value)
        continue
      }
      const key = equalityKey(value)
      const known = this.#containers.get(key)
      if (known === undefined) this.#containers.set(key, [value])
      else if (!known.some((other) => deepEqual(other, value))) known.push(value)
    }
  }

  has(value: unknown): boolean {
    if (!isContainer(value)) return this.#scalars.has(value)
    if (this.#containers.size === 0) return false
    // A typed value has the key of the text that it travels as, and equals no text.
    return this.#containers.get(equalityKey(value))?.some((other) => deepEqual(other, value)) === true
  }
}
