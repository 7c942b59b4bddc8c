import { isObject, objectFrom, own, sameJson } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { typeNames } from '../../schema/json/keywords.js'
import type { InheritedVariants } from './inherited-variants.js'
import { type DocumentPart, targetOf } from './references.js'

/** Keyword that marks a field of one direction only. */
export type FieldFlag = 'readOnly' | 'writeOnly'

/** Document and direction in which unions are read. */
export interface VariantContext {
  readonly root: SchemaObject
  readonly variants: InheritedVariants
  /** Keyword of the fields that go in the other direction. */
  readonly otherWay: FieldFlag
}

/**
 * Makes the variants of a `oneOf` exclude each other as its `discriminator` says: each has values of its own in the field.
 * A union whose variants the field cannot tell apart becomes `anyOf`, and the API decides which variant a value is.
 */
export function withDiscriminatedVariants(union: DocumentPart, context: VariantContext): SchemaObject {
  const schema = isObject(union.value) ? union.value : {}
  const field = fieldOf(schema)
  if (field === undefined) return schema
  const variants = new DiscriminatorReader(field, context).variantsOf({ ...union, value: schema })
  if (variants === undefined && own(schema, 'anyOf') !== undefined) return schema
  return objectFrom(
    Object.entries(schema).map(([key, value]): readonly [string, Json] => {
      if (key !== 'oneOf') return [key, value]
      return variants === undefined ? ['anyOf', value] : [key, variants.map((variant) => variant.schema)]
    }),
  )
}

/** Property name of the discriminator of a `oneOf`; `undefined` for any other schema. */
function fieldOf(schema: SchemaObject): string | undefined {
  const discriminator = own(schema, 'discriminator')
  const field = isObject(discriminator) ? own(discriminator, 'propertyName') : undefined
  return typeof field === 'string' && Array.isArray(own(schema, 'oneOf')) ? field : undefined
}

/** A variant, and the values that its discriminator field can have. */
interface Variant {
  readonly schema: Json
  readonly tags: readonly Json[]
}

/** Values that a schema allows, as far as types, lists of values and rules about strings tell. */
interface ValueSet {
  readonly listed: readonly Json[]
  /** Types of which every value is allowed, but for strings. */
  readonly types: readonly string[]
  /** Whether a string is allowed that is not listed; absent where none is. */
  readonly string?: (text: string) => boolean
}

/** Values of the discriminator field of an object schema. */
interface FieldValues {
  /** Values in at least one variant of the schema. */
  readonly some: ValueSet
  /** Values in every variant of the schema that is an object. */
  readonly every: ValueSet
  /** Whether the schema or a part of it declares the field. */
  readonly isDeclared: boolean
}

const otherTypes = typeNames.filter((type) => type !== 'string' && type !== 'integer')
const nothing: ValueSet = { listed: [], types: [] }
const anything: ValueSet = { listed: [], types: otherTypes, string: () => true }

/** References and unions within each other that are followed; schemas beyond are taken to allow everything. */
const mostLevels = 200

/** Reads which values of a discriminator field belong to which variant. */
class DiscriminatorReader {
  readonly #field: string
  readonly #context: VariantContext
  /** Results by schema; `anything` for one that is being read. */
  readonly #objects = new Map<SchemaObject, FieldValues | undefined>()
  readonly #values = new Map<SchemaObject, ValueSet | undefined>()
  #level = 0

  constructor(field: string, context: VariantContext) {
    this.#field = field
    this.#context = context
  }

  /** Returns the variants of a `oneOf`, each with its tags; `undefined` where the field does not tell them apart. */
  variantsOf({ value, keys }: { readonly value: SchemaObject } & DocumentPart): readonly Variant[] | undefined {
    const [union, discriminator] = [own(value, 'oneOf'), own(value, 'discriminator')]
    if (!Array.isArray(union)) return undefined
    const said = isObject(discriminator) ? own(discriminator, 'mapping') : undefined
    const mapping = isObject(said) ? said : {}
    const variants = union.map((variant: Json, index) =>
      this.#variant({ value: variant, keys: [...keys, 'oneOf', index] }, mapping),
    )
    const known = variants.filter((variant) => variant !== undefined)
    const tags = known.flatMap((variant) => variant.tags)
    return known.length === variants.length && new Set(tags).size === tags.length ? known : undefined
  }

