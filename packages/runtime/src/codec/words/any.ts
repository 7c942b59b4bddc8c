import { MAX_DEPTH } from '../json/depth.js'

/** Whether a value is plain JSON through and through: finite numbers, plain objects, nothing `undefined`, no cycle. */
export function any(value: unknown): boolean {
  return isPlain(value, MAX_DEPTH)
}

/** Whether a value is plain JSON whose arrays and objects lie at most as deep within each other as codecs allow. */
export function shallow(value: unknown): boolean {
  return isShallow(value, MAX_DEPTH)
}

function isPlain(value: unknown, levels: number): boolean {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || levels === 0) return false
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (!isPlain(value[index], levels - 1)) return false
    return true
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  for (const part of Object.values(value)) if (!isPlain(part, levels - 1)) return false
  return true
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  const parts = Array.isArray(value) ? value : Object.values(value)
  for (const part of parts) if (!isShallow(part, levels - 1)) return false
  return true
}
