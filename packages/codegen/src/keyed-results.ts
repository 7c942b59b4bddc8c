const texts = new WeakMap<object, string>()

/**
 * Returns the JSON text of an object that never changes, made once: parts that a run shares with an earlier one need not be
 * serialized again for a comparison.
 *
 * @example
 * const key = `${JSON.stringify(options)}${jsonText(toolset)}`
 */
export function jsonText(value: object): string {
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = JSON.stringify(value)
  texts.set(value, text)
  return text
}

/**
 * Results of a process's earlier runs by their inputs. Each run requests all that it needs; other results are dropped at its
 * end, so that no more is kept than one run uses.
 *
 * @example
 * const texts = new KeyedResults<string>()
 * for (const part of parts) texts.get(JSON.stringify(part), () => print(part))
 * texts.endRun()
 */
export class KeyedResults<Result> {
  #kept: ReadonlyMap<string, { readonly result: Result }> = new Map()
  #requested = new Map<string, { readonly result: Result }>()

  /**
   * The result that this or the last run made under the key, else a new one.
   *
   * @param key tells apart everything that decides the result
   */
  get(key: string, make: () => Result): Result {
    const found = this.#requested.get(key) ?? this.#kept.get(key) ?? { result: make() }
    this.#requested.set(key, found)
    return found.result
  }

  /** Checks whether {@link get} would return a kept result. */
  has(key: string): boolean {
    return this.#requested.has(key) || this.#kept.has(key)
  }

  /** Forgets what was not asked for since the last end of a run. */
  endRun(): void {
    this.#kept = this.#requested
    this.#requested = new Map()
  }
}