  #variant(part: DocumentPart, mapping: SchemaObject): Variant | undefined {
    const values = this.#fieldValues(part)
    if (values === undefined) return undefined
    const { some, every } = values
    const schema = part.value
    const names = this.#namesOf(schema, mapping).filter((name) => allows(every, name))
    if (some.string === undefined && some.types.length === 0) {
      // The variant's own values count more than its name. A mapping can say which of them mean it.
      const others = some.listed.filter((value) => typeof value === 'string' && !names.includes(value))
      if (names.length === 0 || others.length === 0) return { schema, tags: some.listed }
    } else if (some.string === undefined || names.length === 0) {
      return undefined
    }
    return { schema: withTags(schema, this.#field, names), tags: names }
  }

  /** Returns the tags that mean a variant: those that the mapping has for it, else the name of its schema. */
  #namesOf(schema: Json, mapping: SchemaObject): readonly string[] {
    const ref = isObject(schema) ? own(schema, '$ref') : undefined
    if (typeof ref !== 'string') return []
    const target = targetOf(this.#context.root, ref)
    const name = 'why' in target ? '' : String(target.keys.at(-1) ?? '')
    const mapped = Object.keys(mapping).filter((tag) => [ref, name].includes(String(own(mapping, tag))))
    return mapped.length > 0 || name === '' ? mapped : [name]
  }

  /** Returns the values of the field in objects of a schema; `undefined` where it is not sent or cannot be there. */
  #fieldValues(part: DocumentPart): FieldValues | undefined {
    const { value: schema } = part
    if (!isObject(schema)) return undeclared
    if (this.#objects.has(schema)) return this.#objects.get(schema)
    this.#objects.set(schema, undeclared)
    const found = this.#nested(undeclared, () => this.#readFieldValues({ ...part, value: schema }))
    this.#objects.set(schema, found)
    return found
  }

  #readFieldValues(part: { readonly value: SchemaObject } & DocumentPart): FieldValues | undefined {
    const { value: schema, keys } = part
    const types = [own(schema, 'type') ?? []].flat()
    if (types.length > 0 && !types.includes('object')) return { some: nothing, every: anything, isDeclared: true }
    const all: (FieldValues | undefined)[] = this.#conjuncts(part).map((each) => this.#fieldValues(each))
    const properties = own(schema, 'properties')
    const field = isObject(properties) ? own(properties, this.#field) : undefined
    if (field !== undefined) {
      const values = this.#valuesOf({ value: field, keys: [...keys, 'properties', this.#field] })
      all.push(values && declared(values))
    }
    for (const keyword of ['oneOf', 'anyOf']) {
      const variants = own(schema, keyword)
      if (!Array.isArray(variants)) continue
      const inner = keyword === 'oneOf' && fieldOf(schema) === this.#field ? this.variantsOf(part) : undefined
      const tagged = inner?.map(({ tags }) => declared({ ...nothing, listed: tags }))
      const read =
        tagged ?? variants.map((value: Json, index) => this.#fieldValues({ value, keys: [...keys, keyword, index] }))
      if (read.includes(undefined)) return undefined
      const known = read.filter((values) => values !== undefined)
      all.push({
        some: known.map(({ some }) => some).reduce(either, nothing),
        every: known.map(({ every }) => every).reduce(both, anything),
        isDeclared: known.some(({ isDeclared }) => isDeclared),
      })
    }
    if (all.includes(undefined)) return undefined
    const known = all.filter((values) => values !== undefined)
    const isDeclared = known.some((values) => values.isDeclared)
    if (!isDeclared && !takesFields(schema)) return undefined
    return {
      some: known.map(({ some }) => some).reduce(both, anything),
      every: known.map(({ every }) => every).reduce(both, anything),
      isDeclared,
    }
  }

  /** Returns the values of the field itself; `undefined` where it goes in the other direction only. */
  #valuesOf(part: DocumentPart): ValueSet | undefined {
    const { value: schema } = part
    if (!isObject(schema)) return schema === false ? nothing : anything
    if (this.#values.has(schema)) return this.#values.get(schema)
    this.#values.set(schema, anything)
    const found = this.#nested(anything, () => this.#readValues({ ...part, value: schema }))
    this.#values.set(schema, found)
    return found
  }

  #readValues(part: { readonly value: SchemaObject } & DocumentPart): ValueSet | undefined {
    const { value: schema, keys } = part
    if (own(schema, this.#context.otherWay) === true) return undefined
    const all: (ValueSet | undefined)[] = [
      ownValues(schema),
      ...this.#conjuncts(part).map((each) => this.#valuesOf(each)),
    ]
    for (const keyword of ['oneOf', 'anyOf']) {
      const variants = own(schema, keyword)
      if (!Array.isArray(variants)) continue
      const read = variants.map((value: Json, index) => this.#valuesOf({ value, keys: [...keys, keyword, index] }))
      all.push(read.reduce((a, b) => a && b && either(a, b), nothing))
    }
    const values = all.reduce((a, b) => a && b && both(a, b), anything)
    return values && own(schema, 'nullable') === true ? either(values, { ...nothing, listed: [null] }) : values
  }

  /** Returns the schemas that a value must fit in addition: the target of a reference, and the parts of `allOf`. */
  #conjuncts({ value, keys }: { readonly value: SchemaObject } & DocumentPart): readonly DocumentPart[] {
    const [ref, all] = [own(value, '$ref'), own(value, 'allOf')]
    const target = typeof ref === 'string' ? targetOf(this.#context.root, ref) : undefined
    return [
      ...(target !== undefined && 'value' in target ? [this.#context.variants.meant(target, keys)] : []),
      ...(Array.isArray(all) ? all.map((part: Json, index) => ({ value: part, keys: [...keys, 'allOf', index] })) : []),
    ]
  }

  #nested<T>(tooDeep: T, read: () => T): T {
    if (this.#level > mostLevels) return tooDeep
    this.#level += 1
    try {
      return read()
    } finally {
      this.#level -= 1
    }
  }
}

const undeclared: FieldValues = { some: anything, every: anything, isDeclared: false }

function declared(values: ValueSet): FieldValues {
  return { some: values, every: values, isDeclared: true }
}

/** Returns the values that a schema allows by its own keywords. */
function ownValues(schema: SchemaObject): ValueSet {
  const [constant, list, type] = [own(schema, 'const'), own(schema, 'enum'), own(schema, 'type')]
  const types = type === undefined ? undefined : [type].flat()
  const { string: _, ...others } = anything
  const typed: ValueSet =
    types === undefined
      ? anything
      : {
          ...others,
          types: otherTypes.filter((name) => types.includes(name) || (name === 'number' && types.includes('integer'))),
          ...(types.includes('string') && { string: () => true }),
        }
  const lists = [...(constant === undefined ? [] : [[constant]]), ...(Array.isArray(list) ? [list] : [])]
  const values = lists.map((listed: readonly Json[]) => ({ ...nothing, listed })).reduce<ValueSet>(both, typed)
  return values.string === undefined ? values : { ...values, string: stringRule(schema) }
}

/** Returns the rule of a schema about the strings that it does not list. A name is not known to match a pattern. */
function stringRule(schema: SchemaObject): (text: string) => boolean {
  const [shortest, longest] = [own(schema, 'minLength'), own(schema, 'maxLength')]
  if (own(schema, 'pattern') !== undefined) return () => false
  return (text) => {
    const { length } = [...text]
    return !(typeof shortest === 'number' && length < shortest) && !(typeof longest === 'number' && length > longest)
  }
}

function allows({ listed, string }: ValueSet, text: string): boolean {
  return listed.includes(text) || string?.(text) === true
}

function has(set: ValueSet, value: Json): boolean {
  if (typeof value === 'string') return allows(set, value)
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return set.types.includes(type) || set.listed.some((other) => sameJson(other, value))
}

function either(a: ValueSet, b: ValueSet): ValueSet {
  const [first, second] = [a.string, b.string]
  return {
    listed: [...a.listed, ...b.listed.filter((value) => !a.listed.some((other) => sameJson(other, value)))],
    types: otherTypes.filter((type) => a.types.includes(type) || b.types.includes(type)),
    ...((first !== undefined || second !== undefined) && {
      string: (text: string) => first?.(text) === true || second?.(text) === true,
    }),
  }
}

function both(a: ValueSet, b: ValueSet): ValueSet {
  const [first, second] = [a.string, b.string]
  const listed = [...a.listed.filter((value) => has(b, value)), ...b.listed.filter((value) => has(a, value))]
  return {
    listed: listed.filter((value, index) => listed.findIndex((other) => sameJson(other, value)) === index),
    types: a.types.filter((type) => b.types.includes(type)),
    ...(first !== undefined && second !== undefined && { string: (text: string) => first(text) && second(text) }),
  }
}

/** Returns whether a schema allows fields that it does not declare. */
function takesFields(schema: SchemaObject): boolean {
  return ['additionalProperties', 'unevaluatedProperties'].every((key) => own(schema, key) !== false)
}

/** Restricts a field of a schema to some values. The schemas to which it refers stay as they are for other uses. */
function withTags(schema: Json, field: string, tags: readonly string[]): SchemaObject {
  const [first = '', ...others] = tags
  const value: SchemaObject = others.length === 0 ? { const: first } : { enum: tags }
  const tag = { type: 'object', properties: objectFrom([[field, value] as const]), required: [field] }
  return { allOf: [schema, tag] }
}
