import { isObject, objectFrom, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { pointerOf } from '../../schema/json/pointer.js'
import type { PartKeys } from './read-document.js'
import { type DocumentPart, keysInReference, resolved } from './references.js'

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
