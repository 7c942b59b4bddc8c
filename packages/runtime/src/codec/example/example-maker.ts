import type { JsonKind } from '../../contract/issue.js'
import {
  countKeyword,
  entriesKeyword,
  flagKeyword,
  keyword,
  listKeyword,
  namesKeyword,
  schemaObject,
} from '../evaluate/keywords.js'
import type { SchemaDocument } from '../evaluate/prepare.js'
import type { Located } from '../evaluate/references.js'
import { Run } from '../evaluate/run.js'
import { equalityKey } from '../json/equality-key.js'
import type { Fields } from '../json/kind.js'
import { setOwn } from '../json/own.js'
import { numberExamples, textExamples } from './scalar-examples.js'

/** Schemas that all apply to the same value. */
type Conjuncts = readonly (Located & { readonly schema: Fields })[]

// Null says least, so it is tried last.
const anyKind: readonly JsonKind[] = ['string', 'integer', 'boolean', 'object', 'array', 'null']
const tellingKeywords: ReadonlyMap<JsonKind, readonly string[]> = new Map([
  ['object', ['properties', 'required', 'minProperties']],
  ['array', ['items', 'prefixItems', 'contains', 'minItems']],
])
// A schema that needs more steps or items has no example worth showing.
const mostSteps = 5_000
const mostItems = 50

/** Makes small values that satisfy the schemas of a document. */
export class ExampleMaker {
  readonly #document: SchemaDocument
  readonly #underWay: Set<unknown> = new Set()
  #steps = 0

  constructor(document: SchemaDocument) {
    this.#document = document
  }

  /** A value of a schema; `undefined` where none is found. */
  of(located: Located): unknown {
    return this.#candidates(located).next().value
  }

  /** Values of a schema: what its author wrote, then what can be made. Every one satisfies it. */
  *#candidates(located: Located): Generator<unknown, undefined> {
    if (this.#underWay.has(located.schema) || ++this.#steps > mostSteps) return
    this.#underWay.add(located.schema)
    const node = this.#document.node(located)
    for (const candidate of this.#guesses(located)) {
      const run = new Run({ faulty: false, rejectsUnknown: false })
      run.quiet = true
      if (!node.check(candidate, run, undefined)) continue
      this.#underWay.delete(located.schema)
      yield candidate
      this.#underWay.add(located.schema)
    }
    this.#underWay.delete(located.schema)
  }

