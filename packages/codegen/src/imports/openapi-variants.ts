import { pointerOf } from '@toolgen/runtime/schema'
import { isObject, type Json, objectFrom, objectOf, own, type SchemaObject } from '../schema/json-schema.js'
import { allows, anything, both, either, nothing, ownValues, type ValueSet } from '../schema/value-set.js'
import { type DocumentPart, keysInReference, type PartKeys, partsUnder, resolved, targetOf } from './openapi-parts.js'

export type FieldFlag = 'readOnly' | 'writeOnly'

interface VariantContext {
  readonly root: SchemaObject
  readonly variants: InheritedVariants
  /** Excluded fields of the current use of the schema: `readOnly` for requests, `writeOnly` for responses. */
  readonly otherWay: FieldFlag
}

type SchemaPart = DocumentPart & { readonly value: SchemaObject }

/**
 * Adds the discriminator value to each variant of a `oneOf`, so that a value matches only one variant. If this is not possible, replaces `oneOf` with
 * `anyOf`.
 */
export function withDiscriminatedVariants(union: DocumentPart, context: VariantContext): SchemaObject {
  const schema = objectOf(union.value)
  const field = discriminatorField(schema)
  if (field === undefined) return schema
  const variants = new DiscriminatorReader(field, context).variantsOf({ value: schema, keys: union.keys })
  if (variants === undefined && own(schema, 'anyOf') !== undefined) return schema
  return objectFrom(
    Object.entries(schema).map(([key, value]): readonly [string, Json] => {
      if (key !== 'oneOf') return [key, value]
      return variants === undefined ? ['anyOf', value] : [key, variants.map((variant) => variant.schema)]
    }),
  )
}

function discriminatorField(schema: SchemaObject): string | undefined {
  const field = own(objectOf(own(schema, 'discriminator')), 'propertyName')
  return typeof field === 'string' && Array.isArray(own(schema, 'oneOf')) ? field : undefined
}

interface Variant {
  readonly schema: Json
  readonly tags: readonly Json[]
}

interface FieldValues {
  /** For a nested union, the values that at least one alternative allows. */
  readonly some: ValueSet
  /** For a nested union, only the values that all object alternatives allow. */
  readonly every: ValueSet
  readonly isDeclared: boolean
}

const undeclared: FieldValues = { some: anything, every: anything, isDeclared: false }

function declared(values: ValueSet): FieldValues {
  return { some: values, every: values, isDeclared: true }
}

const maxLevels = 200

class DiscriminatorReader {
  readonly #field: string
  readonly #context: VariantContext
  readonly #objects = new Map<SchemaObject, FieldValues | undefined>()
  readonly #values = new Map<SchemaObject, ValueSet | undefined>()
  #level = 0

  constructor(field: string, context: VariantContext) {
    this.#field = field
    this.#context = context
  }

