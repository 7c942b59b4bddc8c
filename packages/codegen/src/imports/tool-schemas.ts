import { deepEqual, mapSubschemas, unsupportedPart } from '@toolgen/runtime/schema'
import { defaultsChecker, isObjectPayload } from '../ir/tool-rules.js'
import { isObject, type Json, own, type Schema, without } from '../schema/json-schema.js'
import { repairDefault } from '../schema/libraries/repair-values.js'
import { impossiblePart } from '../schema/shape-parts.js'
import { toJsonSchema } from '../schema/to-json-schema.js'
import { valueValidator } from '../schema/validate-value.js'

/** A schema as it was given, and as it was read. */
interface ReadSchema {
  readonly schema: Schema
  readonly root: Schema
  readonly defs: Readonly<Record<string, Schema>>
}

/** The complaint about the first default that is no value of its own schema; `undefined` where all are. */
function misfittingDefault({ root, defs }: ReadSchema, unknown: 'reject' | 'keep'): string | undefined {
  const check = defaultsChecker(valueValidator(defs, unknown))
  const at = { what: '', locationOf: () => ({ file: '', line: 0, column: 0 }) }
  const [first] = [root, ...Object.values(defs)].flatMap((schema) => check(schema, at))
  return first?.message.replace(/^: The default /, 'the default ').replace(/\.$/, '')
}

/** A schema without the defaults that the type or the allowed values beside them contradict. */
export function withoutContradictions(schema: Schema): Schema {
  return isObject(schema)
    ? mapSubschemas(
        repairDefault(schema, [], () => undefined),
        withoutContradictions,
      )
    : schema
}

/** A schema without any default, in whatever part of it. */
export function withoutDefaults(schema: Schema): Schema {
  return isObject(schema) ? mapSubschemas(without(schema, ['default']), withoutDefaults) : schema
}

/** A schema that a design can have, or why it cannot. */
export type Usable =
  | {
      readonly schema: Schema
      /** The complaint about a default that was left out, since it is no value of its own schema. */
      readonly misfit?: string
      /** The complaints about the patterns that were left out, since codecs cannot match them. */
      readonly nonlinear: readonly string[]
    }
  | { readonly why: string }

/**
 * The schema of a tool's arguments. Calls send objects, so one that does not say so is told to; any other is kept word for
 * word, but for defaults that do not fit.
 */
export function usableArguments(schema: Json): Usable {
  const read = readAs(schema, 'input')
  if ('why' in read) return read
  if (isObjectPayload(read.root, read.defs)) return fitted(read, 'input')
  const why = 'it allows more than objects'
  if (!isObject(schema) || 'type' in schema) return { why }
  const typed = readAs({ ...schema, type: 'object' }, 'input')
  if ('why' in typed) return typed
  return isObjectPayload(typed.root, typed.defs) ? fitted(typed, 'input') : { why }
}

/** The schema of a tool's result. */
export function usableResult(schema: Json): Usable {
  const name = unpairedName(schema)
  if (name !== undefined) {
    return {
      why: `its name ${JSON.stringify(name)} has half of a surrogate pair, with which MCP clients list no tools`,
    }
  }
  const read = readAs(schema, 'output')
  return 'why' in read ? read : fitted(read, 'output')
}

type Direction = 'input' | 'output'

/** With those defaults alone that fit: a design takes no others, and nobody here can correct them. */
function fitted(read: ReadSide, io: Direction): Usable {
  const unknown = io === 'input' ? 'reject' : 'keep'
  const misfit = misfittingDefault(read, unknown)
  const { nonlinear } = read
  if (misfit === undefined) return { schema: read.schema, nonlinear }
  const agreeing = readAs(withoutContradictions(read.schema), io)
  const isEnough = 'schema' in agreeing && misfittingDefault(agreeing, unknown) === undefined
  return {
    schema: isEnough ? agreeing.schema : withoutDefaults(read.schema),
    misfit,
    nonlinear,
  }
}

interface ReadSide extends ReadSchema {
  readonly nonlinear: readonly string[]
}

/** A schema without the patterns that codecs cannot match; whoever runs the tool still checks them. */
function withoutNonlinear(schema: Schema): Schema {
  if (!isObject(schema)) return schema
  const pattern = own(schema, 'pattern')
  const isKept = typeof pattern !== 'string' || unsupportedPart(pattern) === undefined
  return mapSubschemas(isKept ? schema : without(schema, ['pattern']), withoutNonlinear)
}

function readAs(schema: Json, io: Direction): ReadSide | { readonly why: string } {
  if (!isObject(schema)) return { why: 'it is no object' }
  const { value, faults } = toJsonSchema(schema, { io, hint: 'Root' })
  const fault = faults.find(({ severity }) => severity === 'error')
  if (fault?.code === 'TG3038') {
    const simpler = withoutNonlinear(schema)
    const read = deepEqual(simpler, schema) ? { why: fault.message } : readAs(simpler, io)
    const nonlinear = faults.filter(({ code }) => code === 'TG3038').map(({ message }) => message)
    return 'why' in read ? read : { ...read, nonlinear }
  }
  if (value === undefined || fault !== undefined) return { why: fault?.message ?? 'it cannot be read' }
  const read = { schema, root: value.root, defs: Object.fromEntries(value.defs), nonlinear: [] }
  const impossible = impossiblePart(read.root, read.defs)
  if (impossible === undefined) return read
  return { why: impossible.length === 0 ? 'no value fits it' : `no value fits its field \`${impossible.join('.')}\`` }
}

/** Returns the first key or reference of a schema that is not well-formed Unicode. Clients compile result schemas and fail there. */
function unpairedName(schema: Json): string | undefined {
  if (Array.isArray(schema)) return schema.map((part: Json) => unpairedName(part)).find((name) => name !== undefined)
  if (!isObject(schema)) return undefined
  const ref = own(schema, '$ref')
  const names = [...Object.keys(schema), ...(typeof ref === 'string' ? [ref] : [])]
  return names.find((name) => /\p{Surrogate}/u.test(name)) ?? unpairedName(Object.values(schema))
}
