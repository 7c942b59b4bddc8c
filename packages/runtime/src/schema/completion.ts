import { Defaults, decodedValue } from './decoded-value.js'
import type { Fallback } from './evaluation.js'
import { type Fields, isFields, isInherited, setOwn } from './json-values.js'
import { entriesKeyword, inPlaceSubschemas, keyword, listKeyword, schemaObject, subschemasOf } from './keywords.js'
import type { SchemaDocument } from './prepare.js'
import type { Located } from './references.js'
import { preparePattern } from './scalars.js'
import type { Tags } from './schema-facts.js'
import { isTyped, type JsType, jsTypes, typedFromText } from './typed-values.js'

/** One way in which a value can satisfy a schema: all these schemas together, none of them a union. */
interface Alternative {
  readonly conjuncts: readonly Located[]
  /** The literals of the fields that tell this alternative from the others. */
  readonly tags: Tags
  readonly kinds: readonly string[] | undefined
}

const undecided: readonly string[] = [
  'if',
  'then',
  'else',
  'dependentSchemas',
  'unevaluatedProperties',
  'unevaluatedItems',
]

/**
 * The alternatives of a schema.
 *
 * @throws {NotStatic} where conditions declare fields, or several unions do.
 */
function alternativesOf(located: Located, document: SchemaDocument): readonly Alternative[] {
  const { facts } = document
  const conjuncts = facts.conjuncts(located)
  if (conjuncts.some((conjunct) => hasUndecided(conjunct))) throw new NotStatic()
  const own = { conjuncts, tags: facts.tags(located), kinds: facts.admitted(located).kinds }
  const unions = conjuncts
    .flatMap((conjunct) => [facts.variants(conjunct, 'anyOf'), facts.variants(conjunct, 'oneOf')])
    .filter((variants) => variants.some((variant) => saysMoreThanRules(variant, declaredNames(conjuncts), document)))
  const [union, ...others] = unions
  if (union === undefined) return [own]
  if (others.length > 0) throw new NotStatic()
  return union.flatMap((variant) =>
    alternativesOf(variant, document).map((alternative) => ({
      conjuncts: [...conjuncts, ...alternative.conjuncts],
      tags: new Map([...own.tags, ...alternative.tags]),
      kinds: alternative.kinds ?? own.kinds,
    })),
  )
}

function hasUndecided({ schema }: Located): boolean {
  const fields = schemaObject(schema)
  return (
    fields !== undefined && undecided.some((name) => Object.hasOwn(fields, name) && declares(keyword(fields, name)))
  )
}

/** Whether a variant says which parts a value has, rather than only restricting parts declared elsewhere. */
function saysMoreThanRules(variant: Located, declared: ReadonlySet<string>, { facts }: SchemaDocument): boolean {
  const { kinds } = facts.admitted(variant)
  if (namesType(variant.schema)) return true
  if (kinds !== undefined && !kinds.includes('object') && !kinds.includes('array')) return false
  const isRule = facts.conjuncts(variant).every(({ schema }) => {
    const fields = schemaObject(schema)
    return fields === undefined || Object.keys(fields).every((name) => ['required', 'not'].includes(name))
  })
  return !isRule || !facts.requiredNames(variant).every((name) => declared.has(name))
}

function declaredNames(conjuncts: readonly Located[]): ReadonlySet<string> {
  const names = conjuncts.flatMap(({ schema }) => {
    const properties = keyword(schemaObject(schema) ?? {}, 'properties')
    return isFields(properties) ? Object.keys(properties) : []
  })
  return new Set(names)
}

/** Whether a schema, or a map of schemas, declares parts anywhere. */
function declares(schema: unknown): boolean {
  if (!isFields(schema)) return schema === false
  return hasDeclarations(schema) || Object.values(schema).some((part) => isFields(part) && declares(part))
}

