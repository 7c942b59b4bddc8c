import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import { type Fields, isContainer, isFields, setOwn } from './json-values.js'

type Layout = 'schema' | 'list' | 'map' | 'schema or list'

const inPlaceKeywords: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ...(['not', 'if', 'then', 'else'] as const).map((name) => [name, 'schema'] as const),
  ...(['allOf', 'anyOf', 'oneOf'] as const).map((name) => [name, 'list'] as const),
  ['dependentSchemas', 'map'],
])

const wholeSchemas = ['additionalProperties', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties']

const schemaMaps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependencies']

const schemaKeywords: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ...inPlaceKeywords,
  ...[...wholeSchemas, 'contentSchema', 'additionalItems'].map((name) => [name, 'schema'] as const),
  ['items', 'schema or list'],
  ['prefixItems', 'list'],
  ...schemaMaps.map((name) => [name, 'map'] as const),
])

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isFields(value)
}

/**
 * Calls `visit` for every direct subschema of a schema. The second argument of `visit` is the path to the subschema. Skips values that are not
 * schemas.
 *
 * @example
 * eachSubschema({ properties: { id: { type: 'string' } } }, (subschema, path) => console.log(path)) // ['properties', 'id']
 */
export function eachSubschema<Schema extends JsonSchemaObject>(
  schema: Schema,
  visit: (subschema: boolean | Schema, path: readonly string[]) => void,
): void {
  visitSubschemas(schema, schemaKeywords, visit)
}

function visitSubschemas<Schema extends JsonSchemaObject>(
  schema: Schema,
  keywords: ReadonlyMap<string, Layout>,
  visit: (subschema: boolean | Schema, path: readonly string[]) => void,
): void {
  for (const name of Object.keys(schema)) {
    const layout = keywords.get(name)
    if (layout === undefined) continue
    const value: unknown = schema[name]
    if (!isContainer(value) || layout === 'schema' || (layout === 'schema or list' && !Array.isArray(value))) {
      if (layout !== 'list' && layout !== 'map' && isSchema(value)) visit(value as Schema, [name])
    } else if (Array.isArray(value) !== (layout === 'map')) {
      const parts = value as Readonly<Record<string, unknown>>
      for (const key of Object.keys(parts)) if (isSchema(parts[key])) visit(parts[key] as Schema, [name, key])
    }
  }
}

/**
 * Replaces each direct subschema by the result of `replace`; `undefined` removes the subschema. Returns `schema` itself if no subschema changes, or
 * else a copy.
 */
export function mapSubschemas<Schema extends JsonSchemaObject>(
  schema: Schema,
  replace: (subschema: boolean | Schema, path: readonly string[]) => boolean | Schema | undefined,
): Schema {
  let copy: Record<string, unknown> | undefined
  let parts: Map<string, unknown[] | Record<string, unknown>> | undefined
  eachSubschema(schema, (subschema, path) => {
    const made = replace(subschema, path)
    if (made === subschema) return
    copy ??= { ...schema }
    const [name = '', key] = path
    if (key === undefined) {
      if (made === undefined) delete copy[name]
      else copy[name] = made
      return
    }
    parts ??= new Map()
    const held = parts.get(name) ?? cloneContainer(schema[name])
    parts.set(name, held)
    copy[name] = held
    if (Array.isArray(held)) held[Number(key)] = made
    else if (made === undefined) delete held[key]
    else setOwn(held, key, made)
  })
  for (const [name, held] of parts ?? []) {
    if (copy !== undefined && Array.isArray(held)) copy[name] = held.filter((part) => part !== undefined)
  }
  return (copy ?? schema) as Schema // only schemas in it were replaced
}

function cloneContainer(value: unknown): unknown[] | Record<string, unknown> {
  if (Array.isArray(value)) return [...value]
  const copy: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value ?? {})) setOwn(copy, key, part)
  return copy
}

export function subschemasOf(
  schema: Fields,
  keywords: ReadonlyMap<string, Layout> = schemaKeywords,
): readonly Subschema[] {
  const found: Subschema[] = []
  visitSubschemas(schema, keywords, (subschema, path) => found.push([subschema, ...path]))
  return found
}

type Subschema = readonly [schema: JsonSchema, ...path: string[]]

export function inPlaceSubschemas(schema: Fields): readonly Subschema[] {
  return subschemasOf(schema, inPlaceKeywords)
}
