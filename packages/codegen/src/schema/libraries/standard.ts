import { deepEqual } from '@toolgen/runtime/schema'
import {
  type Converted,
  hasErrors,
  isObject,
  type Json,
  objectFrom,
  type Schema,
  type SchemaFault,
} from '../json-schema.js'
import { rulesOnly } from '../keywords.js'
import { arkTypeHooks, examineArkType, sentByArkType, withPlainNames } from './arktype.js'
import {
  changesValues,
  type Direction,
  hasFlags,
  hasNoOutcome,
  holdsNoJson,
  isUnstable,
  LibraryFindings,
  type LibraryHooks,
  type LibrarySchema,
} from './library.js'
import { emptySchema, notConverted } from './library-errors.js'
import { readPlainSchema } from './plain.js'
import { valibotHooks } from './valibot.js'

/** What is asked of a library's conversion. */
interface ConversionOptions {
  readonly target: 'draft-2020-12'
  readonly libraryOptions?: Readonly<Record<string, unknown>>
}

/** What a library that implements Standard JSON Schema puts under `~standard`. */
interface StandardProperty {
  readonly vendor: string
  readonly validate?: (value: unknown) => unknown
  readonly jsonSchema?: Readonly<Record<Direction, (options: ConversionOptions) => unknown>>
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

/**
 * Converts by the library's own conversion; a library without one is refused by name. A payload schema whose two sides
 * differ changes values. ArkType and Valibot are asked for what their conversion loses; of others it cannot be known.
 */
export function fromStandardJsonSchema(value: StandardSchemaValue, io: Direction): Converted<LibrarySchema> {
  const { vendor, jsonSchema } = value['~standard']
  if (jsonSchema === undefined) return { faults: [withoutJsonSchema(vendor)] }
  const convert = (direction: Direction): Conversion => conversion(value, direction)
  const sent = convert(io)
  if (sent.failure !== undefined) return { faults: [sent.failure] }
  const again = convert(io)
  const back = io === 'input' ? convert('output') : sent
  const isStable = JSON.stringify(sent.json) === JSON.stringify(again.json)
  const faults = [...(isStable ? [] : [isUnstable()]), ...faultsOf(sent, back, io)]
  if (hasErrors(faults)) return { faults }
  const read = readPlainSchema(sent.json)
  const all = [...faults, ...read.faults.map((fault) => ({ ...fault, trail: [] }))]
  if (read.value === undefined) return { faults: all }
  // Of ArkType all morphs are known, and its definitions are numbered anew for each side.
  if (
    vendor !== 'arktype' &&
    io === 'input' &&
    back.failure === undefined &&
    differ(read.value, readPlainSchema(back.json).value)
  ) {
    return { faults: [...all, changesValues('a change of values: what it takes is not what it yields')] }
  }
  if (isEmpty(read.value)) return { faults: [...all, emptySchema(`\`${vendor}\``)] }
  return { value: { schema: read.value, refinements: sent.findings.refined ? [[]] : [] }, faults: all }
}

/** One conversion of a library, and what it said meanwhile. */
interface Conversion {
  readonly json?: unknown
  readonly failure?: SchemaFault
  readonly findings: LibraryFindings
}

function conversion(value: StandardSchemaValue, direction: Direction): Conversion {
  const { vendor } = value['~standard']
  const findings = new LibraryFindings()
  if (vendor === 'arktype') examineArkType(value, findings)
  try {
    return { json: convertedBy(value, direction, hooksFor(vendor, findings)), findings }
  } catch (error) {
    return { failure: notConverted(error), findings }
  }
}

function convertedBy(value: StandardSchemaValue, direction: Direction, hooks: LibraryHooks | undefined): unknown {
  const { vendor, jsonSchema } = value['~standard']
  const target = 'draft-2020-12'
  const convert = (): unknown =>
    jsonSchema?.[direction](hooks === undefined ? { target } : { target, libraryOptions: hooks.options })
  if (vendor !== 'arktype') return convert()
  return withPlainNames(direction === 'input' ? sentByArkType(value, hooks?.options ?? {}) : convert())
}

function hooksFor(vendor: string, findings: LibraryFindings): LibraryHooks | undefined {
  if (vendor === 'arktype') return arkTypeHooks(findings)
  return vendor === 'valibot' ? valibotHooks(findings) : undefined
}

/** @param back what comes out of the schema, where `sent` goes in */
function faultsOf(sent: Conversion, back: Conversion, io: Direction): readonly SchemaFault[] {
  const changes = new Set([...sent.findings.changes, ...back.findings.changes, ...back.findings.untyped])
  return [
    ...[...sent.findings.notJson].map(holdsNoJson),
    ...[...sent.findings.flags].map(hasFlags),
    ...(io === 'input' ? [...changes].map(changesValues) : [...sent.findings.untyped].map(hasNoOutcome)),
  ]
}

/** Whether two sides of a schema allow other values, defaults and the treatment of unknown fields aside. */
function differ(sent: Schema, back: Schema | undefined): boolean {
  return back !== undefined && !deepEqual(comparable(sent), comparable(back))
}

function comparable(schema: Schema): Json {
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip)
    if (!isObject(value)) return value
    const kept = Object.entries(value).filter(
      ([key, inner]) =>
        !(key === 'required' && Array.isArray(inner)) && !(key === 'additionalProperties' && inner === false),
    )
    return objectFrom(kept.map(([key, inner]) => [key, strip(inner)] as const))
  }
  return strip(rulesOnly(schema))
}

function isEmpty(schema: Schema): boolean {
  return typeof schema !== 'boolean' && Object.keys(schema).every((key) => key === '$schema')
}

function withoutJsonSchema(vendor: string): SchemaFault {
  const converter = vendor === 'valibot' ? 'Wrap it in `toStandardJsonSchema` of `@valibot/to-json-schema`' : undefined
  return {
    code: 'TG3001',
    severity: 'error',
    message: `This is a schema of \`${vendor}\`, which gives no JSON Schema (Standard JSON Schema).`,
    next: `${converter ?? 'Take a version of the library that does, its converter to JSON Schema'}, or another library.`,
    trail: [],
  }
}
