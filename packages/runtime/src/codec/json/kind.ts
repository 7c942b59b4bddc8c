import type { JsonKind } from '../../contract/issue.js'
import { TypedPart } from './unwritable.js'

/** A JSON object of which nothing is known yet. Its keys come from users: read them with `Object.hasOwn`. */
export type Fields = Readonly<Record<string, unknown>>

/** The kind of a JSON value; numbers are `number`, whether whole or not. A typed value is the text that it travels as. */
export function kindOf(value: unknown): JsonKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return value instanceof TypedPart ? 'string' : 'object'
  }
}

/** Whether a value is a JSON object: neither null nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value has parts: an array or an object. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
