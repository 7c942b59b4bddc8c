import { deepEqual } from '@toolgen/runtime/schema'
import { type Defs, isObject, isSchema, type Json, own, type Schema } from '../schema/json-schema.js'
import { annotations, keywords } from '../schema/keywords.js'
import { definitionsUsed, refName } from '../schema/references.js'

export interface DefinitionPair {
  readonly source: Defs
  readonly target: Defs
  /** Contains only finished comparisons. The keys are the names of both definitions. */
  readonly same: Map<string, boolean>
}

const maxComparedDepth = 250

export function sameSchema(a: Schema, b: Schema, pair: DefinitionPair): boolean {
  return new SchemaComparison(pair).schemas(a, b)
}

class SchemaComparison {
  readonly #pair: DefinitionPair
  /**
   * Pairs of definitions without a final result: their comparison is running, or depends on a running comparison. The value is the position in this
   * map.
   */
  readonly #open = new Map<string, number>()
  /**
   * Lowest position in `#open` of a running comparison on which the last result depends. The last result is only correct if the running comparison
   * finds equal definitions.
   */
  #dependsOn = Number.POSITIVE_INFINITY

  constructor(pair: DefinitionPair) {
    this.#pair = pair
  }

  schemas(a: Schema, b: Schema): boolean {
    if (a === b && this.#pair.source === this.#pair.target) return true
    if (!isObject(a) || !isObject(b)) return a === b
    const [left, right] = [a, b].map((schema) => Object.keys(schema).filter((name) => !annotations.includes(name)))
    return (
      left?.length === right?.length &&
      left?.every(
        (name) => Object.hasOwn(b, name) && this.#values(name, own(a, name) ?? null, own(b, name) ?? null),
      ) === true
    )
  }

  #values(keyword: string, a: Json, b: Json): boolean {
    if (keyword === '$ref') return this.#references(a, b)
    const kind = keywords.get(keyword)
    if (kind === 'schema') return this.#parts(a, b)
    if (kind === 'schemas' && Array.isArray(a) && Array.isArray(b)) {
      return a.length === b.length && a.every((part: Json, index) => this.#parts(part, b[index] ?? null))
    }
    if (kind !== 'schema map' || !isObject(a) || !isObject(b)) return deepEqual(a, b)
    const entries = Object.entries(a)
    return (
      entries.length === Object.keys(b).length &&
      entries.every(([name, part]) => Object.hasOwn(b, name) && this.#parts(part, own(b, name) ?? null))
    )
  }

  #parts(a: Json, b: Json): boolean {
    return isSchema(a) && isSchema(b) ? this.schemas(a, b) : deepEqual(a, b)
  }

  #references(a: Json, b: Json): boolean {
    const [left, right] = [refName(a), refName(b)]
    if (left === undefined || right === undefined) return deepEqual(a, b)
    const key = JSON.stringify([left, right])
    const known = this.#pair.same.get(key)
    if (known !== undefined) return known
    const position = this.#open.get(key)
    if (position === undefined) return this.#definitions(key, left, right)
    this.#dependsOn = Math.min(this.#dependsOn, position)
    return true
  }

  #definitions(key: string, left: string, right: string): boolean {
    const { source, target, same } = this.#pair
    const position = this.#open.size
    if (position >= maxComparedDepth) return left === right && readsSame(left, this.#pair)
    const outer = this.#dependsOn
    this.#dependsOn = Number.POSITIVE_INFINITY
    this.#open.set(key, position)
    const [from, to] = [own(source, left), own(target, right)]
    const isSame = from !== undefined && to !== undefined && this.schemas(from, to)
    const isFinal = this.#dependsOn >= position
    if (!isSame) same.set(key, false)
    // A result "equal" that depends on an unfinished comparison may still become wrong, so it is not cached.
    else if (isFinal) {
      for (const each of [...this.#open.keys()].slice(position)) {
        this.#open.delete(each)
        same.set(each, true)
      }
    }
    this.#dependsOn = isFinal ? outer : Math.min(outer, this.#dependsOn)
    return isSame
  }
}

function readsSame(name: string, { source, target }: DefinitionPair): boolean {
  const names = [name, ...definitionsUsed(own(source, name) ?? true, source)]
  return names.every((each) => deepEqual(own(source, each) ?? null, own(target, each) ?? null))
}
