import { deepEqual, mapSubschemas, unsupportedPart } from '@toolgen/runtime/schema'
import { type Diagnostic, warning } from '../diagnostics/diagnostic.js'
import { misfittingDefaults, valueValidator } from '../schema/definitions.js'
import { impossiblePart, isObjectPayload } from '../schema/impossible-part.js'
import { isObject, type Json, own, type Schema, without } from '../schema/json-schema.js'
import { repairDefault } from '../schema/libraries/repair-values.js'

import { toJsonSchema } from '../schema/to-json-schema.js'
import { defaultLeftOut, type Side, type ToolSource, unusableSide } from './tool-source.js'

/** A schema that a design can have, or the reason that it is not usable. */
type Usable = ReadSchema | { readonly why: string }

interface ReadSchema {
  /** The schema as the source has it, without parts that were left out. */
  readonly schema: Schema
  /** The same as JSON Schema 2020-12. */
  readonly root: Schema
  readonly defs: Readonly<Record<string, Schema>>
  /** Messages about patterns that were left out, because codecs cannot match them. */
  readonly nonlinear: readonly string[]
}

/**
 * Returns the schema of one side of a tool as a design can have it: as the source has it, apart from defaults and
 * patterns that cannot be used. Reports these, and returns `undefined` for a schema that cannot be used at all.
 */
export function usableSchema(
  side: Side,
  name: string,
  schema: Json,
  source: ToolSource,
  report: (diagnostic: Diagnostic) => void,
): Schema | undefined {
  const read = side === 'arguments' ? readArguments(schema) : readResult(schema)
  if ('why' in read) {
    report(unusableSide(side, source, name, read.why))
    return undefined
  }
  for (const why of read.nonlinear) {
    const next = `${source.fix}, or nothing: whoever runs the tool still checks the value.`
    report(warning('TG6208', `A pattern of \`${name}\` is left out: ${why.replace(/\.$/, '')}.`, next))
  }
  const misfit = misfitIn(read, side)
  if (misfit === undefined) return read.schema
  // A design must not have such defaults, and nobody can correct them here.
  report(defaultLeftOut(source, name, misfit))
  const repaired = readSchema(withoutContradictions(read.schema), side)
  const isRepaired = !('why' in repaired) && misfitIn(repaired, side) === undefined
  return isRepaired ? repaired.schema : withoutDefaults(read.schema)
}

/** Arguments are objects. A schema that does not say so gets the type. */
function readArguments(schema: Json): Usable {
  const isUsable = (read: Usable): boolean => 'why' in read || isObjectPayload(read.root, read.defs)
  const read = readSchema(schema, 'arguments')
  if (isUsable(read)) return read
  const why = 'it allows more than objects'
  if (!isObject(schema) || 'type' in schema) return { why }
  const typed = readSchema({ ...schema, type: 'object' }, 'arguments')
  return isUsable(typed) ? typed : { why }
}

function readResult(schema: Json): Usable {
  const name = malformedName(schema)
  if (name === undefined) return readSchema(schema, 'result')
  return { why: `its name ${JSON.stringify(name)} has half of a surrogate pair, with which MCP clients list no tools` }
}

/** Returns the first key or reference that is not well-formed Unicode. Clients that compile the schema fail there. */
function malformedName(schema: Json): string | undefined {
  if (Array.isArray(schema)) return schema.map((part: Json) => malformedName(part)).find((name) => name !== undefined)
  if (!isObject(schema)) return undefined
  const ref = own(schema, '$ref')
  const names = [...Object.keys(schema), ...(typeof ref === 'string' ? [ref] : [])]
  return names.find((name) => /\p{Surrogate}/u.test(name)) ?? malformedName(Object.values(schema))
}

function readSchema(schema: Json, side: Side): Usable {
  if (!isObject(schema)) return { why: 'it is no object' }
  const { value, diagnostics } = toJsonSchema(schema, { io: side === 'arguments' ? 'input' : 'output', hint: 'Root' })
  const error = diagnostics.find(({ severity }) => severity === 'error')
  if (error?.code === 'TG3038') {
    const simpler = withoutNonlinear(schema)
    if (deepEqual(simpler, schema)) return { why: error.message }
    const read = readSchema(simpler, side)
    const nonlinear = diagnostics.filter(({ code }) => code === 'TG3038').map(({ message }) => message)
    return 'why' in read ? read : { ...read, nonlinear }
  }
  if (value === undefined || error !== undefined) return { why: error?.message ?? 'it cannot be read' }
  const { root, defs } = { root: value.root, defs: Object.fromEntries(value.defs) }
  const impossible = impossiblePart(root, defs)
  return impossible === undefined ? { schema, root, defs, nonlinear: [] } : { why: noValueFits(impossible) }
}

/** Returns the reason that a schema with an impossible part is not usable. */
export function noValueFits(fields: readonly string[]): string {
  return `no value fits ${fields.length === 0 ? 'it' : `its field \`${fields.join('.')}\``}`
}

/** Removes the patterns that codecs cannot match. The source still checks them. */
function withoutNonlinear(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  const pattern = own(schema, 'pattern')
  const isKept = typeof pattern !== 'string' || unsupportedPart(pattern) === undefined
  return mapSubschemas(isKept ? schema : without(schema, ['pattern']), withoutNonlinear)
}

function misfitIn({ root, defs }: ReadSchema, side: Side): string | undefined {
  return [root, ...Object.values(defs)].map(defaultCheck(defs, side)).find((message) => message !== undefined)
}

/** Returns a function that returns the message about the first default of a schema that does not fit. */
export function defaultCheck(
  defs: Readonly<Record<string, Schema>>,
  side: Side,
): (schema: Schema) => string | undefined {
  const validate = valueValidator(defs, side === 'arguments' ? 'reject' : 'keep')
  return (schema) => {
    const [first] = misfittingDefaults(schema, validate)
    return first && `the ${first.message}`
  }
}

/** Returns a schema whose defaults all fit: without those that contradict their types, else without any. */
export function repairedDefaults(schema: Schema, misfitOf: (schema: Schema) => string | undefined): Schema {
  const repaired = withoutContradictions(schema)
  return misfitOf(repaired) === undefined ? repaired : withoutDefaults(schema)
}

/** Removes the defaults that the type or the allowed values of the same schema contradict. */
function withoutContradictions(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  return mapSubschemas(
    repairDefault(schema, [], () => undefined),
    withoutContradictions,
  )
}

function withoutDefaults(schema: Schema): Schema {
  return isObject(schema) ? mapSubschemas(without(schema, ['default']), withoutDefaults) : schema
}
