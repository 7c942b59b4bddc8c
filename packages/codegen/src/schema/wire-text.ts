import { deepEqual, isTyped, type JsType, jsTypeOf, typedText } from '@toolgen/runtime/schema'

/** The type of a typed value; `undefined` for every other value. */
export function jsTypeOfValue(value: unknown): JsType | undefined {
  return isTyped(value) ? jsTypeOf(value) : undefined
}

/**
 * A copy of a value in which typed values are their wire forms. What it does not know it leaves as it is.
 *
 * @param isText whether a typed value at these keys is to be a text; by default every one is
 */
export function withWireTexts(
  value: unknown,
  isText: (keys: readonly (string | number)[], type: JsType) => boolean = () => true,
): unknown {
  return copied(value, [], isText)
}

/** Values nested deeper are left as they are. */
const maxTextDepth = 200

function copied(
  value: unknown,
  keys: readonly (string | number)[],
  isText: (keys: readonly (string | number)[], type: JsType) => boolean,
): unknown {
  if (isTyped(value)) return isText(keys, jsTypeOf(value)) ? (typedText(value) ?? value) : value
  if (typeof value !== 'object' || value === null || keys.length > maxTextDepth) return value
  if (Array.isArray(value)) return value.map((item: unknown, index) => copied(item, [...keys, index], isText))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value
  const entries: [string, unknown][] = Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [key, copied(item, [...keys, key], isText)]))
}

/** Whether a value is typed or has a typed value among its parts. */
export function holdsTyped(value: unknown, depth: number = 0): boolean {
  if (isTyped(value)) return true
  if (typeof value !== 'object' || value === null || depth > maxTextDepth) return false
  return Object.values(value).some((part) => holdsTyped(part, depth + 1))
}

/** Whether two readings of a constant agree. A date must be the same object: a new one each time may read the clock. */
export function isSameConstant(first: unknown, second: unknown): boolean {
  if (jsTypeOfValue(first) === 'Date' || jsTypeOfValue(second) === 'Date') return first === second
  if (
    holdsTyped(first) &&
    typeof first === 'object' &&
    typeof second === 'object' &&
    first !== null &&
    second !== null
  ) {
    if (isTyped(first) || isTyped(second)) return deepEqual(first, second)
    const [entries, others] = [Object.entries(first), new Map(Object.entries(second))]
    return entries.length === others.size && entries.every(([key, part]) => isSameConstant(part, others.get(key)))
  }
  return typeof first === 'bigint' ? first === second : JSON.stringify(first) === JSON.stringify(second)
}