/** Whether a schema names a JavaScript type for the value itself, in whatever part of it. */
function namesType(schema: unknown): boolean {
  if (!isFields(schema)) return false
  return keyword(schema, 'x-js') !== undefined || inPlaceSubschemas(schema).some(([part]) => namesType(part))
}

function hasDeclarations(schema: Fields): boolean {
  const names = ['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems', 'required', '$ref']
  return (
    [...names, 'x-js'].some((name) => Object.hasOwn(schema, name)) ||
    subschemasOf(schema).some(([part]) => declares(part))
  )
}

/** A declared field and what becomes of it. */
interface FieldPlan {
  readonly name: string
  readonly complete: Complete | undefined
  /** A new value of its default; `undefined` where it has none. */
  readonly fallback: (() => { readonly value: unknown } | undefined) | undefined
}

/** What becomes of an object. */
interface ObjectPlan {
  /** In declared order. */
  readonly fields: readonly FieldPlan[]
  /** Whether a field that is not declared stays, and what becomes of it. */
  readonly others: (name: string) => { readonly complete: Complete | undefined } | undefined
  /** Whether any undeclared field may stay. */
  readonly hasOthers: boolean
}

/** Makes the decoded object: declared fields in declared order with their defaults, then the others. */
function completeObject({ fields, others, hasOthers }: ObjectPlan): Complete {
  const names = new Set(fields.map(({ name }) => name))
  const plain = fields.every(({ name }) => !isInherited(name))
  return (value) => {
    const given = value as Fields // a check has accepted it
    const completed: Record<string, unknown> = {}
    for (const { name, complete, fallback } of fields) {
      const part = plain || Object.hasOwn(given, name) ? given[name] : undefined
      if (part !== undefined) {
        const whole = complete === undefined ? part : complete(part)
        if (plain) completed[name] = whole
        else setOwn(completed, name, whole)
      } else if (fallback !== undefined) {
        const computed = fallback()
        if (computed !== undefined) setOwn(completed, name, computed.value)
      }
    }
    if (!hasOthers) return completed
    for (const name of Object.keys(given)) {
      const part = given[name]
      if (names.has(name) || part === undefined) continue
      const other = others(name)
      if (other !== undefined) setOwn(completed, name, other.complete === undefined ? part : other.complete(part))
    }
    return completed
  }
}

/** What becomes of a value while its own schema is still being read: a schema may contain itself. */
interface Open {
  complete: Complete | undefined
}

/** Builds what completes values, schema by schema. */
class CompletionBuilder {
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

/** Makes the decoded value of a valid one; a new value where it has objects. */
type Complete = (value: unknown) => unknown

/** What remains to be done with a value that a compiled check accepted. */
export interface Completion {
  /** Whether values that are valid as they stand change: defaults are filled in, wire forms become what they stand for. */
  readonly changesValid: boolean
  /** Leaves out what is undeclared and fills in defaults; `undefined` where the schema does not tell without a trace. */
  readonly complete: Complete | undefined
}

/** Prepares the completion of a document's values. */
export function prepareCompletion(document: SchemaDocument, keepsUnknown: boolean): Completion {
  const changesValid = document.index.schemas.some(
    (located) => document.facts.fallback(located) !== undefined || typeNamed(located) !== undefined,
  )
  try {
    const complete = new CompletionBuilder(document, keepsUnknown).of(document.index.root)
    return { changesValid, complete: complete ?? ((value) => value) }
  } catch (error) {
    if (!(error instanceof NotStatic)) throw error
    return { changesValid, complete: undefined }
  }
}

/** Thrown while a completion is built where which fields are declared depends on more than tags and kinds. */
class NotStatic extends Error {
  override readonly name: string = 'NotStatic'
}

/** The JavaScript type that a schema names for its values. */
function typeNamed({ schema }: Located): JsType | undefined {
  const name = keyword(schemaObject(schema) ?? {}, 'x-js')
  return jsTypes.find((type) => type === name)
}