  *#guesses(located: Located): Generator<unknown> {
    const conjuncts = this.#conjuncts(located)
    for (const place of conjuncts) yield* listKeyword(place, 'examples') ?? []
    for (const { schema } of conjuncts) if (Object.hasOwn(schema, 'default')) yield schema.default
    yield* this.#document.facts.admitted(located).literals ?? []
    for (const name of ['oneOf', 'anyOf'] as const) {
      for (const part of conjuncts) {
        for (const variant of this.#document.facts.variants(part, name)) {
          yield* this.#candidates(variant)
          yield* this.#made(located, [...conjuncts, ...this.#conjuncts(variant)])
        }
      }
    }
    yield* this.#made(located, conjuncts)
  }

  *#made(located: Located, conjuncts: Conjuncts): Generator<unknown> {
    const { kinds = anyKind } = this.#document.facts.admitted(located)
    const possible = anyKind.filter((kind) => kinds.includes(kind) || (kind === 'integer' && kinds.includes('number')))
    // A schema without a type means the kind that its keywords are about.
    const meant = possible.filter((kind) => {
      const telling = tellingKeywords.get(kind) ?? []
      return conjuncts.some(({ schema }) => telling.some((name) => Object.hasOwn(schema, name)))
    })
    for (const kind of new Set([...meant, ...possible])) {
      if (kind === 'string') yield* textExamples(conjuncts)
      else if (kind === 'integer') yield* numberExamples(conjuncts)
      else if (kind === 'boolean') yield* [true, false]
      else if (kind === 'object') yield* this.#objects(conjuncts)
      else if (kind === 'array') yield* this.#arrays(conjuncts)
      else yield null
    }
  }

  *#objects(conjuncts: Conjuncts): Generator<unknown> {
    const required = new Set(conjuncts.flatMap((place) => namesKeyword(place, 'required') ?? []))
    const declared = new Set(
      conjuncts.flatMap((place) => (entriesKeyword(place, 'properties') ?? []).map(([name]) => name)),
    )
    const inOrder = [...declared].filter((name) => required.has(name))
    const least = Math.max(0, ...conjuncts.map((place) => countKeyword(place, 'minProperties') ?? 0))
    const value = this.#fields(conjuncts, [...inOrder, ...required])
    if (value === undefined) return
    yield value
    for (const name of declared) {
      if (Object.keys(value).length >= least) break
      if (!Object.hasOwn(value, name)) setOwn(value, name, this.#field(conjuncts, name))
    }
    for (let index = 1; Object.keys(value).length < Math.min(least, mostItems); index++) {
      setOwn(value, `key${index}`, this.#additional(conjuncts))
    }
    yield value
  }

  #fields(conjuncts: Conjuncts, names: readonly string[]): Record<string, unknown> | undefined {
    const value: Record<string, unknown> = {}
    for (const name of names) {
      if (Object.hasOwn(value, name)) continue
      const field = this.#field(conjuncts, name)
      if (field === undefined) return undefined
      setOwn(value, name, field)
    }
    return value
  }

  #field(conjuncts: Conjuncts, name: string): unknown {
    for (const part of conjuncts) {
      const field = this.#document.facts.field(part, name)
      if (field !== undefined) return this.of(field)
    }
    return this.#additional(conjuncts)
  }

  #additional(conjuncts: Conjuncts): unknown {
    for (const part of conjuncts) {
      const schema = keyword(part.schema, 'additionalProperties')
      if (schema !== undefined) return this.of(this.#document.index.below(part, schema, 'additionalProperties'))
    }
    return 'text'
  }

  *#arrays(conjuncts: Conjuncts): Generator<unknown> {
    const least = Math.max(0, ...conjuncts.map((place) => countKeyword(place, 'minItems') ?? 0))
    const isUnique = conjuncts.some((place) => flagKeyword(place, 'uniqueItems') === true)
    yield this.#items(conjuncts, least, isUnique)
    for (const part of conjuncts) {
      const contains = keyword(part.schema, 'contains')
      if (contains === undefined) continue
      const item = this.of(this.#document.index.below(part, contains, 'contains'))
      yield Array.from(
        { length: Math.max(least, Math.min(mostItems, countKeyword(part, 'minContains') ?? 1)) },
        () => item,
      )
    }
  }

  #items(conjuncts: Conjuncts, count: number, isUnique: boolean): unknown {
    const items: unknown[] = []
    const seen = new Set<string>()
    for (let index = 0; index < Math.min(count, mostItems); index++) {
      const located = this.#item(conjuncts, index)
      for (const item of located === undefined ? [index] : this.#candidates(located)) {
        const key = equalityKey(item)
        if (isUnique && seen.has(key)) continue
        seen.add(key)
        items.push(item)
        break
      }
    }
    return items
  }

  #item(conjuncts: Conjuncts, index: number): Located | undefined {
    for (const part of conjuncts) {
      const first = listKeyword(part, 'prefixItems')?.[index]
      if (first !== undefined) return this.#document.index.below(part, first, 'prefixItems', index)
      const rest = keyword(part.schema, 'items')
      if (rest !== undefined) return this.#document.index.below(part, rest, 'items')
    }
    return undefined
  }

  #conjuncts(located: Located): Conjuncts {
    return this.#document.facts.conjuncts(located).flatMap((part) => {
      const schema = schemaObject(part.schema)
      return schema === undefined ? [] : [{ ...part, schema }]
    })
  }
}
