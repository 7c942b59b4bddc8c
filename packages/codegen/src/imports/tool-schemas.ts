import { deepEqual, mapSubschemas, unsupportedPart } from '@toolgen/runtime/schema'
import { type Diagnostic, warning } from '../diagnostics/diagnostic.js'
import { misfittingDefaults, valueValidator } from '../schema/definitions.js'
import { impossiblePart, isObjectPayload } from '../schema/impossible-part.js'
import { isObject, type Json, own, type Schema, without } from '../schema/json-schema.js'
import { repairDefault } from '../schema/libraries/repair-values.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { defaultLeftOut, type Side, type ToolSource, unusableSide } from './tool-source.js'

type Usable = ReadSchema | { readonly why: string }

interface ReadSchema {
  readonly schema: Schema
  readonly root: Schema
  readonly defs: Readonly<Record<string, Schema>>
  /** Messages about patterns that codecs do not support and that toolgen removed. */
  readonly nonlinear: readonly string[]
}

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
    const next = `${source.fix}. Without a change, only the service checks values against the pattern.`
    report(warning('TG6208', `A pattern of \`${name}\` is dropped: ${why.replace(/\.$/, '')}.`, next))
  }
  const misfit = misfitIn(read, side)
  if (misfit === undefined) return read.schema
  // Designs reject such defaults, and users cannot edit the snapshot.
  report(defaultLeftOut(source, name, misfit))
  const repaired = readSchema(withoutContradictions(read.schema), side)
  const isRepaired = !('why' in repaired) && misfitIn(repaired, side) === undefined
  return isRepaired ? repaired.schema : withoutDefaults(read.schema)
}

/** Arguments must be an object, so a schema without `type` gets `type: object`. */
function readArguments(schema: Json): Usable {
  const isUsable = (read: Usable): boolean => 'why' in read || isObjectPayload(read.root, read.defs)
  const read = readSchema(schema, 'arguments')
  if (isUsable(read)) return read
  const why = 'it also accepts values that are not objects'
  if (!isObject(schema) || 'type' in schema) return { why }
  const typed = readSchema({ ...schema, type: 'object' }, 'arguments')
  return isUsable(typed) ? typed : { why }
}

function readResult(schema: Json): Usable {
  const name = malformedName(schema)
  if (name === undefined) return readSchema(schema, 'result')
  return {
    why: `it contains the name ${JSON.stringify(name)}, which is not valid Unicode (an unpaired surrogate). MCP clients cannot list such tools`,
  }
}

/** MCP clients cannot list tools whose schemas contain unpaired surrogates (invalid Unicode) in names. */
function malformedName(schema: Json): string | undefined {
  if (Array.isArray(schema)) return schema.map((part: Json) => malformedName(part)).find((name) => name !== undefined)
  if (!isObject(schema)) return undefined
  const ref = own(schema, '$ref')
  const names = [...Object.keys(schema), ...(typeof ref === 'string' ? [ref] : [])]
  return names.find((name) => /\p{Surrogate}/u.test(name)) ?? malformedName(Object.values(schema))
}

function readSchema(schema: Json, side: Side): Usable {
  if (!isObject(schema)) return { why: 'it is not an object' }
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

export function noValueFits(fields: readonly string[]): string {
  return `${fields.length === 0 ? 'it' : `its field \`${fields.join('.')}\``} accepts no value`
}

/** The service still checks the removed patterns. */
function withoutNonlinear(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  const pattern = own(schema, 'pattern')
  const isKept = typeof pattern !== 'string' || unsupportedPart(pattern) === undefined
  return mapSubschemas(isKept ? schema : without(schema, ['pattern']), withoutNonlinear)
}

function misfitIn({ root, defs }: ReadSchema, side: Side): string | undefined {
  return [root, ...Object.values(defs)].map(defaultCheck(defs, side)).find((message) => message !== undefined)
}

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

export function repairedDefaults(schema: Schema, misfitOf: (schema: Schema) => string | undefined): Schema {
  const repaired = withoutContradictions(schema)
  return misfitOf(repaired) === undefined ? repaired : withoutDefaults(schema)
}

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
