import type { Schema } from '../json/json-schema.js'
import type { Converted, SchemaFault } from '../json/schema-fault.js'
import { emptySchema, notConverted } from './library-faults.js'
import type { Direction, LibrarySchema } from './library-schema.js'
import { readPlainSchema } from './plain-schema.js'

/** What a library that implements Standard JSON Schema puts under `~standard`. */
interface StandardProperty {
  readonly vendor: string
  readonly validate?: (value: unknown) => unknown
  readonly jsonSchema?: Readonly<Record<Direction, (options: { readonly target: string }) => unknown>>
}

/** A schema of any library that implements Standard Schema. */
export interface StandardSchemaValue {
  readonly '~standard': StandardProperty
}

/** Whether a value is a schema of a library that implements Standard Schema, with or without JSON Schema. */
export function isStandardSchema(value: unknown): value is StandardSchemaValue {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  if (!('~standard' in value)) return false
  const standard = value['~standard']
  return typeof standard === 'object' && standard !== null && 'vendor' in standard
}

/** Converts by the library's own conversion; a library without one is refused by name. */
export function fromStandardJsonSchema(value: StandardSchemaValue, io: Direction): Converted<LibrarySchema> {
  const { vendor, jsonSchema } = value['~standard']
  if (jsonSchema === undefined) return { faults: [withoutJsonSchema(vendor)] }
  let converted: unknown
  try {
    converted = jsonSchema[io]({ target: 'draft-2020-12' })
  } catch (error) {
    return { faults: [notConverted(error instanceof Error ? error.message : String(error))] }
  }
  const { value: schema, faults } = readPlainSchema(converted)
  if (schema === undefined) return { faults: faults.map((fault) => ({ ...fault, trail: [] })) }
  if (isEmpty(schema)) return { faults: [...faults, emptySchema(`\`${vendor}\``)] }
  return { value: { schema, refinements: [] }, faults }
}

function isEmpty(schema: Schema): boolean {
  return typeof schema !== 'boolean' && Object.keys(schema).every((key) => key === '$schema')
}

function withoutJsonSchema(vendor: string): SchemaFault {
  return {
    code: 'TG3001',
    severity: 'error',
    message: `This is a schema of \`${vendor}\`, which gives no JSON Schema (Standard JSON Schema).`,
    next: 'Take a version of the library that does, its converter to JSON Schema, or another library.',
    trail: [],
  }
}
