import { entriesKeyword, keyword, listKeyword, schemaObject } from '../evaluate/keywords.js'
import type { Fallback } from '../evaluate/object-table.js'
import { preparePattern } from '../evaluate/patterns.js'
import type { SchemaDocument } from '../evaluate/prepare.js'
import type { Located } from '../evaluate/references.js'
import { type Fields, isFields } from '../json/kind.js'
import { decodedValue } from '../shape/decoded.js'
import { Defaults } from '../shape/defaults.js'
import { isTyped, typedFromText } from '../typed/js-type.js'
import { type Alternative, alternativesOf } from './alternatives.js'
import { completeObject, type FieldPlan } from './complete-object.js'
import type { Complete } from './completion.js'
import { NotStatic } from './not-static.js'
import { typeNamed } from './type-named.js'

/** What becomes of a value while its own schema is still being read: a schema may contain itself. */
interface Open {
  complete: Complete | undefined
}

/** Builds what completes values, schema by schema. */
export class CompletionBuilder {
  readonly #document: SchemaDocument
  readonly #keepsUnknown: boolean
  readonly #defaults: Defaults = new Defaults()
  readonly #known: Map<unknown, Open> = new Map()

  constructor(document: SchemaDocument, keepsUnknown: boolean) {
    this.#document = document
    this.#keepsUnknown = keepsUnknown
  }

  /**
   * What completes the values of a schema; `undefined` where they stay as they are.
   *
   * @throws {NotStatic}
   */
  of(located: Located): Complete | undefined {
    if (!isFields(located.schema)) return undefined
    const known = this.#known.get(located.schema)
    if (known !== undefined) return (value) => (known.complete === undefined ? value : known.complete(value))
    const open: Open = { complete: undefined }
    this.#known.set(located.schema, open)
    open.complete = this.#build(alternativesOf(located, this.#document))
    return open.complete
  }

