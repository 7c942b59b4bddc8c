import type { Listed } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { equalityKey, isContainer } from './json-values.js'
import { NameList } from './nearest.js'
import { quotedList } from './wording.js'

const MAX_LISTED = 50

/** The values are prepared for messages only once, so that the time to create an issue does not depend on the number of values. */
export class Choices<Value extends JsonValue = JsonValue> {
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

  get names(): NameList {
    this.#names ??= new NameList(this.all.filter((value) => typeof value === 'string'))
    return this.#names
  }

  writtenAs(text: string): Value | undefined {
    this.#texts ??= new Map(this.all.filter((value) => !isContainer(value)).map((value) => [String(value), value]))
    return this.#texts.get(text)
  }

  get words(): string {
    this.#words ??= quotedList(this.#listed.allowed, this.#listed.more)
    return this.#words
  }

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