  variantsOf({ value, keys }: SchemaPart): readonly Variant[] | undefined {
    const union = own(value, 'oneOf')
    if (!Array.isArray(union)) return undefined
    const mapping = objectOf(own(objectOf(own(value, 'discriminator')), 'mapping'))
    const parts = partsUnder({ value: union, keys: [...keys, 'oneOf'] })
    const variants = parts.map((part) => this.#variant(part, mapping))
    const known = variants.filter((variant) => variant !== undefined)
    const tags = known.flatMap((variant) => variant.tags)
    return known.length === variants.length && new Set(tags).size === tags.length ? known : undefined
  }

  #variant(part: DocumentPart, mapping: SchemaObject): Variant | undefined {
    const values = this.#fieldValues(part)
    if (values === undefined) return undefined
    const { some, every } = values
    const schema = part.value
    const names = this.#tagsOf(schema, mapping).filter((name) => allows(every, name))
    if (some.string === undefined && some.types.length === 0) {
      // Values in the schema of a variant take precedence over the schema's name. A mapping can select some of these values.
      const others = some.listed.filter((value) => typeof value === 'string' && !names.includes(value))
      if (names.length === 0 || others.length === 0) return { schema, tags: some.listed }
    } else if (some.string === undefined || names.length === 0) {
      return undefined
    }
    return { schema: withTags(schema, this.#field, names), tags: names }
  }

  /** Without values in the mapping, the name of the variant's schema is the discriminator value. */
  #tagsOf(schema: Json, mapping: SchemaObject): readonly string[] {
    const ref = own(objectOf(schema), '$ref')
    if (typeof ref !== 'string') return []
    const target = targetOf(this.#context.root, ref)
    const name = 'why' in target ? '' : String(target.keys.at(-1) ?? '')
    const mapped = Object.keys(mapping).filter((tag) => [ref, name].includes(String(own(mapping, tag))))
    return mapped.length > 0 || name === '' ? mapped : [name]
  }

  #fieldValues({ value, keys }: DocumentPart): FieldValues | undefined {
    if (!isObject(value)) return undeclared
    return this.#once(this.#objects, value, undeclared, () => this.#readFieldValues({ value, keys }))
  }

  #readFieldValues(part: SchemaPart): FieldValues | undefined {
    const { value: schema, keys } = part
    const types = [own(schema, 'type') ?? []].flat()
    if (types.length > 0 && !types.includes('object')) return { some: nothing, every: anything, isDeclared: true }
    const all = this.#conjuncts(part).map((each) => this.#fieldValues(each))
    const field = own(objectOf(own(schema, 'properties')), this.#field)
    if (field !== undefined) {
      const values = this.#valuesOf({ value: field, keys: [...keys, 'properties', this.#field] })
      all.push(values && declared(values))
    }
    for (const [keyword, variants] of unionsOf(part)) {
      const isTagged = keyword === 'oneOf' && discriminatorField(schema) === this.#field
      const tagged = isTagged ? this.variantsOf(part) : undefined
      const read =
        tagged?.map(({ tags }) => declared({ ...nothing, listed: tags })) ??
        variants.map((variant) => this.#fieldValues(variant))
      const known = read.filter((values) => values !== undefined)
      if (known.length < read.length) return undefined
      all.push({
        some: known.map(({ some }) => some).reduce(either, nothing),
        every: known.map(({ every }) => every).reduce(both, anything),
        isDeclared: known.some(({ isDeclared }) => isDeclared),
      })
    }
    const known = all.filter((values) => values !== undefined)
    const isDeclared = known.some((values) => values.isDeclared)
    const isClosed = ['additionalProperties', 'unevaluatedProperties'].some((key) => own(schema, key) === false)
    if (known.length < all.length || (!isDeclared && isClosed)) return undefined
    return {
      some: known.map(({ some }) => some).reduce(both, anything),
      every: known.map(({ every }) => every).reduce(both, anything),
      isDeclared,
    }
  }

  #valuesOf({ value, keys }: DocumentPart): ValueSet | undefined {
    if (!isObject(value)) return value === false ? nothing : anything
    return this.#once(this.#values, value, anything, () => this.#readValues({ value, keys }))
  }

  #readValues(part: SchemaPart): ValueSet | undefined {
    const { value: schema } = part
    if (own(schema, this.#context.otherWay) === true) return undefined
    const all = [ownValues(schema), ...this.#conjuncts(part).map((each) => this.#valuesOf(each))]
    for (const [, variants] of unionsOf(part)) {
      const read = variants.map((variant) => this.#valuesOf(variant))
      all.push(read.reduce((a, b) => a && b && either(a, b), nothing))
    }
    const values = all.reduce((a, b) => a && b && both(a, b), anything)
    return values && own(schema, 'nullable') === true ? either(values, { ...nothing, listed: [null] }) : values
  }

  #conjuncts({ value, keys }: SchemaPart): readonly DocumentPart[] {
    const [ref, all] = [own(value, '$ref'), own(value, 'allOf')]
    const target = typeof ref === 'string' ? targetOf(this.#context.root, ref) : undefined
    return [
      ...(target !== undefined && 'value' in target ? [this.#context.variants.meant(target, keys)] : []),
      ...(Array.isArray(all) ? partsUnder({ value: all, keys: [...keys, 'allOf'] }) : []),
    ]
  }

  #once<T>(
    known: Map<SchemaObject, T | undefined>,
    schema: SchemaObject,
    fallback: T,
    read: () => T | undefined,
  ): T | undefined {
    if (known.has(schema)) return known.get(schema)
    known.set(schema, fallback)
    this.#level += 1
    const result = this.#level > maxLevels + 1 ? fallback : read()
    this.#level -= 1
    known.set(schema, result)
    return result
  }
}

function unionsOf({
  value,
  keys,
}: SchemaPart): readonly (readonly [keyword: string, variants: readonly DocumentPart[]])[] {
  return ['oneOf', 'anyOf'].flatMap((keyword) => {
    const variants = own(value, keyword)
    return Array.isArray(variants)
      ? [[keyword, partsUnder({ value: variants, keys: [...keys, keyword] })] as const]
      : []
  })
}

function withTags(schema: Json, field: string, tags: readonly string[]): SchemaObject {
  const [first = '', ...others] = tags
  const value: SchemaObject = others.length === 0 ? { const: first } : { enum: tags }
  const tag = { type: 'object', properties: objectFrom([[field, value] as const]), required: [field] }
  return { allOf: [schema, tag] }
}

interface Discriminator {
  readonly field: string
  readonly tags: ReadonlyMap<string, readonly string[]>
}

/**
 * A parent schema has a `discriminator`, and the `allOf` of each child schema references the parent. All other references to the parent mean "one of
 * the children".
 */
export class InheritedVariants {
  readonly #root: SchemaObject
  readonly #schemas: SchemaObject
  readonly #heirs = new Map<string, string[]>()
  readonly #parents = new Map<string, readonly string[]>()
  readonly #unions = new Map<string, DocumentPart | undefined>()

  constructor(root: SchemaObject) {
    this.#root = root
    this.#schemas = objectOf(own(objectOf(own(root, 'components')), 'schemas'))
    for (const [name, schema] of Object.entries(this.#schemas)) {
      const parents = inheritedRefs(schema).flatMap((ref) => this.#nameAt(keysInReference(root, ref)) ?? [])
      this.#parents.set(name, parents)
      for (const parent of parents) this.#heirs.set(parent, [...(this.#heirs.get(parent) ?? []), name])
    }
  }

  meant(target: DocumentPart, from: PartKeys): DocumentPart {
    const name = this.#nameAt(target.keys)
    const union = name === undefined ? undefined : this.#unionOf(name)
    return union === undefined || name === undefined || this.#isOwnPart(name, from) ? target : union
  }

  hasVariants(part: DocumentPart): boolean {
    const name = this.#nameAt(part.keys)
    return name !== undefined && this.#unionOf(name) !== undefined
  }

  /** A reference in the `allOf` of a child or in a `discriminator` means the parent itself. */
  #isOwnPart(name: string, [first, second, owner, ...inner]: PartKeys): boolean {
    if (first !== 'components' || second !== 'schemas' || owner === undefined) return false
    if (inner[0] === 'discriminator') return true
    const isInherited = inner.length > 0 && inner.every((key, index) => index % 2 === 1 || key === 'allOf')
    return isInherited && this.#heirsOf(name).includes(String(owner))
  }

  #unionOf(name: string): DocumentPart | undefined {
    if (!this.#unions.has(name)) this.#unions.set(name, this.#createUnion(name))
    return this.#unions.get(name)
  }

  #createUnion(name: string): DocumentPart | undefined {
    const schema = own(this.#schemas, name)
    if (!isObject(schema) || own(schema, 'oneOf') !== undefined || own(schema, 'anyOf') !== undefined) return undefined
    const discriminator = this.#discriminatorOf(name)
    if (discriminator === undefined) return undefined
    const { field, tags } = discriminator
    const mapped = this.#ownDiscriminator(name) === undefined ? [] : [...tags.keys()]
    const others = new Set([...this.#heirsOf(name), ...mapped].filter((each) => each !== name))
    if (others.size === 0) return undefined
    const values = this.#valuesOf(schema, field)
    const tagsOf = (each: string): readonly string[] => tags.get(each) ?? [ownTag(each, values)]
    const isAllowed = (each: string): boolean =>
      values === undefined || tagsOf(each).some((tag) => values.includes(tag))
    // If the mapping contains only other schemas, the parent itself is not a variant.
    const isVariant = (tags.has(name) || tags.size === 0) && isAllowed(name)
    const allowed = [...others].filter(isAllowed)
    const variants = [...(allowed.length > 0 ? allowed : others), ...(isVariant ? [name] : [])]
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

  #discriminatorOf(name: string): Discriminator | undefined {
    const names = new Set([name])
    for (const each of names) {
      const found = this.#ownDiscriminator(each)
      if (found !== undefined) return found
      for (const parent of this.#parents.get(each) ?? []) names.add(parent)
    }
    return undefined
  }

  #ownDiscriminator(name: string): Discriminator | undefined {
    const discriminator = own(objectOf(own(this.#schemas, name)), 'discriminator')
    // In version 2 of OpenAPI, the discriminator is only a field name.
    const field = isObject(discriminator) ? own(discriminator, 'propertyName') : discriminator
    if (typeof field !== 'string') return undefined
    const tags = new Map<string, string[]>()
    for (const [tag, target] of Object.entries(objectOf(own(objectOf(discriminator), 'mapping')))) {
      const mapped = typeof target === 'string' ? this.#nameOf(target) : undefined
      if (mapped !== undefined) tags.set(mapped, [...(tags.get(mapped) ?? []), tag])
    }
    return { field, tags }
  }

  #nameOf(target: string): string | undefined {
    if (own(this.#schemas, target) !== undefined) return target
    return target.startsWith('#') ? this.#nameAt(keysInReference(this.#root, target)) : undefined
  }

  #nameAt(keys: PartKeys | undefined): string | undefined {
    if (keys?.length !== 3 || keys[0] !== 'components' || keys[1] !== 'schemas') return undefined
    const name = String(keys[2])
    return own(this.#schemas, name) === undefined ? undefined : name
  }

  #valuesOf(schema: SchemaObject, field: string): readonly Json[] | undefined {
    const value = own(objectOf(own(schema, 'properties')), field)
    const found = value === undefined ? undefined : resolved(this.#root, { value, keys: [] })
    if (found === undefined || 'why' in found || !isObject(found.value)) return undefined
    const [constant, list] = [own(found.value, 'const'), own(found.value, 'enum')]
    return constant === undefined ? (Array.isArray(list) ? list : undefined) : [constant]
  }
}

function inheritedRefs(schema: Json): readonly string[] {
  const all = own(objectOf(schema), 'allOf')
  if (!Array.isArray(all)) return []
  return all.flatMap((part: Json) => {
    const ref = own(objectOf(part), '$ref')
    return [...(typeof ref === 'string' && ref.startsWith('#') ? [ref] : []), ...inheritedRefs(part)]
  })
}

function ownTag(name: string, known: readonly Json[] = []): string {
  const isSame = (value: Json): value is string =>
    typeof value === 'string' && value.toLowerCase() === name.toLowerCase()
  return known.includes(name) ? name : (known.find(isSame) ?? name)
}

function addsParts(schema: Json | undefined): boolean {
  const all = own(objectOf(schema), 'allOf')
  return own(objectOf(schema), 'properties') !== undefined || (Array.isArray(all) && all.length > 1)
}

function schemaRef(name: string): string {
  return `#${pointerOf(['components', 'schemas', name]).replaceAll('%', '%25')}`
}
