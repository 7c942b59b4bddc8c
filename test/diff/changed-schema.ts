import { mapSubschemas } from '@toolgen/runtime/schema'
import { isObject, type Json, type Schema, type SchemaObject } from '../../packages/codegen/src/schema/json-schema.js'
import { keywords } from '../../packages/codegen/src/schema/keywords.js'
import type { SchemaCase } from '../codec/differential/compiled-codecs.js'
import type { Random } from '../codec/differential/random.js'
import { fieldNames, randomCase } from '../codec/differential/random-schema.js'

/** Returns a schema with one to three realistic changes, in the schema or its definitions. */
export function changedCase(random: Random, made: SchemaCase, changes = commonChanges): SchemaCase {
  let changed = made
  for (let left = 1 + random.below(3); left > 0; left--) changed = changedOnce(random, changed, changes)
  return changed
}

function changedOnce(random: Random, { schema, defs }: SchemaCase, changes: readonly Change[]): SchemaCase {
  const names = Object.keys(defs)
  if (names.length > 0 && random.chance(0.3)) {
    const name = random.pick(names)
    return { schema, defs: { ...defs, [name]: changedSchema(random, defs[name] ?? true, changes) } }
  }
  return { schema: changedSchema(random, schema, changes), defs }
}

function changedSchema(random: Random, schema: Schema, changes: readonly Change[]): Schema {
  if (!isObject(schema)) return random.chance(0.5) ? schema : { type: 'string' }
  const parts = Object.keys(schema).filter((keyword) => /schema/.test(keywords.get(keyword) ?? ''))
  if (parts.length > 0 && random.chance(0.65)) {
    const chosen = random.pick(parts)
    let isDone = false
    return mapSubschemas(schema, (part, [keyword]) => {
      if (keyword !== chosen || isDone || random.chance(0.4)) return part
      isDone = true
      return changedSchema(random, part, changes)
    })
  }
  return random.pick(changes)(random, schema)
}

/** Changes a schema. */
export type Change = (random: Random, schema: SchemaObject) => Schema

/** Changes of common keywords. */
export const commonChanges: readonly Change[] = [
  (random, schema) => without(schema, random.pick(Object.keys(schema).concat('type'))),
  (random, schema) => ({ ...schema, required: random.some(fieldNames, 0.3) }),
  (random, schema) => {
    const properties = isObject(schema.properties) ? schema.properties : {}
    const kept = Object.entries(properties).filter(() => random.chance(0.7))
    return { ...schema, properties: Object.fromEntries(kept) }
  },
  (random, schema) => {
    const properties = isObject(schema.properties) ? schema.properties : {}
    return { ...schema, properties: { ...properties, [random.pick(fieldNames)]: randomCase(random).schema } }
  },
  (random, schema) => ({ ...schema, additionalProperties: random.pick<Json>([true, false, { type: 'string' }]) }),
  (random, schema) => ({ ...schema, maxLength: 1 + random.below(4), maximum: random.below(5) }),
  (random, schema) => ({ ...schema, minLength: random.below(3), minimum: random.below(3) - 1 }),
  (random, schema) => ({ ...schema, minItems: random.below(3), maxItems: 1 + random.below(3) }),
  (_, schema) => ({ anyOf: [schema, { type: 'null' }] }),
  (_, schema) => ({ oneOf: [schema, { type: 'null' }] }),
  (_, schema) => ({ allOf: [schema] }),
  (random, schema) => ({ allOf: [schema, randomCase(random).schema] }),
  (random, schema) => ({ anyOf: [schema, randomCase(random).schema] }),
  (random, schema) => {
    const union = ['anyOf', 'oneOf', 'enum', 'type'].find((keyword) => Array.isArray(schema[keyword]))
    if (union === undefined) return schema
    const left = [schema[union] ?? []].flat().filter(() => random.chance(0.7))
    return left.length === 0 ? schema : { ...schema, [union]: left }
  },
  (random, schema) =>
    Array.isArray(schema.enum) ? { ...schema, enum: [...schema.enum, random.pick(['x', 7, null])] } : schema,
]

function without(schema: SchemaObject, name: string): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== name))
}
