import type { Listed } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { equalityKey, isContainer } from './json-values.js'
import { NameList } from './nearest.js'
import { quotedList } from './wording.js'

/** Maximum number of values that an issue lists: more make no better advice. */
const MAX_LISTED = 50

/** Allowed values, prepared once with the schema, so that the cost of an issue does not depend on their number. */
export class Choices<Value extends JsonValue = JsonValue> {
  /** All of them, each once. */
  readonly all: readonly Value[]
  readonly #listed: Listed<Value>
  #names: NameList | undefined
  #words: string | undefined
  #texts: ReadonlyMap<string, Value> | undefined

  constructor(values: Iterable<Value>) {
    const distinct = new Map<string, Value>()
    for (const value of values) {
      const key = equalityKey(value)
      if (!distinct.has(key)) distinct.set(key, value)
    }
    this.all = Object.freeze([...distinct.values()])
    this.#listed = this.#list(Object.freeze(this.all.slice(0, MAX_LISTED)))
  }

  /** The texts among them, to find the nearest one. */
  get names(): NameList {
    this.#names ??= new NameList(this.all.filter((value) => typeof value === 'string'))
    return this.#names
  }

  /** The one that is written like a text: `5` for `"5"`. */
  writtenAs(text: string): Value | undefined {
    this.#texts ??= new Map(this.all.filter((value) => !isContainer(value)).map((value) => [String(value), value]))
    return this.#texts.get(text)
  }

  /** The values that an issue lists, as one string. Correct if {@link listed} adds no nearest value. */
  get words(): string {
    this.#words ??= quotedList(this.#listed.allowed, this.#listed.more)
    return this.#words
  }

  /** The list of an issue, with the nearest one among it. */
  listed(nearest?: Value): Listed<Value> {
    const { allowed } = this.#listed
    if (nearest === undefined || allowed.length === this.all.length || allowed.includes(nearest)) return this.#listed
    return this.#list(Object.freeze([nearest, ...allowed.slice(0, -1)]))
  }

  #list(allowed: readonly Value[]): Listed<Value> {
    const more = this.all.length - allowed.length
    return Object.freeze(more === 0 ? { allowed } : { allowed, more })
  }
}
