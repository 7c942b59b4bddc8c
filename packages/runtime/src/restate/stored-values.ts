import { createHash } from 'node:crypto'
import { requireCount, requireObject } from '../durable/arguments.js'

/**
 * Store for large values outside of Restate. For each of these values, Restate stores only a key. The key is the hash of the value's JSON text. If
 * the store already contains a text, a second `put` of the text must have no effect. Do not delete a text before Restate has deleted the runs that
 * use the text.
 */
export interface ValueStore {
  /**
   * Stores a text under a key. The method must retry after temporary failures, because the attempt of the run fails if the returned promise
   * rejects.
   */
  put(key: string, text: string): Promise<void>
  /** Returns a stored text, or `undefined` if the store does not contain the key. */
  get(key: string): Promise<string | undefined>
}

/** Option of workers and clients for values that are too large for Restate. Workers and clients must use the same store. */
export interface LargeValues {
  /** Store outside of Restate, for example a bucket or a table. */
  readonly store: ValueStore
  /**
   * Minimum length of a value that the store receives, in characters of the value's JSON text. Restate itself stores shorter values. Default:
   * 262,144.
   */
  readonly minLength?: number
}

export type StoredValue = { readonly value: unknown } | { readonly key: string }

const DEFAULT_MIN_LENGTH = 256 * 1_024

export class StoredValues {
  readonly #store: ValueStore | undefined
  readonly #minLength: number

  constructor(caller: string, large: LargeValues | undefined) {
    if (large !== undefined) {
      requireObject(`${caller}: largeValues`, large, 'an object, for example { store }')
      const expected = 'an object with the functions put and get'
      requireObject(`${caller}: largeValues.store`, large.store, expected)
      for (const method of ['put', 'get'] as const) {
        if (typeof large.store[method] === 'function') continue
        throw new TypeError(`${caller}: largeValues.store has no function ${method}. Expected ${expected}.`)
      }
    }
    const { store, minLength = DEFAULT_MIN_LENGTH } = large ?? {}
    requireCount(`${caller}: largeValues.minLength`, minLength)
    this.#store = store
    this.#minLength = minLength
  }

  async write(value: unknown): Promise<StoredValue> {
    const { stored, isWritten } = this.writeLater(value)
    await isWritten
    return stored
  }

  writeLater(value: unknown): { readonly stored: StoredValue; readonly isWritten: Promise<void> } {
    if (this.#store === undefined) return { stored: { value }, isWritten: Promise.resolve() }
    const text = JSON.stringify(value)
    if (text === undefined || text.length < this.#minLength) return { stored: { value }, isWritten: Promise.resolve() }
    const key = createHash('sha256').update(text).digest('hex')
    return { stored: { key }, isWritten: this.#store.put(key, text) }
  }

  async read<T>(stored: StoredValue): Promise<T> {
    if ('value' in stored) return stored.value as T
    const { key } = stored
    if (this.#store === undefined) {
      throw new Error(`A value is in a store (key ${key}). Set \`largeValues\` to the store of the workers.`)
    }
    const text = await this.#store.get(key)
    if (text === undefined) throw new Error(`The store of \`largeValues\` has no text for the key ${key}.`)
    return JSON.parse(text)
  }
}
