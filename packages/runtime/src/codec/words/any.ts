import { MAX_DEPTH } from '../json/depth.js'
import { type Fields, isContainer } from '../json/kind.js'

/** Whether a value is plain JSON through and through: finite numbers, plain objects, nothing `undefined`, no cycle. */
export function any(value: unknown): boolean {
  return isContainer(value) ? isPlain(value, MAX_DEPTH) : isPlainScalar(value)
}

/** Whether a value is plain JSON whose arrays and objects lie at most as deep within each other as codecs allow. */
export function shallow(value: unknown): boolean {
  return isShallow(value, MAX_DEPTH)
}

/** Arrays of up to so many items are walked, whatever they are. */
const shortArray = 100_000

/** Whether an array is as long as it says (a proxy may claim any length), and is written as what it holds. */
export function isPlainArray(items: readonly unknown[]): boolean {
  if (Object.getPrototypeOf(items) !== Array.prototype || 'toJSON' in items) return false
  return items.length <= shortArray || Object.getOwnPropertyDescriptor(items, 'length')?.value === items.length
}

/** Whether an array or object is plain; its parts that have none themselves are judged in place, without a call. */
function isPlain(value: object, levels: number): boolean {
  if (levels === 0) return false
  if (Array.isArray(value)) {
    if (!isPlainArray(value)) return false
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (isContainer(item) ? !isPlain(item, levels - 1) : !isPlainScalar(item)) return false
    }
    return true
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false
  const fields = value as Fields // its parts are read as what they are: anything
  // JSON.stringify would call it, also where it is not enumerable.
  if (typeof fields.toJSON === 'function') return false
  // Plain objects inherit no keys; this way no list is made.
  for (const key in fields) {
    const part = fields[key]
    if (isContainer(part) ? !isPlain(part, levels - 1) : !isPlainScalar(part)) return false
  }
  return true
}

function isPlainScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value)
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) {
    if (!isPlainArray(value)) return false
    // A few items may claim a length of billions: what is not there ends the walk.
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (item === undefined || !isShallow(item, levels - 1)) return false
    }
    return true
  }
  for (const part of Object.values(value)) if (!isShallow(part, levels - 1)) return false
  return true
}
