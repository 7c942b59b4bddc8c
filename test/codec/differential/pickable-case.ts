import { isObject, type Json, type Schema } from '../../../packages/codegen/src/schema/json-schema.js'
import type { SchemaCase } from './compiled-codecs.js'

/** Keywords that prevent a picker, and that are rare in the results of real tools. */
const rare: ReadonlySet<string> = new Set([
  ...['patternProperties', 'if', 'then', 'else', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['contains', 'minContains', 'maxContains', 'default', 'x-js', 'prefixItems', 'propertyNames', 'not'],
])

/** Removes the keywords that prevent a picker. For most of the remaining schemas, the generator creates one. */
export function pickableCase({ schema, defs }: SchemaCase): SchemaCase {
  return {
    schema: plain(schema),
    defs: Object.fromEntries(Object.entries(defs).map(([name, part]) => [name, plain(part)])),
  }
}

function plain(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  const properties = isObject(schema.properties) ? schema.properties : undefined
  const entries = Object.entries(schema).flatMap(([keyword, value]): readonly (readonly [string, Json])[] => {
    if (rare.has(keyword)) return []
    if (keyword === 'additionalProperties') return value === false && properties !== undefined ? [[keyword, value]] : []
    if (keyword === 'required' && Array.isArray(value)) {
      return [[keyword, value.filter((name) => Object.hasOwn(properties ?? {}, String(name)) && isOwn(name))]]
    }
    if (keyword === 'properties' && isObject(value)) {
      const own = Object.entries(value).filter(([name]) => isOwn(name))
      return [[keyword, Object.fromEntries(own.map(([name, part]) => [name, plainPart(part)]))]]
    }
    if (keyword === 'const' || keyword === 'enum') return [[keyword, value]]
    return [[keyword, Array.isArray(value) ? value.map(plainPart) : plainPart(value)]]
  })
  return Object.fromEntries(entries)
}

function plainPart(part: Json): Json {
  return isObject(part) ? plain(part) : part
}

function isOwn(name: Json): boolean {
  return !(String(name) in Object.prototype)
}
