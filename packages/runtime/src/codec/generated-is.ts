import { deepEqual, equalityKey, keyCount } from '../schema/json-values.js'
import { LiteralSet } from '../schema/literals.js'
import { any, isPlainArray, type Mode } from '../schema/mode.js'
import { compilePattern, type Pattern } from '../schema/pattern.js'
import { isMultipleOf } from '../schema/scalars.js'
import { codePoints } from '../schema/strings.js'
import { isTyped, isWireText, type JsType, jsTypeOf, typedText } from '../schema/typed-values.js'

/*
 * Helpers of generated type guards. Generated code imports them as `is`. A guard accepts only valid values. It may return
 * `false` for a valid but unusual value, such as an instance of a class or a field set to `undefined`; the interpreter
 * then decides.
 */

export {
  isEmail as email,
  isHostname as hostname,
  isIpv4 as ipv4,
  isIpv6 as ipv6,
  isRegex as regex,
  isUri as uri,
  isUriReference as uriReference,
  isUuid as uuid,
} from '../schema/formats.js'
export { any, loose, type Mode, shallow } from '../schema/mode.js'
export type { Pattern } from '../schema/pattern.js'

/** Generated type guard of one schema. `mode` contains the options of the check, for example the treatment of undeclared fields. */
export type Check = (value: any, mode: Mode) => boolean // any: generated guards read fields of what they have tested

