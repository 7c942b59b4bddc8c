import type { JsonValue } from '../types/json.js'
import {
  type AllowedValues,
  both,
  haveNothingInCommon,
  isOnlyNull,
  narrowed,
  numeric,
  union,
} from './allowed-values.js'
import { type Fields, isContainer, kindOf } from './json-values.js'
import { keyword, kindsOf, listKeyword, literalsOf, namesOf, schemaObject, textKeyword } from './keywords.js'
import type { Located, SchemaIndex } from './references.js'
import { inPlaceSubschemas } from './subschemas.js'
import { jsTypes, wireFormats } from './typed-values.js'
import { formatSample } from './wording.js'

/**
 * Answers questions about the schemas of a document, for example which kinds of values a schema allows.
 *
 * @example
 * const index = new SchemaIndex({ $defs: { Id: { type: 'string' } } })
 * new SchemaFacts(index).allowed({ ...index.root, schema: { $ref: '#/$defs/Id' } }).kinds // ['string']
 */
export class SchemaFacts {
  readonly #index: SchemaIndex
  readonly #allowed: Map<unknown, AllowedValues> = new Map()
  readonly #conjuncts: Map<unknown, readonly Located[]> = new Map()
  readonly #typed: Map<unknown, boolean> = new Map()
  readonly #tags: Map<unknown, Tags> = new Map()

  constructor(index: SchemaIndex) {
    this.#index = index
  }

  /** Returns the JSON kinds that a schema allows, and the values that the schema lists. Follows references and unions. */
  allowed(located: Located): AllowedValues {
    if (located.schema === false) return { kinds: [], literals: [] }
    const schema = schemaObject(located.schema)
    if (schema === undefined) return { kinds: undefined, literals: undefined }
    const known = this.#allowed.get(schema)
    if (known !== undefined) return known
    // Placeholder in case the schema refers to itself: such a reference restricts nothing.
    this.#allowed.set(schema, { kinds: undefined, literals: undefined })
    const allowed = this.#read(located, schema)
    this.#allowed.set(schema, allowed)
    return allowed
  }

  /** Returns the `description` of a schema. Default: the description of an included schema (`$ref` or `allOf`). */
  description(located: Located): string | undefined {
    for (const { schema, pointer } of this.conjuncts(located)) {
      const context = { schema: schemaObject(schema) ?? {}, pointer }
      const description = textKeyword(context, 'description')
      if (description !== undefined) return description
    }
    return undefined
  }

  /**
   * Returns the format of the strings that a schema allows, such as `date-time` or `base64`. Follows references and unions. Returns `undefined` if
   * the schema has no format, or a format without a known example value, or if the variants of a union have different formats.
   */
  format(located: Located): string | undefined {
    for (const { schema, pointer } of this.conjuncts(located)) {
      const context = { schema: schemaObject(schema) ?? {}, pointer }
      const type = jsTypes.find((known) => known === keyword(context.schema, 'x-js'))
      const format = type === undefined ? keyword(context.schema, 'format') : wireFormats[type]
      if (typeof format === 'string' && formatSample(format) !== undefined) return format
    }
    for (const name of ['anyOf', 'oneOf'] as const) {
      const texts = this.variants(located, name).filter(
        (each) => this.allowed(each).kinds?.includes('string') !== false,
      )
      const [first, ...others] = texts.map((variant) => this.format(variant))
      if (first !== undefined && others.every((other) => other === first)) return first
    }
    return undefined
  }

  /**
   * Returns the `default` of a schema. If the schema has no `default`, returns the default of an included schema
   * (`$ref` or `allOf`).
   */
  fallback(located: Located): { readonly value: unknown } | undefined {
    for (const { schema } of this.conjuncts(located)) {
      const fields = schemaObject(schema)
      if (fields !== undefined && Object.hasOwn(fields, 'default')) return { value: fields.default }
    }
    return undefined
  }

