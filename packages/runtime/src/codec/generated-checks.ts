import { isDate, isDateTime, isDuration, isTime } from '../schema/date-time.js'
import { isEmail, isHostname, isIpv4, isIpv6, isRegex, isUri, isUriReference, isUuid } from '../schema/formats.js'
import { deepEqual, equalityKey, keyCount } from '../schema/json-values.js'
import { LiteralSet } from '../schema/literals.js'
import { any, isPlainArray, type Mode } from '../schema/mode.js'
import { compilePattern, type Pattern } from '../schema/pattern.js'
import { codePoints, isMultipleOf } from '../schema/scalars.js'
import { isTyped, isWireText, type JsType, jsTypeOf, typedText } from '../schema/typed-values.js'

/*
 * The words of which generated checks are made; generated code imports them as `is`. A check may answer `false` for a
 * value that is valid but unusual (an instance of a class, a field set to `undefined`): then the schema is asked. What
 * it accepts is valid.
 */

export { any, loose, type Mode, shallow } from '../schema/mode.js'
export type { Pattern } from '../schema/pattern.js'

/** A check of one value, as generated. */
export type Check = (value: any, mode: Mode) => boolean // any: generated checks read fields of what they have tested

/** An object: not an array. */
export function object(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An array with a number of items within bounds. */
export function array(value: unknown, least: number = 0, most: number = Number.POSITIVE_INFINITY): boolean {
  return Array.isArray(value) && value.length >= least && value.length <= most
}

/** A text whose length in code points is within bounds. */
export function text(value: unknown, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  // A code point takes one or two units: most texts need not be counted.
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

/** A finite number within bounds. */
export function number(value: unknown, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  return typeof value === 'number' && value >= least && value <= most && Number.isFinite(value)
}

/** A whole number within bounds. */
export function integer(value: unknown, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  return typeof value === 'number' && value >= least && value <= most && Number.isInteger(value)
}

/** A number that is a multiple of another, as both are written in decimals. */
export function multipleOf(value: number, step: number): boolean {
  return isMultipleOf(value, step)
}

/** 1 for a field that is there, 0 for one that is absent. */
export function has(value: unknown): 0 | 1 {
  return value === undefined ? 0 : 1
}

/** An own field of a name that every object inherits, such as `constructor`. */
export function own(value: Readonly<Record<string, unknown>>, name: string): any /* as reading a field is */ {
  return Object.hasOwn(value, name) ? value[name] : undefined
}

/** An object that has its declared fields, of which some are present, and what the mode admits besides. */
export function closed(value: Readonly<Record<string, unknown>>, present: number, mode: Mode): boolean {
  return (keyCount(value) === present && mode.isPlain(value)) || mode.admits(value, present)
}

/** An object that must not have other fields than its declared ones, of which some are present. */
export function sealed(value: Readonly<Record<string, unknown>>, present: number, mode: Mode): boolean {
  return (keyCount(value) === present && mode.isPlain(value)) || mode.seals(value, present)
}

/** An array with a number of items within bounds, each of which passes a check. */
export function list(
  value: unknown,
  check: Check,
  mode: Mode,
  least: number = 0,
  most: number = Number.POSITIVE_INFINITY,
): boolean {
  return Array.isArray(value) && value.length >= least && value.length <= most && each(value, check, mode)
}

/** Every item of an array from one on passes a check. */
export function each(items: readonly unknown[], check: Check, mode: Mode, from: number = 0): boolean {
  if (!isPlainArray(items)) return false
  for (let index = from; index < items.length; index++) if (!check(items[index], mode)) return false
  return true
}

/** Every field but the named ones passes the checks of the patterns that its name matches, else a last check. */
export function others(
  value: Readonly<Record<string, unknown>>,
  named: readonly string[],
  mode: Mode,
  rest: Check,
  patterns: readonly (readonly [Pattern, Check])[] = [],
): boolean {
  // JSON.stringify would call a toJSON, also where it is not enumerable.
  if (!mode.isPlain(value) || ('toJSON' in value && typeof value.toJSON === 'function')) return false
  for (const key of Object.keys(value)) {
    let isKnown = named.includes(key)
    const part = value[key]
    if (part === undefined) {
      if (mode.admitsAbsent()) continue
      return false
    }
    for (const [pattern, check] of patterns) {
      if (!pattern.test(key)) continue
      isKnown = true
      if (!check(part, mode)) return false
    }
    if (!isKnown && !rest(part, mode)) return false
  }
  return true
}

/** The last check of {@link others} where nothing else is declared. */
export function extra(value: unknown, mode: Mode): boolean {
  return mode.admitsField(value)
}

/** The last check of {@link others} where nothing else may be there. */
export function never(): false {
  return false
}

/** Every name of a field passes a check. */
export function names(value: object, check: Check, mode: Mode): boolean {
  for (const key of Object.keys(value)) if (!check(key, mode)) return false
  return true
}

/** An object with a number of fields within bounds. */
export function size(value: object, least: number, most: number = Number.POSITIVE_INFINITY): boolean {
  const { length } = Object.values(value).filter((part) => part !== undefined)
  return length >= least && length <= most
}

/** No two items are equal as JSON. */
export function unique(items: readonly unknown[]): boolean {
  return items.length < 2 || new Set(items.map(equalityKey)).size === items.length
}

/** A number of items within bounds passes a check. */
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

/** A set of values, some of them arrays or objects: `has` is equality as JSON sees it. */
export interface Literals {
  has(value: unknown): boolean
}

/** Makes a set of literals; a lookup costs the same however many there are. */
export function literals(values: readonly unknown[]): Literals {
  const set = new LiteralSet(values)
  return { has: (value) => any(value) && set.has(value) }
}

/** Makes a pattern, which is compiled at the first text. One that cannot be matched in linear time throws there. */
export function pattern(source: string): Pattern {
  let compiled: Pattern | undefined
  return {
    test: (value) => {
      compiled ??= compilePattern(source)
      return compiled.test(value)
    },
  }
}

/** Equal to an array or object, as JSON sees it. */
export function same(value: unknown, literal: unknown): boolean {
  return any(value) && deepEqual(value, literal)
}

/** Exactly one of several conditions holds. */
export function once(...conditions: readonly boolean[]): boolean {
  return conditions.filter(Boolean).length === 1
}

/** A value of a JavaScript type, or its wire form. */
export function typed(value: unknown, type: JsType): boolean {
  if (typeof value === 'string') return isWireText(type, value)
  return isTyped(value) && jsTypeOf(value) === type && typedText(value) !== undefined
}

/** A `date-time` of RFC 3339. */
export function dateTime(value: unknown): boolean {
  return typeof value === 'string' && isDateTime(value)
}

/** A `full-date` of RFC 3339. */
export function date(value: unknown): boolean {
  return typeof value === 'string' && isDate(value)
}

/** A `full-time` of RFC 3339. */
export function time(value: unknown): boolean {
  return typeof value === 'string' && isTime(value)
}

/** A duration of ISO 8601. */
export function duration(value: unknown): boolean {
  return typeof value === 'string' && isDuration(value)
}

/** A mail address of RFC 5321. */
export function email(value: unknown): boolean {
  return typeof value === 'string' && isEmail(value)
}

/** A host name of RFC 1123. */
export function hostname(value: unknown): boolean {
  return typeof value === 'string' && isHostname(value)
}

/** An IPv4 address. */
export function ipv4(value: unknown): boolean {
  return typeof value === 'string' && isIpv4(value)
}

/** An IPv6 address. */
export function ipv6(value: unknown): boolean {
  return typeof value === 'string' && isIpv6(value)
}

/** A regular expression. */
export function regex(value: unknown): boolean {
  return typeof value === 'string' && isRegex(value)
}

/** A URI of RFC 3986. */
export function uri(value: unknown): boolean {
  return typeof value === 'string' && isUri(value)
}

/** A URI or a relative reference of RFC 3986. */
export function uriReference(value: unknown): boolean {
  return typeof value === 'string' && isUriReference(value)
}

/** A UUID of RFC 4122. */
export function uuid(value: unknown): boolean {
  return typeof value === 'string' && isUuid(value)
}
