import { isTyped, jsTypeOf, typedText } from '../typed/js-type.js'
import { isFields } from './kind.js'

/**
 * Whether two decoded values are the same: `1` and `1.0` are, `0` and `false` are not, the order of keys is nothing; dates
 * and bytes are by what they hold.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]))
  }
  if (!isFields(a) || !isFields(b)) return false
  if (isTyped(a) || isTyped(b)) {
    return isTyped(a) && isTyped(b) && jsTypeOf(a) === jsTypeOf(b) && typedText(a) === typedText(b)
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
}
