import type { JsonText } from '../types/json.js'
import type { MaxResult } from '../types/tool.js'

/** Limits of the results that a runtime stores for `read_result`. Above a limit, the runtime removes the least recently used results. */
export interface KeptResultsOptions {
  /** Maximum number of results. With 0, the runtime stores no results. Default: 500. */
  readonly maxEntries?: number
  /** Maximum size of all results, with 2 bytes per UTF-16 code unit. Default: 33,554,432 (32 MiB). */
  readonly maxBytes?: number
}

export interface KeptResult {
  readonly json: JsonText
  /** Limit of the shortened result, and of each text that `read_result` returns. */
  readonly max: MaxResult
}

/** Longer ids are shortened, because the text for the model contains the id and has a limited size. */
const MAX_ID = 64

/**
 * A scope is a session, a run outside a session, or the option `resultScope` of a call. A call can read only results of its own scope. Results
 * without a scope get random ids, because their calls can belong to different callers.
 */
export class KeptResults {
  readonly #maxEntries: number
  readonly #maxBytes: number
  /** The first result is the least recently used result. */
  readonly #results = new Map<string, KeptResult>()
  #bytes = 0

  constructor({ maxEntries = 500, maxBytes = 32 * 1024 * 1024 }: KeptResultsOptions = {}) {
    for (const [name, value] of Object.entries({ maxEntries, maxBytes })) {
      if (Number.isInteger(value) && value >= 0) continue
      throw new RangeError(`new Runtime: results.${name} is ${String(value)}. Expected an integer of at least 0.`)
    }
    this.#maxEntries = maxEntries
    this.#maxBytes = maxBytes
  }

  keep(scope: string | undefined, wanted: string, result: KeptResult): string | undefined {
    const size = sizeOf(result)
    if (this.#maxEntries === 0 || size > this.#maxBytes) return undefined
    // The ids of `effects` are unique, but they can be guessed.
    const first = scope === undefined ? crypto.randomUUID() : wanted.slice(-MAX_ID)
    let id: string = first
    for (let number = 2; ; number += 1) {
      const existing = this.#results.get(keyOf(scope, id))
      if (existing === undefined) break
      if (existing.json === result.json) {
        this.#remove(keyOf(scope, id), existing)
        break
      }
      id = `${first}~${number}`
    }
    this.#results.set(keyOf(scope, id), result)
    this.#bytes += size
    for (const [key, oldest] of this.#results) {
      if (this.#results.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break
      this.#remove(key, oldest)
    }
    return id
  }

  read(scope: string | undefined, id: string): KeptResult | undefined {
    const key = keyOf(scope, id)
    const result = this.#results.get(key)
    if (result === undefined) return undefined
    this.#results.delete(key)
    this.#results.set(key, result)
    return result
  }

  #remove(key: string, result: KeptResult): void {
    this.#results.delete(key)
    this.#bytes -= sizeOf(result)
  }
}

function keyOf(scope: string | undefined, id: string): string {
  return JSON.stringify([scope ?? null, id])
}

function sizeOf({ json }: KeptResult): number {
  return json.length * 2
}
