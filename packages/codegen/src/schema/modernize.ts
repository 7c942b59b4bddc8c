import { deepEqual, mapSubschemas } from '@toolgen/runtime/schema'
import { isObject, type Json, objectFrom, own, type Schema, type SchemaObject, without } from './json-schema.js'

/** Converts drafts 04 to 2019-09. References keep their old paths; {@link modernKeys} converts these paths. */
export function modernize(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema
  const steps = [renameDefinitions, splitItems, splitDependencies, exclusiveBounds]
  const modern = steps.reduce((current, step) => step(current), schema)
  return mapSubschemas(modern, (subschema) => modernize(subschema))
}

/** Converts a key of a JSON Pointer: `definitions` → `['$defs']`. `schema` is already converted, and `next` is the next key in the pointer. */
export function modernKeys(schema: SchemaObject, key: string, next: string | undefined): readonly string[] {
  if (key === 'definitions' && !Object.hasOwn(schema, key)) return ['$defs']
  if (key === 'items' && Object.hasOwn(schema, 'prefixItems') && /^\d+$/.test(next ?? '')) return ['prefixItems']
  if (key === 'additionalItems' && Object.hasOwn(schema, 'prefixItems')) return ['items']
  if (key === 'dependencies' && !Object.hasOwn(schema, key)) return ['dependentSchemas']
  return Object.hasOwn(schema, key) || !isInNullable(schema, key) ? [key] : ['anyOf', '0', key]
}

/** The conversion of `nullable: true` returns `anyOf: [{ ... }, { type: 'null' }]`, and the first schema contains the other keywords. */
function isInNullable(schema: SchemaObject, key: string): boolean {
  const variants = own(schema, 'anyOf')
  if (!Array.isArray(variants) || variants.length !== 2) return false
  const [inner, nothing]: readonly Json[] = variants
  return isObject(inner) && Object.hasOwn(inner, key) && deepEqual(nothing ?? false, { type: 'null' })
}

function renameDefinitions(schema: SchemaObject): SchemaObject {
  const old = own(schema, 'definitions')
  if (!isObject(old)) return schema
  const known = own(schema, '$defs')
  const merged = { ...old, ...(isObject(known) ? known : {}) }
  return { ...without(schema, ['definitions']), $defs: objectFrom(Object.entries(merged)) }
}

function splitItems(schema: SchemaObject): SchemaObject {
  const items = own(schema, 'items')
  const rest = own(schema, 'additionalItems')
  const bare = without(schema, ['additionalItems'])
  if (!Array.isArray(items)) return rest === undefined ? schema : bare
  const tuple = without(bare, ['items'])
  return {
    ...tuple,
    ...(items.length === 0 ? {} : { prefixItems: items }),
    ...(rest === undefined ? {} : { items: rest }),
  }
}

function splitDependencies(schema: SchemaObject): SchemaObject {
  const old = own(schema, 'dependencies')
  if (!isObject(old)) return schema
  const entries = Object.entries(old)
  const names = entries.filter(([, value]) => Array.isArray(value))
  const schemas = entries.filter(([, value]) => !Array.isArray(value))
  return {
    ...without(schema, ['dependencies']),
    ...(names.length === 0 ? {} : { dependentRequired: objectFrom<Json>(names) }),
    ...(schemas.length === 0 ? {} : { dependentSchemas: objectFrom<Json>(schemas) }),
  }
}

function exclusiveBounds(schema: SchemaObject): SchemaObject {
  const bounds: readonly (readonly [string, string])[] = [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ]
  return bounds.reduce<SchemaObject>((current, [bound, flag]) => {
    const exclusive = own(current, flag)
    if (typeof exclusive !== 'boolean') return current
    const limit = own(current, bound)
    if (!exclusive || limit === undefined) return without(current, [flag])
    return { ...without(current, [bound, flag]), [flag]: limit }
  }, schema)
}
