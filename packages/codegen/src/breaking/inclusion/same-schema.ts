import { isObject, isSchema, own, sameJson, without } from '../../schema/json/json.js'
import type { Json, Schema } from '../../schema/json/json-schema.js'
import { annotations, type KeywordValue, keywords } from '../../schema/json/keywords.js'
import { refName } from '../../schema/json/pointer.js'
import type { Sides } from './spot.js'

/** Whether two schemas have the same rules, whatever the names of the definitions to which they refer. */
export function sameSchema(a: Schema, b: Schema, sides: Sides): boolean {
  return new Comparison(sides).schemas(a, b)
}

class Comparison {
  readonly #sides: Sides
  /** Pairs of definitions that are being compared, or were: met again they are the same as far as one can tell. */
  readonly #pairs = new Set<string>()

  constructor(sides: Sides) {
    this.#sides = sides
  }

  schemas(a: Schema, b: Schema): boolean {
    if (!isObject(a) || !isObject(b)) return a === b
    const [left, right] = [without(a, annotations), without(b, annotations)]
    const names = Object.keys(left)
    return (
      names.length === Object.keys(right).length &&
      names.every(
        (name) => Object.hasOwn(right, name) && this.#values(name, own(left, name) ?? null, own(right, name) ?? null),
      )
    )
  }

  #values(keyword: string, a: Json, b: Json): boolean {
    if (keyword === '$ref') return this.#references(a, b)
    const kind: KeywordValue | undefined = keywords.get(keyword)
    if (kind === 'schema' && isSchema(a) && isSchema(b)) return this.schemas(a, b)
    if (kind === 'schemas' && Array.isArray(a) && Array.isArray(b)) {
      return a.length === b.length && a.every((part: Json, index) => this.#parts(part, b[index] ?? null))
    }
    if (kind !== 'schema map' || !isObject(a) || !isObject(b)) return sameJson(a, b)
    const names = Object.keys(a)
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && this.#parts(own(a, name) ?? null, own(b, name) ?? null))
    )
  }

  #parts(a: Json, b: Json): boolean {
    return isSchema(a) && isSchema(b) ? this.schemas(a, b) : sameJson(a, b)
  }

  #references(a: Json, b: Json): boolean {
    const [left, right] = [refName(a), refName(b)]
    if (left === undefined || right === undefined) return sameJson(a, b)
    const pair = JSON.stringify([left, right])
    if (this.#pairs.has(pair)) return true
    this.#pairs.add(pair)
    const [from, to] = [own(this.#sides.taken, left), own(this.#sides.taker, right)]
    return from !== undefined && to !== undefined && this.schemas(from, to)
  }
}
