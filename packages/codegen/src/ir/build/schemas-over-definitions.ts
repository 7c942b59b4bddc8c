import { isPlainSchema } from '../../schema/intake/plain-schema.js'
import { isObject, objectFrom, own } from '../../schema/json/json.js'
import type { Schema } from '../../schema/json/json-schema.js'
import type { SchemaFault } from '../../schema/json/schema-fault.js'
import { type ReadSchema, toJsonSchema } from '../../schema/to-json-schema.js'

/** Several schemas over the definitions of their toolset. */
export interface SchemasOverDefinitions {
  /** One document: its root has each schema as a property, under the index that it was given by. */
  readonly document?: ReadSchema
  readonly faults: readonly (SchemaFault & {
    /** The schema that the fault is in; absent for one in a definition. */
    readonly index?: number
  })[]
}

/** Whether a schema may refer to the definitions of its toolset: a plain one that brings none of its own. */
export function usesDefinitions(schema: unknown): boolean {
  if (!isPlainSchema(schema) || typeof schema === 'boolean') return false
  return !['$defs', 'definitions', '$id', '$schema', 'components'].some((keyword) => Object.hasOwn(schema, keyword))
}

/** Reads schemas together with the definitions to which they refer, each definition once. */
export function readOverDefinitions(
  schemas: readonly unknown[],
  definitions: Readonly<Record<string, unknown>>,
): SchemasOverDefinitions {
  if (schemas.length === 0) return { faults: [] }
  const properties = objectFrom(schemas.map((schema, index) => [String(index), schema]))
  const { value, faults } = toJsonSchema(
    { type: 'object', properties, $defs: definitions },
    { io: 'output', hint: 'Definitions' },
  )
  return {
    ...(value !== undefined && { document: value }),
    faults: faults.map(({ trail, ...fault }) => {
      const [keyword, key] = trail
      const isSchema = keyword === 'properties' && key !== undefined
      return isSchema
        ? { ...fault, trail: trail.slice(2), index: Number(key) }
        : { ...fault, trail: ['definitions', ...trail.slice(1)] }
    }),
  }
}

/** One of the schemas that were read together, after definitions were put together with others. */
export function schemaAt(root: Schema, index: number): Schema {
  const properties = isObject(root) ? own(root, 'properties') : undefined
  const schema = isObject(properties) ? own(properties, String(index)) : undefined
  return isObject(schema) || typeof schema === 'boolean' ? schema : true
}