  /**
   * Returns the schema of a field; `undefined` for an undeclared field. If several schemas declare the field, returns the schema with the fewest
   * allowed values, because the other schemas often contain only `type: string`.
   */
  field(located: Located, name: string): Located | undefined {
    const declared = this.declarations(located, name)
    const counts = declared.map((each) => this.allowed(each).literals?.length ?? Number.POSITIVE_INFINITY)
    return declared[counts.indexOf(Math.min(...counts))]
  }

  /**
   * Returns all schemas of a field, from the `properties` of this schema, of its `$ref` targets and of its `allOf`
   * members. The value of the field must satisfy all these schemas.
   */
  declarations(located: Located, name: string): readonly Located[] {
    return this.conjuncts(located).flatMap((part) => {
      const properties = schemaObject(keyword(schemaObject(part.schema) ?? {}, 'properties'))
      if (properties === undefined || !Object.hasOwn(properties, name)) return []
      return [this.#index.below(part, properties[name], 'properties', name)]
    })
  }

  /** Returns the kinds and values that all schemas of a field allow; `undefined` for an undeclared field. */
  allowedInField(located: Located, name: string): AllowedValues | undefined {
    const [first, ...others] = this.declarations(located, name).map((each) => this.allowed(each))
    return first && others.reduce(both, first)
  }

  /** Returns whether a schema, or a subschema or `$ref` target for the same value, sets a JavaScript type (`x-js`). */
  isTyped(located: Located): boolean {
    const schema = schemaObject(located.schema)
    if (schema === undefined) return false
    const known = this.#typed.get(schema)
    if (known !== undefined) return known
    const reference = textKeyword({ schema, pointer: located.pointer }, '$ref')
    const applied = [
      ...(reference === undefined ? [] : [this.#index.resolve(reference, located)]),
      ...inPlaceSubschemas(schema).map(([part, ...path]) => this.#index.below(located, part, ...path)),
    ]
    const typed = Object.hasOwn(schema, 'x-js') || applied.some((part) => this.isTyped(part))
    this.#typed.set(schema, typed)
    return typed
  }

  /** Returns the required fields of a schema with their allowed values. Contains only fields with a list of values in `const` or `enum`. */
  tags(located: Located): Tags {
    const known = this.#tags.get(located.schema)
    if (known !== undefined) return known
    this.#tags.set(located.schema, new Map())
    const tags = tagsOf(located, this)
    this.#tags.set(located.schema, tags)
    return tags
  }

  /** Returns the names of the required fields of a schema. Includes fields that targets of `$ref` and members of `allOf` require. */
  requiredNames(located: Located): readonly string[] {
    return this.conjuncts(located).flatMap(
      ({ schema }) => namesOf(keyword(schemaObject(schema) ?? {}, 'required')) ?? [],
    )
  }

  /** Returns the schema, and all schemas that the same value must satisfy: targets of `$ref` and members of `allOf`. */
  conjuncts(located: Located): readonly Located[] {
    const known = this.#conjuncts.get(located.schema)
    if (known !== undefined) return known
    const own = [located]
    this.#conjuncts.set(located.schema, own)
    const reference = textKeyword({ schema: schemaObject(located.schema) ?? {}, pointer: located.pointer }, '$ref')
    const target = reference === undefined ? [] : [this.#index.resolve(reference, located)]
    const parts = [...target, ...this.variants(located, 'allOf')]
    if (parts.length === 0) return own
    const found = new Map<unknown, Located>([[located.schema, located]])
    for (const part of parts) {
      for (const conjunct of this.conjuncts(part)) found.set(conjunct.schema, conjunct)
    }
    const conjuncts = [...found.values()]
    this.#conjuncts.set(located.schema, conjuncts)
    return conjuncts
  }

  /**
   * Returns the schemas in the array keyword `name` of a schema, such as `anyOf`. Returns an empty array if the schema
   * does not have the keyword.
   */
  variants(located: Located, name: 'allOf' | 'anyOf' | 'oneOf'): readonly Located[] {
    const context = { schema: schemaObject(located.schema) ?? {}, pointer: located.pointer }
    const list = listKeyword(context, name) ?? []
    return list.map((part, position) => this.#index.below(located, part, name, position))
  }

  /**
   * Returns true if no value can match two of the schemas. Compares kinds, listed values and the values of required
   * fields. The result `false` does not prove that a common value exists.
   */
  areDisjoint(schemas: readonly Located[]): boolean {
    return schemas.every((a, index) => schemas.slice(index + 1).every((b) => this.#exclude(a, b)))
  }

  #exclude(a: Located, b: Located): boolean {
    const [left, right] = [this.allowed(a), this.allowed(b)]
    if (haveNothingInCommon(left.literals, right.literals)) return true
    if (left.kinds === undefined || right.kinds === undefined) return false
    const others = new Set(right.kinds.map(numeric))
    const common = left.kinds.filter((kind) => others.has(numeric(kind)))
    if (common.some((kind) => kind !== 'object')) return false
    const tags = this.tags(b)
    return common.length === 0 || [...this.tags(a)].some(([name, own]) => haveNothingInCommon(own, tags.get(name)))
  }

  /**
   * Returns a field that distinguishes the schemas, and the values of this field in each schema. All schemas require this field, and each schema
   * lists different values. Returns `undefined` if the schemas have no such field.
   */
  discriminator(
    schemas: readonly Located[],
  ): { readonly field: string; readonly literals: readonly (readonly JsonValue[])[] } | undefined {
    const [first, ...others] = schemas.map((schema) => this.tags(schema))
    for (const [field, own] of first ?? []) {
      const literals = [own, ...others.map((tags) => tags.get(field) ?? [])]
      const all = literals.flat()
      if (literals.every((list) => list.length > 0) && new Set(all).size === all.length) return { field, literals }
    }
    return undefined
  }

  #read(located: Located, schema: Fields): AllowedValues {
    const context = { schema, pointer: located.pointer }
    let literals = literalsOf(context)
    let kinds = narrowed(kindsOf(context), literals?.map(kindOf))
    for (const part of this.conjuncts(located).slice(1)) {
      ;({ kinds, literals } = both({ kinds, literals }, this.allowed(part)))
    }
    for (const name of ['anyOf', 'oneOf'] as const) {
      const allowed = this.variants(located, name).map((variant) => this.allowed(variant))
      if (allowed.length === 0) continue
      const any = {
        kinds: union(allowed.map((variant) => variant.kinds)),
        literals: union(allowed.map((variant) => variant.literals)),
      }
      ;({ kinds, literals } = both({ kinds, literals }, any))
    }
    // `null` is the only value of its kind.
    return { kinds, literals: literals ?? (isOnlyNull(kinds) ? [null] : undefined) }
  }
}

/**
 * Maps each required field to its allowed values in `enum` or `const`, for example `kind` to `["circle"]`. Such fields distinguish the members of a
 * union.
 */
export type Tags = ReadonlyMap<string, readonly JsonValue[]>

function tagsOf(located: Located, facts: SchemaFacts): Tags {
  const tags = new Map<string, readonly JsonValue[]>()
  for (const name of facts.requiredNames(located)) {
    const literals = facts.allowedInField(located, name)?.literals
    if (literals !== undefined && !literals.some(isContainer)) tags.set(name, literals)
  }
  return tags.size > 0 ? tags : commonTags(located, facts)
}

function commonTags(located: Located, facts: SchemaFacts): Tags {
  const tags = new Map<string, readonly JsonValue[]>()
  for (const union of ['anyOf', 'oneOf'] as const) {
    const variants = facts.conjuncts(located).flatMap((part) => facts.variants(part, union))
    const [first, ...others] = variants.map((variant) => facts.tags(variant))
    for (const [name, literals] of first ?? []) {
      const lists = others.map((other) => other.get(name))
      if (lists.every((list) => list !== undefined)) tags.set(name, [...new Set([literals, ...lists].flat())])
    }
  }
  return tags
}
