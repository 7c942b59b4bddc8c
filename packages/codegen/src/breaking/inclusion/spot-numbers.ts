import { own } from '../../schema/json/json.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { annotations } from '../../schema/json/keywords.js'
import { refName } from '../../schema/json/pointer.js'
import { schemasIn } from './flatten.js'
import type { Defs, Sides, Spot } from './spot.js'

/** Tells pairs of spots apart: by their definitions where they refer to some, by their variants where they are unions alone. */
export class SpotNumbers {
  readonly #sides: Sides
  readonly #numbers = new Map<Schema, number>()

  constructor(sides: Sides) {
    this.#sides = sides
  }

  /** The same text for the same pair, as far as rules are meant. */
  pairOf(taken: Spot, taker: Spot): string {
    const sides = this.#sides
    return [
      ...[taken.all, taken.maybe, taken.instead].map((list) => this.#all(list, sides.taken)),
      ...[taker.all, taker.maybe].map((list) => this.#all(list, sides.taker)),
    ].join(';')
  }

  #all(schemas: readonly Schema[], defs: Defs): string {
    return schemas.map((schema) => this.#one(schema, defs)).join(',')
  }

  #one(schema: Schema, defs: Defs): string {
    if (typeof schema !== 'boolean') {
      const [keyword, ...others] = Object.keys(schema).filter((key) => !annotations.includes(key))
      const target = keyword === '$ref' ? own(defs, refName(own(schema, keyword)) ?? '') : undefined
      const parts = keyword === 'anyOf' || keyword === 'allOf' ? schemasIn(own(schema, keyword)) : undefined
      if (others.length === 0 && parts !== undefined) return `${keyword}(${this.#all(parts, defs)})`
      if (others.length === 0 && target !== undefined && target !== schema) return this.#number(target)
    }
    return this.#number(schema)
  }

  #number(schema: Schema): string {
    const number = this.#numbers.get(schema) ?? this.#numbers.size
    this.#numbers.set(schema, number)
    return String(number)
  }
}
