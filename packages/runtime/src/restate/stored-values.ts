import { createHash } from 'node:crypto'
import { requireCount, requireObject } from '../durable/arguments.js'

/**
 * Store for large values. Restate then only stores their keys. Keys are hashes of the texts, so putting a text again has no effect.
 * Keep the texts longer than the runs.
 */
export interface ValueStore {
  /** Stores a text. Must retry temporary failures: if the promise rejects, the attempt of the run fails. */
  put(key: string, text: string): Promise<void>
  /** Returns a stored text, or `undefined` if it does not exist. */
  get(key: string): Promise<string | undefined>
}

/** Option of workers and clients for values that are too large for Restate. Workers and clients must use the same store. */
export interface LargeValues {
  /** Store outside of Restate, for example a bucket or a table. */
  readonly store: ValueStore
  /** Minimum length of the JSON text of a value that goes into the store, in characters. Default: 262,144. */
  readonly minLength?: number
}

/** JSON value as Restate stores it: the value, or the key of its text in the store. */
export type StoredValue = { readonly value: unknown } | { readonly key: string }

const DEFAULT_MIN_LENGTH = 256 * 1_024

/** Replaces large values by keys, and keys by values. */
export class StoredValues {
  readonly #store: ValueStore | undefined
  readonly #minLength: number

  /**
   * @throws {TypeError} if there is no store.
   * @throws {RangeError} if `minLength` is not an integer of at least 1.
   */
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

  /** Returns the value as Restate stores it, after the store has its text. */
  async write(value: unknown): Promise<StoredValue> {
    const { stored, isWritten } = this.writeLater(value)
    await isWritten
    return stored
  }

  /** Returns the value as Restate stores it, and the promise of the store. */
  writeLater(value: unknown): { readonly stored: StoredValue; readonly isWritten: Promise<void> } {
    if (this.#store === undefined) return { stored: { value }, isWritten: Promise.resolve() }
    const text = JSON.stringify(value)
    if (text === undefined || text.length < this.#minLength) return { stored: { value }, isWritten: Promise.resolve() }
    const key = createHash('sha256').update(text).digest('hex')
    return { stored: { key }, isWritten: this.#store.put(key, text) }
  }

  /**
   * Returns the value that was stored, from the store if Restate has only its key.
   *
   * @throws {Error} if the store does not have the text, or if there is no store.
   */
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
