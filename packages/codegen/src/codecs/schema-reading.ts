import { SchemaFacts, SchemaIndex } from '@toolgen/runtime/schema'
import { cachedBy } from '../defined.js'
import { type Defs, isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { knownBySchema } from '../schema/keywords.js'
import { refName } from '../schema/references.js'

/** Includes the targets of `$ref` and the elements of `allOf`. Returns `false` if no value can match all schemas. */
export function conjunctsOf(schema: Schema, defs: Defs): readonly SchemaObject[] | false {
  return typeof schema === 'boolean' ? schema && [] : ofObject(schema, defs)
}

const ofObject = knownBySchema((schema, defs): readonly SchemaObject[] | false => {
  const { facts, locate } = factsOf(defs)
  const schemas = facts.conjuncts(locate(schema)).map((conjunct) => conjunct.schema)
  return schemas.includes(false) ? false : schemas.filter(isObject)
})

interface SharedFacts {
  readonly facts: SchemaFacts
  readonly locate: (schema: Schema) => Located
}

type Located = SchemaIndex['root']

export const factsOf: (defs: Defs) => SharedFacts = cachedBy((defs: Defs) => {
  const index = new SchemaIndex({ $defs: defs })
  return { facts: new SchemaFacts(index), locate: (schema: Schema) => ({ ...index.root, schema }) }
})

export function subschemas(schema: SchemaObject, keyword: string): readonly Schema[] {
  const list = own(schema, keyword)
  return Array.isArray(list) ? list.filter(isAnySchema) : []
}

export function subschema(schema: SchemaObject, keyword: string): Schema | undefined {
  const value = own(schema, keyword)
  return value !== undefined && isAnySchema(value) ? value : undefined
}

export function numberOf(schema: SchemaObject, keyword: string): number | undefined {
  const value = own(schema, keyword)
  return typeof value === 'number' ? value : undefined
}

export function strictest(
  conjuncts: readonly SchemaObject[],
  keyword: string,
  pick: (...numbers: readonly number[]) => number,
): number | undefined {
  const numbers = conjuncts.map((conjunct) => numberOf(conjunct, keyword)).filter((value) => value !== undefined)
  return numbers.length === 0 ? undefined : pick(...numbers)
}

export function plainReference(schema: Schema): string | undefined {
  if (!isObject(schema)) return undefined
  const name = refName(own(schema, '$ref'))
  return name !== undefined && Object.keys(schema).every((key) => key === '$ref' || silent.includes(key))
    ? name
    : undefined
}

/** Keywords that do not restrict values. */
export const silent: readonly string[] = [
  ...['title', 'description', 'default', 'examples', '$comment', '$defs', '$schema', '$id', '$anchor'],
  ...['deprecated', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'contentSchema', 'discriminator'],
]

function isAnySchema(value: Json): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}
