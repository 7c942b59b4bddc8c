import { deepEqual, mapSubschemas, unsupportedPart } from '@toolgen/runtime/schema'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { misfittingDefaults, valueValidator } from '../schema/definitions.js'
import { isObject, type Json, own, type Schema, without } from '../schema/json-schema.js'
import { repairDefault } from '../schema/libraries/repair.js'
import { impossiblePart, isObjectPayload } from '../schema/shape-parts.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { defaultLeftOut, leftOut, type ToolSource, toolPatternLeftOut, unknownResult } from './tool-diagnostics.js'

/** A schema that a design can have, or the reason why there is none. */
type Usable = ReadSchema | { readonly why: string }

interface ReadSchema {
  /** The schema as the source has it, without parts that were left out. */
  readonly schema: Schema
  /** The same as JSON Schema 2020-12. */
  readonly root: Schema
  readonly defs: Readonly<Record<string, Schema>>
  /** Messages about patterns that were left out, because codecs cannot match them. */
  readonly nonlinear: readonly string[]
  /** Message about a default that was left out, because it does not fit its own schema. */
  readonly misfit?: string
}

type Side = 'arguments' | 'result'

/**
 * Returns the schema of one side of a tool as a design can have it: as the source has it, apart from defaults and patterns
 * that cannot be used. Reports these, and returns `undefined` for a schema that cannot be used at all.
 */
export function usableSchema(
  side: Side,
  name: string,
  schema: Json,
  source: ToolSource,
  report: (diagnostic: Diagnostic) => void,
): Schema | undefined {
  const usable = side === 'arguments' ? usableArguments(schema) : usableResult(schema)
  if ('why' in usable) {
    report((side === 'arguments' ? leftOut : unknownResult)(source, name, usable.why))
    return undefined
  }
  for (const why of usable.nonlinear) report(toolPatternLeftOut(source, name, why))
  if (usable.misfit !== undefined) report(defaultLeftOut(source, name, usable.misfit))
  return usable.schema
}

/** Arguments are objects. A schema that does not say so gets the type. */
function usableArguments(schema: Json): Usable {
  const read = readSchema(schema, 'arguments')
  if ('why' in read || isObjectPayload(read.root, read.defs)) return withFittingDefaults(read, 'arguments')
  const why = 'it allows more than objects'
  if (!isObject(schema) || 'type' in schema) return { why }
  const typed = readSchema({ ...schema, type: 'object' }, 'arguments')
  if ('why' in typed || isObjectPayload(typed.root, typed.defs)) return withFittingDefaults(typed, 'arguments')
  return { why }
}

function usableResult(schema: Json): Usable {
  const name = malformedName(schema)
  if (name === undefined) return withFittingDefaults(readSchema(schema, 'result'), 'result')
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
  if (impossible === undefined) return { schema, root, defs, nonlinear: [] }
  return { why: impossible.length === 0 ? 'no value fits it' : `no value fits its field \`${impossible.join('.')}\`` }
}

/** Removes the patterns that codecs cannot match. The source still checks them. */
function withoutNonlinear(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  const pattern = own(schema, 'pattern')
  const isKept = typeof pattern !== 'string' || unsupportedPart(pattern) === undefined
  return mapSubschemas(isKept ? schema : without(schema, ['pattern']), withoutNonlinear)
}

/** Removes the defaults that do not fit: a design must not have them, and nobody can correct them here. */
function withFittingDefaults(read: Usable, side: Side): Usable {
  if ('why' in read) return read
  const misfitOf = ({ root, defs }: ReadSchema): string | undefined => {
    const check = defaultCheck(defs, side)
    return [root, ...Object.values(defs)].map(check).find((message) => message !== undefined)
  }
  const misfit = misfitOf(read)
  if (misfit === undefined) return read
  const repaired = readSchema(withoutContradictions(read.schema), side)
  const isEnough = !('why' in repaired) && misfitOf(repaired) === undefined
  return { ...read, schema: isEnough ? repaired.schema : withoutDefaults(read.schema), misfit }
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

/** Returns a schema of which all defaults fit: without those that contradict their types, else without any. */
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
