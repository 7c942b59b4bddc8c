import { deepEqual } from '@toolgen/runtime/schema'
import { isObject, isSchema, type Json, own, type Schema } from '../schema/json-schema.js'
import { annotations, type KeywordValue, keywords } from '../schema/keywords.js'
import { definitionsUsed, refName } from '../schema/references.js'
import type { Sides } from './flatten.js'

/** How many definitions are followed into each other; those that lie deeper are the same where they read the same. */
const maxComparedDepth = 250

/** Whether two schemas have the same rules, whatever the names of the definitions to which they refer. */
export function sameSchema(a: Schema, b: Schema, sides: Sides): boolean {
  return new Comparison(sides).schemas(a, b)
}

class Comparison {
  readonly #sides: Sides
  /** The pairs of definitions that are being compared, or that are the same if those are: with the place among them. */
  readonly #open = new Map<string, number>()
  /** The earliest of the pairs being compared on which what was found last rests. */
  #rests = Number.POSITIVE_INFINITY

  constructor(sides: Sides) {
    this.#sides = sides
  }

  schemas(a: Schema, b: Schema): boolean {
    if (a === b && this.#sides.taken === this.#sides.taker) return true
    if (!isObject(a) || !isObject(b)) return a === b
    const [left, right] = [rulesIn(a), rulesIn(b)]
    return (
      left.length === right.length &&
      left.every((name) => Object.hasOwn(b, name) && this.#values(name, own(a, name) ?? null, own(b, name) ?? null))
    )
  }

  #values(keyword: string, a: Json, b: Json): boolean {
    if (keyword === '$ref') return this.#references(a, b)
    const kind: KeywordValue | undefined = keywords.get(keyword)
    if (kind === 'schema' && isSchema(a) && isSchema(b)) return this.schemas(a, b)
    if (kind === 'schemas' && Array.isArray(a) && Array.isArray(b)) {
      return a.length === b.length && a.every((part: Json, index) => this.#parts(part, b[index] ?? null))
    }
    if (kind !== 'schema map' || !isObject(a) || !isObject(b)) return deepEqual(a, b)
    const names = Object.keys(a)
    return (
      names.length === Object.keys(b).length &&
      names.every((name) => Object.hasOwn(b, name) && this.#parts(own(a, name) ?? null, own(b, name) ?? null))
    )
  }

  #parts(a: Json, b: Json): boolean {
    return isSchema(a) && isSchema(b) ? this.schemas(a, b) : deepEqual(a, b)
  }

  #references(a: Json, b: Json): boolean {
    const [left, right] = [refName(a), refName(b)]
    if (left === undefined || right === undefined) return deepEqual(a, b)
    const pair = JSON.stringify([left, right])
    const known = this.#sides.same.get(pair)
    if (known !== undefined) return known
    const location = this.#open.get(pair)
    if (location !== undefined) {
      this.#rests = Math.min(this.#rests, location)
      return true
    }
    return this.#definitions(pair, left, right)
  }

  /** What rests on no pair that is still being compared is settled; a difference is, whatever it rests on. */
  #definitions(pair: string, left: string, right: string): boolean {
    const { taken, taker, same } = this.#sides
    const location = this.#open.size
    if (location >= maxComparedDepth) return left === right && readsSame(left, this.#sides)
    const outer = this.#rests
    this.#rests = Number.POSITIVE_INFINITY
    this.#open.set(pair, location)
    const [from, to] = [own(taken, left), own(taker, right)]
    const isSame = from !== undefined && to !== undefined && this.schemas(from, to)
    if (!isSame) same.set(pair, false)
    else if (this.#rests >= location) {
      for (const each of [...this.#open.keys()].slice(location)) {
        this.#open.delete(each)
        same.set(each, true)
      }
    }
    this.#rests = Math.min(outer, this.#rests >= location ? Number.POSITIVE_INFINITY : this.#rests)
    return isSame
  }
}

/** Whether a definition, and every one that it leads to, reads the same on both sides. */
function readsSame(name: string, { taken, taker }: Sides): boolean {
  const names = [name, ...definitionsUsed(own(taken, name) ?? true, taken)]
  return names.every((each) => deepEqual(own(taken, each) ?? null, own(taker, each) ?? null))
}

function rulesIn(schema: { readonly [key: string]: Json }): readonly string[] {
  return Object.keys(schema).filter((name) => !annotations.includes(name))
}
