import { isObjectPayload } from '../../ir/rules/server-owned-fields.js'
import { isObject } from '../../schema/json/json.js'
import type { Json, Schema } from '../../schema/json/json-schema.js'
import { toJsonSchema } from '../../schema/to-json-schema.js'

/** A schema that a design can have, or why it cannot. */
export type Usable = { readonly schema: Schema } | { readonly why: string }

/**
 * The schema of a tool's arguments. MCP sends objects, so one that does not say so is told to; any other is kept word for
 * word.
 */
export function usableArguments(schema: Json): Usable {
  const read = readAs(schema, 'input')
  if ('why' in read || isObjectPayload(read.root, read.defs)) return 'why' in read ? read : { schema: read.schema }
  const why = 'it allows more than objects'
  if (!isObject(schema) || 'type' in schema) return { why }
  const typed = readAs({ ...schema, type: 'object' }, 'input')
  if ('why' in typed) return typed
  return isObjectPayload(typed.root, typed.defs) ? { schema: typed.schema } : { why }
}

/** The schema of a tool's result. */
export function usableResult(schema: Json): Usable {
  const read = readAs(schema, 'output')
  return 'why' in read ? read : { schema: read.schema }
}

interface Read {
  /** As it was given. */
  readonly schema: Schema
  readonly root: Schema
  readonly defs: Readonly<Record<string, Schema>>
}

function readAs(schema: Json, io: 'input' | 'output'): Read | { readonly why: string } {
  if (!isObject(schema)) return { why: 'it is no object' }
  const { value, faults } = toJsonSchema(schema, { io, hint: 'Root' })
  const fault = faults.find(({ severity }) => severity === 'error')
  if (value === undefined || fault !== undefined) return { why: fault?.message ?? 'it cannot be read' }
  return { schema, root: value.root, defs: Object.fromEntries(value.defs) }
}
