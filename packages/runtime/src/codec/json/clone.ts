import { cloneTyped } from '../typed/js-type.js'
import { isFields } from './kind.js'
import { setOwn } from './own.js'

/** A copy of a decoded value (plain JSON, dates, bigints and bytes) that shares nothing with it. */
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (!isFields(value)) return value
  const typed = cloneTyped(value)
  if (typed !== undefined) return typed
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]))
  return copy
}
