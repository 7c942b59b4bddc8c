import { $ZodRegistry, type $ZodType, globalRegistry, type JSONSchema, toJSONSchema } from 'zod/v4/core'
import { isObject, isSchema } from '../json/json.js'
import type { Schema } from '../json/json-schema.js'
import { type Converted, hasErrors, type SchemaFault } from '../json/schema-fault.js'
import { toJson } from '../json/to-json.js'
import { notConverted } from './library-faults.js'
import type { Direction, LibrarySchema } from './library-schema.js'
import { examineZod4 } from './zod4-faults.js'
import { readableTextRules } from './zod4-formats.js'
import { checksOf, type ZodCheck } from './zod4-string-check.js'
import { writeWireForm } from './zod4-typed.js'

/** Whether a value is a schema of Zod 4 (or of Zod Mini). */
export function isZod4(value: unknown): value is $ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/** Converts by Zod's own conversion; what JSON Schema cannot carry becomes a fault. */
export function fromZod4(schema: $ZodType, direction: Direction): Converted<LibrarySchema> {
  const faults: SchemaFault[] = []
  const refinements: (readonly string[])[] = []
  const found = convert(schema, direction, (zodSchema, json, path) => {
    const trail = fieldNames(path)
    const finding = examineZod4(zodSchema, json, direction, trail)
    faults.push(...finding.faults)
    if (finding.refined) refinements.push(trail)
  })
  if ('failure' in found) return { faults: [...faults, found.failure] }
  return hasErrors(faults) ? { faults } : { value: { schema: found.schema, refinements }, faults }
}

/** Metadata as the schema's own copy of Zod keeps it: before 4.2 each copy had a registry of its own. */
class EveryRegistry extends $ZodRegistry<Record<string, unknown>> {
  override get(schema: $ZodType): Record<string, unknown> | undefined {
    const shared = globalRegistry.get(schema)
    if (shared !== undefined) return shared
    return 'meta' in schema && typeof schema.meta === 'function' ? schema.meta() : undefined
  }
}

type Visit = (schema: $ZodType, json: { readonly [key: string]: unknown }, path: readonly (string | number)[]) => void

function convert(
  schema: $ZodType,
  direction: Direction,
  visit: Visit,
): { readonly schema: Schema } | { readonly failure: SchemaFault } {
  try {
    const json: unknown = toJSONSchema(schema, {
      io: direction,
      target: 'draft-2020-12',
      // What is used twice is written once; `canonical/` puts the small ones back in their places.
      reused: 'ref',
      cycles: 'ref',
      unrepresentable: 'any',
      metadata: new EveryRegistry(),
      override: ({ zodSchema, jsonSchema, path }) => {
        writeWireForm(zodSchema, jsonSchema, direction)
        visit(zodSchema, jsonSchema, path)
        const { def } = zodSchema._zod
        if (def.type === 'readonly') delete jsonSchema.readOnly
        if (def.type === 'string') makeReadable(jsonSchema, checksOf(zodSchema))
        // An object that says nothing about other keys drops them: Zod writes that as a refusal in results.
        if (direction === 'output' && def.type === 'object' && !('catchall' in def && def.catchall)) {
          delete jsonSchema.additionalProperties
        }
        orderForReaders(jsonSchema)
      },
    })
    const copied = toJson(json)
    if (copied.ok && isSchema(copied.json)) return { schema: copied.json }
    return { failure: notConverted(copied.ok ? 'it became no schema' : copied.message) }
  } catch (error) {
    return { failure: notConverted(error) }
  }
}

/** Replaces what Zod says about a text by what reads best. */
function makeReadable(json: JSONSchema.BaseSchema, checks: readonly ZodCheck[]): void {
  const copied = toJson(json)
  const rules = copied.ok && isObject(copied.json) ? readableTextRules(copied.json, checks) : undefined
  if (rules === undefined) return
  for (const key of ['format', 'pattern', 'allOf']) if (!Object.hasOwn(rules, key)) delete json[key]
  // Keys that were there keep their place.
  Object.assign(json, rules)
}

/** Zod begins with what a schema adds to the one inside it; readers look for the type first and the default last. */
function orderForReaders(json: JSONSchema.BaseSchema): void {
  const { type, default: value } = json
  if (type !== undefined) {
    const others = Object.entries(json).filter(([key]) => key !== 'type')
    for (const [key] of others) delete json[key]
    Object.assign(json, Object.fromEntries(others))
  }
  if (value === undefined) return
  delete json.default
  json.default = value
}

/** Of a path through the JSON Schema the names of the fields. */
function fieldNames(path: readonly (string | number)[]): readonly string[] {
  return path.filter((_, index) => path[index - 1] === 'properties').map(String)
}
