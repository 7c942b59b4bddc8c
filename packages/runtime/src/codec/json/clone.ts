import { isFields } from './kind.js'
import { setOwn } from './own.js'

/** A copy of a plain JSON value that shares nothing with it. */
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (!isFields(value)) return value
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]))
  return copy
}
