import type { JsType } from './js-type.js'

const longestBigint = 1000
const decimal = /^(?:0|-?[1-9][0-9]*)$/
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i

/** The type of a typed value; `undefined` for every other value. */
export function jsTypeOfValue(value: unknown): JsType | undefined {
  if (typeof value === 'bigint') return 'bigint'
  if (value instanceof Date) return 'Date'
  return value instanceof Uint8Array ? 'Uint8Array' : undefined
}

/** The wire form of a typed value; `undefined` for every other value, and where there is none (an invalid date). */
function wireText(value: unknown): string | undefined {
  if (typeof value === 'bigint') return isWireText('bigint', String(value)) ? String(value) : undefined
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return undefined
  return isWireText('Date', value.toISOString()) ? value.toISOString() : undefined
}

/** Whether a text is a wire form: one that the runtime reads as the type. */
export function isWireText(type: JsType, text: string): boolean {
  return typedFromText(type, text) !== undefined
}

/** Reads a wire form as the runtime does; `undefined` where the text is none. */
export function typedFromText(type: JsType, text: string): Date | bigint | Uint8Array | undefined {
  switch (type) {
    case 'bigint':
      return text.length <= longestBigint && decimal.test(text) ? BigInt(text) : undefined
    case 'Uint8Array':
      return base64.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : undefined
    case 'Date': {
      const date = new Date(dateTime.test(text) ? text.toUpperCase() : Number.NaN)
      const isWritten = !Number.isNaN(date.getTime()) && /^\d{4}-/.test(date.toISOString())
      return isWritten ? date : undefined
    }
  }
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
  const type = jsTypeOfValue(value)
  if (type !== undefined) return isText(keys, type) ? (wireText(value) ?? value) : value
  if (typeof value !== 'object' || value === null || keys.length > maxTextDepth) return value
  if (Array.isArray(value)) return value.map((item: unknown, index) => copied(item, [...keys, index], isText))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return value
  const entries: [string, unknown][] = Object.entries(value)
  return Object.fromEntries(entries.map(([key, item]) => [key, copied(item, [...keys, key], isText)]))
}

/** Whether a value is typed or has a typed value among its parts. */
export function holdsTyped(value: unknown, depth: number = 0): boolean {
  if (jsTypeOfValue(value) !== undefined) return true
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
    if (first instanceof Uint8Array) return wireText(first) === wireText(second)
    const [entries, others] = [Object.entries(first), new Map(Object.entries(second))]
    return entries.length === others.size && entries.every(([key, part]) => isSameConstant(part, others.get(key)))
  }
  return typeof first === 'bigint' ? first === second : JSON.stringify(first) === JSON.stringify(second)
}