  #build(alternatives: readonly Alternative[]): Complete | undefined {
    const objects = this.#forObjects(
      alternatives.filter(({ kinds }) => kinds === undefined || kinds.includes('object')),
    )
    const arrays = this.#forArrays(alternatives.filter(({ kinds }) => kinds === undefined || kinds.includes('array')))
    const texts = forTexts(alternatives.filter(({ kinds }) => kinds === undefined || kinds.includes('string')))
    if (objects === undefined && arrays === undefined) return texts
    return (value) => {
      if (typeof value === 'string') return texts === undefined ? value : texts(value)
      if (typeof value !== 'object' || value === null || isTyped(value)) return value
      const complete = Array.isArray(value) ? arrays : objects
      return complete === undefined ? value : complete(value)
    }
  }

  #forObjects(alternatives: readonly Alternative[]): Complete | undefined {
    const [first, ...others] = alternatives
    if (first === undefined) return undefined
    if (others.length === 0) return this.#object(first.conjuncts)
    const tag = [...first.tags.keys()].find((name) => isDiscriminator(name, alternatives))
    if (tag === undefined) throw new NotStatic()
    const byLiteral = new Map<unknown, Complete>()
    for (const { tags, conjuncts } of alternatives) {
      const complete = this.#object(conjuncts)
      for (const literal of tags.get(tag) ?? []) byLiteral.set(literal, complete)
    }
    return (value) => {
      const complete = byLiteral.get((value as Fields)[tag])
      return complete === undefined ? value : complete(value)
    }
  }

  #object(conjuncts: readonly Located[]): Complete {
    const declared = new Map<string, Located[]>()
    for (const conjunct of conjuncts) {
      for (const [name, schema] of entriesOf(conjunct, 'properties')) {
        const parts = declared.get(name) ?? []
        declared.set(name, parts)
        parts.push(this.#document.index.below(conjunct, schema, 'properties', name))
      }
    }
    const patterns = conjuncts.flatMap((conjunct) =>
      entriesOf(conjunct, 'patternProperties').map(([pattern, schema]) => ({
        pattern: preparePattern(pattern, conjunct.pointer),
        part: this.#document.index.below(conjunct, schema, 'patternProperties', pattern),
      })),
    )
    // A declared field whose name matches a pattern as well is both schemas' business.
    for (const [name, parts] of declared) {
      parts.push(...patterns.filter(({ pattern }) => pattern.test(name)).map(({ part }) => part))
    }
    const rest = conjuncts.flatMap((conjunct) => this.#below(conjunct, 'additionalProperties'))
    const isListed = conjuncts.some(({ schema }) => hasKeyword(schema, 'properties', 'patternProperties'))
    const required = new Set(conjuncts.flatMap((conjunct) => this.#document.facts.requiredNames(conjunct)))
    const isOpen = this.#keepsUnknown || !isListed || rest.length > 0
    const undeclared = this.#joined(rest)
    const matching = patterns.map(({ pattern, part }) => ({ pattern, complete: this.of(part) }))
    if (matching.filter(({ complete }) => complete !== undefined).length > 1) throw new NotStatic()
    return completeObject({
      fields: [...declared].map(([name, parts]) => this.#field(name, parts)),
      hasOthers: isOpen || patterns.length > 0 || [...required].some((name) => !declared.has(name)),
      others: (name) => {
        const matched = matching.filter(({ pattern }) => pattern.test(name))
        if (matched.length > 0) return { complete: matched.find(({ complete }) => complete !== undefined)?.complete }
        return isOpen || required.has(name) ? { complete: undeclared } : undefined
      },
    })
  }

  #field(name: string, parts: readonly Located[]): FieldPlan {
    const { facts } = this.#document
    const part = parts.find((candidate) => facts.fallback(candidate) !== undefined)
    const complete = this.#joined(parts)
    if (part === undefined) return { name, complete, fallback: undefined }
    const fallback: Fallback = { node: this.#document.node(part), value: facts.fallback(part)?.value }
    const completion = { defaults: this.#defaults, keepsUnknown: this.#keepsUnknown }
    return {
      name,
      complete,
      fallback: () => this.#defaults.of(fallback, (value, trace) => decodedValue(value, trace, completion)),
    }
  }

  #forArrays(alternatives: readonly Alternative[]): Complete | undefined {
    const [first, ...others] = alternatives
      .map(({ conjuncts }) => this.#array(conjuncts))
      .filter((one) => one !== undefined)
    if (others.length > 0 || (first !== undefined && alternatives.length > 1)) throw new NotStatic()
    return first
  }

  #array(conjuncts: readonly Located[]): Complete | undefined {
    const first = conjuncts.flatMap((conjunct) => {
      const list = listKeyword(
        { schema: schemaObject(conjunct.schema) ?? {}, pointer: conjunct.pointer },
        'prefixItems',
      )
      const parts = list?.map((schema, at) => this.#document.index.below(conjunct, schema, 'prefixItems', at)) ?? []
      return parts.length === 0 ? [] : [parts.map((part) => this.of(part))]
    })
    const rest = this.#joined(conjuncts.flatMap((conjunct) => this.#below(conjunct, 'items')))
    const [tuple = [], ...others] = first
    if (others.length > 0) throw new NotStatic()
    if (rest === undefined && tuple.every((complete) => complete === undefined)) return undefined
    return (value) => {
      const completed: unknown[] = []
      // The array may be of the caller's own making: its methods are not called.
      const items = value as readonly unknown[]
      for (let index = 0; index < items.length; index++) {
        const complete = index < tuple.length ? tuple[index] : rest
        completed.push(complete === undefined ? items[index] : complete(items[index]))
      }
      return completed
    }
  }

  /** The one thing that schemas which all apply make of a value. */
  #joined(parts: readonly Located[]): Complete | undefined {
    const [first, ...others] = parts.map((part) => this.of(part)).filter((complete) => complete !== undefined)
    if (others.length > 0) throw new NotStatic()
    return first
  }

  #below(located: Located, name: string): readonly Located[] {
    const schema = keyword(schemaObject(located.schema) ?? {}, name)
    return schema === undefined ? [] : [this.#document.index.below(located, schema, name)]
  }
}

/** What texts become: values of the type that a schema names, if no other alternative takes texts. */
function forTexts(alternatives: readonly Alternative[]): Complete | undefined {
  const types = new Set(
    alternatives.flatMap(({ conjuncts }) => conjuncts.map(typeNamed)).filter((type) => type !== undefined),
  )
  const [type, ...others] = types
  if (type === undefined) return undefined
  if (others.length > 0 || alternatives.length > 1) throw new NotStatic()
  return (value) => (typeof value === 'string' ? typedFromText(type, value) : value)
}

function isDiscriminator(name: string, alternatives: readonly Alternative[]): boolean {
  if (name in Object.prototype) return false
  const lists = alternatives.map(({ tags }) => tags.get(name))
  if (lists.includes(undefined)) return false
  const literals = lists.flatMap((list) => list ?? [])
  return new Set(literals).size === literals.length
}

function entriesOf({ schema, pointer }: Located, name: string): readonly (readonly [string, unknown])[] {
  return entriesKeyword({ schema: schemaObject(schema) ?? {}, pointer }, name) ?? []
}

function hasKeyword(schema: unknown, ...names: readonly string[]): boolean {
  const fields = schemaObject(schema)
  return fields !== undefined && names.some((name) => Object.hasOwn(fields, name))
}
