import { deepEqual, pointerOf } from '@toolgen/runtime/schema'
import { isObject, type Json, objectFrom, own, type SchemaObject } from '../schema/json-schema.js'
import { typeNames } from '../schema/keywords.js'
import { type DocumentPart, keysInReference, type PartKeys, resolved, targetOf } from './openapi-references.js'

/** Keyword that marks a field of one direction only. */
export type FieldFlag = 'readOnly' | 'writeOnly'

/** Document and direction in which unions are read. */
interface VariantContext {
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
  return set.types.includes(type) || set.listed.some((other) => deepEqual(other, value))
}

function either(a: ValueSet, b: ValueSet): ValueSet {
  const [first, second] = [a.string, b.string]
  return {
    listed: [...a.listed, ...b.listed.filter((value) => !a.listed.some((other) => deepEqual(other, value)))],
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
    listed: listed.filter((value, index) => listed.findIndex((other) => deepEqual(other, value)) === index),
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

/** The field that tells which schema is meant, and the schemas that its values mean. */
interface Discriminator {
  readonly field: string
  /** Values by the names of schemas. */
  readonly tags: ReadonlyMap<string, readonly string[]>
}

/**
 * Inheritance as documents write it: a schema with a `discriminator`, and others that have it in their `allOf`. Where the first is
 * referred to, one of the others is meant; within those `allOf`s it is itself.
 */
export class InheritedVariants {
  readonly #root: SchemaObject
  readonly #schemas: SchemaObject
  /** Names by the name of a schema in their `allOf`. */
  readonly #heirs = new Map<string, string[]>()
  readonly #parents = new Map<string, readonly string[]>()
  readonly #unions = new Map<string, DocumentPart | undefined>()

  constructor(root: SchemaObject) {
    this.#root = root
    const components = own(root, 'components')
    const schemas = isObject(components) ? own(components, 'schemas') : undefined
    this.#schemas = isObject(schemas) ? schemas : {}
    for (const [name, schema] of Object.entries(this.#schemas)) {
      const parents = inheritedRefs(schema).flatMap((ref) => this.#nameAt(keysInReference(root, ref)) ?? [])
      this.#parents.set(name, parents)
      for (const parent of parents) this.#heirs.set(parent, [...(this.#heirs.get(parent) ?? []), name])
    }
  }

  /**
   * What a reference to a part means.
   *
   * @param from where the reference stands
   */
  meant(target: DocumentPart, from: PartKeys): DocumentPart {
    const name = this.#nameAt(target.keys)
    const union = name === undefined ? undefined : this.#unionOf(name)
    return union === undefined || name === undefined || this.#isOwnPart(name, from) ? target : union
  }

  /** Whether a part has variants, so that its name is that of all of them. */
  hasVariants(part: DocumentPart): boolean {
    const name = this.#nameAt(part.keys)
    return name !== undefined && this.#unionOf(name) !== undefined
  }

  /** Within the variants themselves the schema is meant that they share. */
  #isOwnPart(name: string, [first, second, owner, ...inner]: PartKeys): boolean {
    if (first !== 'components' || second !== 'schemas' || owner === undefined) return false
    if (inner[0] === 'discriminator') return true
    const isInherited = inner.length > 0 && inner.every((key, index) => (index % 2 === 0 ? key === 'allOf' : true))
    return isInherited && this.#heirsOf(name).includes(String(owner))
  }

  #unionOf(name: string): DocumentPart | undefined {
    if (!this.#unions.has(name)) this.#unions.set(name, this.#madeUnion(name))
    return this.#unions.get(name)
  }

  #madeUnion(name: string): DocumentPart | undefined {
    const schema = own(this.#schemas, name)
    if (!isObject(schema) || own(schema, 'oneOf') !== undefined || own(schema, 'anyOf') !== undefined) return undefined
    const discriminator = this.#discriminatorOf(name)
    if (discriminator === undefined) return undefined
    const { field, tags } = discriminator
    const mapped = this.#ownDiscriminator(name) === undefined ? [] : [...tags.keys()]
    const others = new Set([...this.#heirsOf(name), ...mapped].filter((each) => each !== name))
    if (others.size === 0) return undefined
    const known = this.#valuesOf(schema, field)
    const tagsOf = (each: string): readonly string[] => tags.get(each) ?? [ownTag(each, known)]
    const isKnown = (each: string): boolean => known === undefined || tagsOf(each).some((tag) => known.includes(tag))
    // Where a mapping names others alone, nothing is only what they share.
    const isAlone = (tags.has(name) || tags.size === 0) && isKnown(name)
    const fitting = [...others].filter(isKnown)
    const variants = [...(fitting.length > 0 ? fitting : others), ...(isAlone ? [name] : [])]
    const mapping = variants.flatMap((each) => tagsOf(each).map((tag) => [tag, schemaRef(each)] as const))
    const description = own(schema, 'description')
    return {
      value: {
        ...(description !== undefined && { description }),
        oneOf: variants.map((each) => ({ $ref: schemaRef(each) })),
        discriminator: { propertyName: field, mapping: objectFrom(mapping) },
      },
      keys: ['components', 'schemas', name, 'discriminator', name],
    }
  }

  /** The schemas that have one in their `allOf`, also by way of others, without those that are another name of it. */
  #heirsOf(name: string): readonly string[] {
    const tags = this.#discriminatorOf(name)?.tags
    const found = new Set<string>()
    const pending = [name]
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      for (const heir of this.#heirs.get(next) ?? []) {
        const isOther = tags === undefined || tags.size === 0 || tags.has(heir) || addsParts(own(this.#schemas, heir))
        if (found.has(heir) || heir === name || !isOther) continue
        found.add(heir)
        pending.push(heir)
      }
    }
    return [...found]
  }

  /** That of a schema, else of the nearest one from which it inherits. */
  #discriminatorOf(name: string): Discriminator | undefined {
    const met = new Set([name])
    for (const each of met) {
      const found = this.#ownDiscriminator(each)
      if (found !== undefined) return found
      for (const parent of this.#parents.get(each) ?? []) met.add(parent)
    }
    return undefined
  }

  #ownDiscriminator(name: string): Discriminator | undefined {
    const schema = own(this.#schemas, name)
    const said = isObject(schema) ? own(schema, 'discriminator') : undefined
    // Version 2 of OpenAPI has the name alone.
    const field = isObject(said) ? own(said, 'propertyName') : said
    if (typeof field !== 'string') return undefined
    const mapping = isObject(said) ? own(said, 'mapping') : undefined
    const tags = new Map<string, string[]>()
    for (const [tag, target] of Object.entries(isObject(mapping) ? mapping : {})) {
      const mapped = typeof target === 'string' ? this.#nameOf(target) : undefined
      if (mapped !== undefined) tags.set(mapped, [...(tags.get(mapped) ?? []), tag])
    }
    return { field, tags }
  }

  /** The schema of a mapping: by its name or by a reference. */
  #nameOf(target: string): string | undefined {
    if (own(this.#schemas, target) !== undefined) return target
    return target.startsWith('#') ? this.#nameAt(keysInReference(this.#root, target)) : undefined
  }

  #nameAt(keys: PartKeys | undefined): string | undefined {
    if (keys?.length !== 3 || keys[0] !== 'components' || keys[1] !== 'schemas') return undefined
    const name = String(keys[2])
    return own(this.#schemas, name) === undefined ? undefined : name
  }

  /** The values that a schema itself has for its field; `undefined` where it does not say. */
  #valuesOf(schema: SchemaObject, field: string): readonly Json[] | undefined {
    const fields = own(schema, 'properties')
    const said = isObject(fields) ? own(fields, field) : undefined
    const found = said === undefined ? undefined : resolved(this.#root, { value: said, keys: [] })
    if (found === undefined || 'why' in found || !isObject(found.value)) return undefined
    const [constant, list] = [own(found.value, 'const'), own(found.value, 'enum')]
    return constant === undefined ? (Array.isArray(list) ? list : undefined) : [constant]
  }
}

function inheritedRefs(schema: Json): readonly string[] {
  const all = isObject(schema) ? own(schema, 'allOf') : undefined
  if (!Array.isArray(all)) return []
  return all.flatMap((part: Json) => {
    const ref = isObject(part) ? own(part, '$ref') : undefined
    return [...(typeof ref === 'string' && ref.startsWith('#') ? [ref] : []), ...inheritedRefs(part)]
  })
}

/** The value that means a schema by its name: that of the field where it is the same but for the case of letters. */
function ownTag(name: string, known: readonly Json[] = []): string {
  const isSame = (value: Json): value is string =>
    typeof value === 'string' && value.toLowerCase() === name.toLowerCase()
  return known.includes(name) ? name : (known.find(isSame) ?? name)
}

/** Whether a schema says more than that it is another one. */
function addsParts(schema: Json | undefined): boolean {
  const all = isObject(schema) ? own(schema, 'allOf') : undefined
  return isObject(schema) && (own(schema, 'properties') !== undefined || (Array.isArray(all) && all.length > 1))
}

function schemaRef(name: string): string {
  return `#${pointerOf(['components', 'schemas', name]).replaceAll('%', '%25')}`
}
