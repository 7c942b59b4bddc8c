import { isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { knownBySchema } from '../schema/keywords.js'
import { refName } from '../schema/references.js'

/** The definitions to which schemas refer, by name. */
export type Defs = Readonly<Record<string, Schema>>

/**
 * The schema itself and all that its values must satisfy besides: targets of `$ref`, parts of `allOf`, each once.
 * `false` where no value can.
 */
export function conjunctsOf(schema: Schema, defs: Defs): readonly SchemaObject[] | false {
  return typeof schema === 'boolean' ? schema && [] : ofObject(schema, defs)
}

const ofObject = knownBySchema((schema, defs): readonly SchemaObject[] | false => {
  const found = new Set<SchemaObject>()
  return collect(schema, defs, found) && [...found]
})

/** Adds what a schema demands; false where no value can satisfy it. */
function collect(schema: Schema, defs: Defs, found: Set<SchemaObject>): boolean {
  if (typeof schema === 'boolean') return schema
  // What leads back to itself demands nothing more.
  if (found.has(schema)) return true
  found.add(schema)
  const name = refName(own(schema, '$ref'))
  const target = name === undefined || !Object.hasOwn(defs, name) ? undefined : defs[name]
  const parts = [...(target === undefined ? [] : [target]), ...subschemas(schema, 'allOf')]
  return parts.every((part) => collect(part, defs, found))
}

/** The schemas in a list keyword. */
export function subschemas(schema: SchemaObject, keyword: string): readonly Schema[] {
  const list = own(schema, keyword)
  return Array.isArray(list) ? list.filter(isAnySchema) : []
}

/** The schema of a keyword. */
export function subschema(schema: SchemaObject, keyword: string): Schema | undefined {
  const value = own(schema, keyword)
  return value !== undefined && isAnySchema(value) ? value : undefined
}

/** A number that a keyword gives. */
export function numberOf(schema: SchemaObject, keyword: string): number | undefined {
  const value = own(schema, keyword)
  return typeof value === 'number' ? value : undefined
}

/** The largest, or smallest, of the numbers that several schemas give. */
export function strictest(
  conjuncts: readonly SchemaObject[],
  keyword: string,
  pick: (...numbers: readonly number[]) => number,
): number | undefined {
  const given = conjuncts.map((conjunct) => numberOf(conjunct, keyword)).filter((value) => value !== undefined)
  return given.length === 0 ? undefined : pick(...given)
}

/** The definition to which a schema refers without saying more that matters. */
export function plainReference(schema: Schema): string | undefined {
  if (!isObject(schema)) return undefined
  const name = refName(own(schema, '$ref'))
  return name !== undefined && Object.keys(schema).every((key) => key === '$ref' || silent.includes(key))
    ? name
    : undefined
}

/** Keywords that check nothing. */
export const silent: readonly string[] = [
  ...['title', 'description', 'default', 'examples', '$comment', '$defs', '$schema', '$id', '$anchor'],
  ...['deprecated', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'contentSchema', 'discriminator'],
]

function isAnySchema(value: Json): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}
