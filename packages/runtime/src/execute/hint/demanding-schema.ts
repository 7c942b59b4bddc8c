import { isFields } from '../../codec/json/kind.js'
import { setOwn } from '../../codec/json/own.js'
import { parsePointer } from '../../codec/json/pointer.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonSchema, JsonSchemaObject } from '../../contract/json.js'

/**
 * The places that a correct example is to show, as the steps to each: of every faulty part, and of the field that an
 * unknown one was meant to be.
 */
export function faultyPlaces(issues: readonly Issue[]): readonly (readonly string[])[] {
  return issues.map((issue) => {
    const steps = parsePointer(issue.path) ?? []
    return issue.constraint === 'unknown_field' && issue.nearest !== undefined
      ? [...steps.slice(0, -1), issue.nearest]
      : steps
  })
}

/**
 * A schema that also requires the declared fields on the way to places, and one item of arrays on it. What is not
 * declared where it stands, such as behind a reference, stays as it is.
 */
export function demandingSchema(schema: JsonSchema, places: readonly (readonly string[])[]): JsonSchema {
  return places.reduce<JsonSchema>(demanding, schema)
}

function demanding(schema: JsonSchema, [step, ...rest]: readonly string[]): JsonSchema {
  if (typeof schema === 'boolean' || step === undefined) return schema
  const { properties, items } = schema
  if (isFields(properties) && Object.hasOwn(properties, step)) {
    const required = new Set([...(Array.isArray(schema.required) ? schema.required : []), step])
    return { ...schema, required: [...required], properties: withField(properties, step, rest) }
  }
  if (!isSchema(items) || !/^\d+$/.test(step)) return schema
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  return { ...schema, minItems: Math.max(1, least), items: demanding(items, rest) }
}

function withField(properties: object, name: string, rest: readonly string[]): JsonSchemaObject {
  const changed: Record<string, unknown> = {}
  for (const [key, field] of Object.entries(properties)) {
    setOwn(changed, key, key === name && isSchema(field) ? demanding(field, rest) : field)
  }
  return changed
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isFields(value)
}