/** Returns whether a value is an object and not an array. */
export function object(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is an array with `least` to `most` items. */
export function array(value: unknown, least: number = 0, most: number = Number.POSITIVE_INFINITY): boolean {
  return Array.isArray(value) && value.length >= least && value.length <= most
}

/** Returns whether a value is a string with `least` to `most` code points. */
export function string(value: unknown, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  // A code point takes one or two code units, so most strings need no counting.
  return (
    typeof value === 'string' &&
    ((value.length <= most && value.length >= 2 * least - 1) || isCounted(value, least, most))
  )
}

function isCounted(value: string, least: number, most: number): boolean {
  if (value.length < least || value.length > 2 * most) return false
  const count = codePoints(value)
  return count >= least && count <= most
}

/** Returns whether a value is a finite number from `least` to `most`. */
export function number(value: unknown, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  return typeof value === 'number' && value >= least && value <= most && Number.isFinite(value)
}

/** Returns whether a value is an integer from `least` to `most`. */
export function integer(value: unknown, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  return typeof value === 'number' && value >= least && value <= most && Number.isInteger(value)
}

/** Returns whether `value` is a multiple of `step` in decimal arithmetic. */
export function multipleOf(value: number, step: number): boolean {
  return isMultipleOf(value, step)
}

/**
 * Returns 1 if the field with this value is present, and 0 if the field is absent. Type guards add up these numbers to
 * count the fields of an object.
 */
export function has(value: unknown): 0 | 1 {
  return value === undefined ? 0 : 1
}

/** Reads an own field with a name that every object inherits, such as `constructor`. Ignores the inherited field. */
export function own(value: Readonly<Record<string, unknown>>, name: string): any /* as reading a field is */ {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

/**
 * Returns true if an object has no undeclared fields, or if `mode` allows all its undeclared fields. `present` is the number of declared fields in
 * the object.
 */
export function closed(value: Readonly<Record<string, unknown>>, present: number, mode: Mode): boolean {
  return (keyCount(value) === present && mode.isPlain(value)) || mode.allowsUndeclared(value, present)
}

/**
 * Returns whether an object has no undeclared fields, even if `mode` allows such fields. `present` is the number of
 * declared fields in the object.
 */
export function sealed(value: Readonly<Record<string, unknown>>, present: number, mode: Mode): boolean {
  return (keyCount(value) === present && mode.isPlain(value)) || mode.hasOnlyDeclared(value, present)
}

/** Returns whether a value is an array with `least` to `most` items that all pass a check. */
export function arrayOf(
  value: unknown,
  check: Check,
  mode: Mode,
  least: number = 0,
  most: number = Number.POSITIVE_INFINITY,
): boolean {
  return Array.isArray(value) && value.length >= least && value.length <= most && each(value, check, mode)
}

/** Returns whether every item, beginning with the index `from`, passes a check. */
export function each(items: readonly unknown[], check: Check, mode: Mode, from: number = 0): boolean {
  if (!isPlainArray(items)) return false
  for (let index = from; index < items.length; index++) if (!check(items[index], mode)) return false
  return true
}

/**
 * Returns whether every field passes the checks of all `patterns` that match its name. A field must pass `last` if its name is not in `named` and
 * matches no pattern.
 */
export function rest(
  value: Readonly<Record<string, unknown>>,
  named: readonly string[],
  mode: Mode,
  last: Check,
  patterns: readonly (readonly [Pattern, Check])[] = [],
): boolean {
  // `JSON.stringify` calls `toJSON` even if it is not enumerable.
  if (!mode.isPlain(value) || ('toJSON' in value && typeof value.toJSON === 'function')) return false
  for (const key of Object.keys(value)) {
    let isKnown = named.includes(key)
    const part = value[key]
    if (part === undefined) {
      if (mode.allowsUndefined()) continue
      return false
    }
    for (const [pattern, check] of patterns) {
      if (!pattern.test(key)) continue
      isKnown = true
      if (!check(part, mode)) return false
    }
    if (!isKnown && !last(part, mode)) return false
  }
  return true
}

/**
 * Returns whether `mode` allows an undeclared field. Guards pass this function to {@link rest} as `last` if the schema
 * has no rule for undeclared fields.
 */
export function extra(value: unknown, mode: Mode): boolean {
  return mode.allowsField(value)
}

/** Rejects every field. Guards pass this function to {@link rest} as `last` if the schema forbids undeclared fields. */
export function never(): false {
  return false
}

/** Returns whether every field name passes a check. */
export function propertyNames(value: object, check: Check, mode: Mode): boolean {
  for (const key of Object.keys(value)) if (!check(key, mode)) return false
  return true
}

/** Returns whether an object has `least` to `most` fields. Fields that are `undefined` are not counted. */
export function size(value: object, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  const { length } = Object.values(value).filter((part) => part !== undefined)
  return length >= least && length <= most
}

/** Returns whether all items are different, compared as JSON. */
export function unique(items: readonly unknown[]): boolean {
  return items.length < 2 || new Set(items.map(equalityKey)).size === items.length
}

/** Returns whether `least` to `most` items of an array pass a check. */
export function contains(
  items: readonly unknown[],
  check: Check,
  mode: Mode,
  least: number = 1,
  most: number = Number.POSITIVE_INFINITY,
): boolean {
  let found = 0
  for (let index = 0; index < items.length; index++) if (check(items[index], mode)) found++
  return found >= least && found <= most
}

/** Set of allowed values, which can include arrays and objects. */
export interface Literals {
  /** Returns whether the set contains a value. Compares values as JSON. */
  has(value: unknown): boolean
}

/** Creates a set of allowed values. A lookup in a large set takes as long as in a small set. */
export function literals(values: readonly unknown[]): Literals {
  const set = new LiteralSet(values)
  return { has: (value) => any(value) && set.has(value) }
}

/** Creates a pattern that is compiled at the first use. The first use throws if matching the pattern in linear time is impossible. */
export function pattern(source: string): Pattern {
  let compiled: Pattern | undefined
  return {
    test: (value) => {
      compiled ??= compilePattern(source)
      return compiled.test(value)
    },
  }
}

/** Returns whether a value and the array or object `literal` are equal as JSON. */
export function equal(value: unknown, literal: unknown): boolean {
  return any(value) && deepEqual(value, literal)
}

/** Returns whether exactly one of several conditions is true. */
export function exactlyOne(...conditions: readonly boolean[]): boolean {
  return conditions.filter(Boolean).length === 1
}

/**
 * Returns whether a value is a serializable `Date`, bigint or `Uint8Array`, as `type` requires. Also returns true for a string that encodes a value
 * of this type.
 */
export function typed(value: unknown, type: JsType): boolean {
  if (typeof value === 'string') return isWireText(type, value)
  return isTyped(value) && jsTypeOf(value) === type && typedText(value) !== undefined
}
export {
  isDate as date,
  isDateTime as dateTime,
  isDuration as duration,
  isTime as time,
} from '../schema/date-formats.js'
