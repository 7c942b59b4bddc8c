import { isObject, objectFrom, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { targetOf } from './references.js'

/** What says of a field that it goes one way alone. */
export type FieldFlag = 'readOnly' | 'writeOnly'

/** What alternatives are read with. */
interface TagScene {
  readonly root: SchemaObject
  /** The field that tells which alternative is meant. */
  readonly field: string
  /** What says of a field that it goes the other way. */
  readonly otherWay: FieldFlag
  /** The names of schemas, by the values of the field. */
  readonly mapping: SchemaObject
}

/** An alternative, and the values of the field by which it is known. */
interface Variant {
  readonly schema: Json
  readonly tags: readonly Json[]
}

/**
 * A schema whose `oneOf` says what its `discriminator` means: each alternative has values of its own in the field. Where
 * they cannot be told apart that way, a value may fit several (`anyOf`): the API has to decide which is meant.
 */
export function withToldVariants(
  schema: SchemaObject,
  { root, otherWay }: Pick<TagScene, 'root' | 'otherWay'>,
): SchemaObject {
  const variants = own(schema, 'oneOf')
  const discriminator = own(schema, 'discriminator')
  const field = isObject(discriminator) ? own(discriminator, 'propertyName') : undefined
  if (!Array.isArray(variants) || !isObject(discriminator) || typeof field !== 'string') return schema
  const mapping = own(discriminator, 'mapping')
  const scene: TagScene = { root, field, otherWay, mapping: isObject(mapping) ? mapping : {} }
  const told = variants.map((variant: Json) => toldVariant(variant, scene))
  const tags = told.flatMap((variant) => variant?.tags ?? [])
  const isTold = !told.includes(undefined) && new Set(tags).size === tags.length
  if (!isTold && own(schema, 'anyOf') !== undefined) return schema
  return objectFrom(
    Object.entries(schema).map(([key, value]): readonly [string, Json] => {
      if (key !== 'oneOf') return [key, value]
      return isTold
        ? [key, told.flatMap((variant) => (variant === undefined ? [] : [variant.schema]))]
        : ['anyOf', value]
    }),
  )
}

/** An alternative that is known by the field; `undefined` where it cannot be. */
function toldVariant(schema: Json, { root, field, otherWay, mapping }: TagScene): Variant | undefined {
  const parts = partsOf(schema, root)
  const types = parts.flatMap((part) => own(part, 'type') ?? [])
  if (types.length > 0 && !types.includes('object')) return { schema, tags: [] }
  const said = parts.flatMap((part) => {
    const fields = own(part, 'properties')
    const value = isObject(fields) ? own(fields, field) : undefined
    return value === undefined ? [] : partsOf(value, root)
  })
  if (said.length === 0 && !parts.every(takesFields)) return undefined
  if (said.some((part) => own(part, otherWay) === true || !takesText(part))) return undefined
  const names = namesOf(schema, root, mapping)
  const [first, ...others] = said.flatMap((part) => listed(part))
  if (first === undefined)
    return names.length === 0 ? undefined : { schema: withTags(schema, field, names), tags: names }
  // What the alternative says of its own field counts more than its name, which is for who reads the document.
  const values = first.filter((value) => others.every((list) => list.includes(value)))
  const common = names.filter((name) => values.includes(name))
  if (common.length === 0 || common.length === values.length) return { schema, tags: values }
  return { schema: withTags(schema, field, common), tags: common }
}

/** A schema and all that must be true of its values besides. */
function partsOf(schema: Json, root: SchemaObject): readonly SchemaObject[] {
  const met = new Set<SchemaObject>()
  const pending = [schema]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (!isObject(next) || met.has(next)) continue
    met.add(next)
    const [ref, all] = [own(next, '$ref'), own(next, 'allOf')]
    const target = typeof ref === 'string' ? targetOf(root, ref) : undefined
    if (target !== undefined && 'value' in target) pending.push(target.value)
    if (Array.isArray(all)) pending.push(...all)
  }
  return [...met]
}

/** Whether fields may be added to those that a schema names. */
function takesFields(schema: SchemaObject): boolean {
  return ['additionalProperties', 'unevaluatedProperties'].every((key) => own(schema, key) !== false)
}

function takesText(schema: SchemaObject): boolean {
  const type = own(schema, 'type')
  return type === undefined || [type].flat().includes('string')
}

function listed(schema: SchemaObject): readonly (readonly Json[])[] {
  const [constant, list] = [own(schema, 'const'), own(schema, 'enum')]
  return [...(constant === undefined ? [] : [[constant]]), ...(Array.isArray(list) ? [list] : [])]
}

/** The values that mean an alternative: those that the mapping has for it, else the name of its schema. */
function namesOf(schema: Json, root: SchemaObject, mapping: SchemaObject): readonly string[] {
  const ref = isObject(schema) ? own(schema, '$ref') : undefined
  if (typeof ref !== 'string') return []
  const target = targetOf(root, ref)
  const name = 'why' in target ? '' : String(target.keys.at(-1) ?? '')
  const mapped = Object.keys(mapping).filter((tag) => [ref, name].includes(String(own(mapping, tag))))
  return mapped.length > 0 || name === '' ? mapped : [name]
}

/** A schema with only some values of a field. What it refers to stays as it is for others. */
function withTags(schema: Json, field: string, tags: readonly string[]): SchemaObject {
  const [first = '', ...others] = tags
  const value: SchemaObject = others.length === 0 ? { const: first } : { enum: tags }
  const tag = { type: 'object', properties: objectFrom([[field, value] as const]), required: [field] }
  return { allOf: [schema, tag] }
}
