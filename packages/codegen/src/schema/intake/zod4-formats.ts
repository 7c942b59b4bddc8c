import { regexes } from 'zod/v4/core'
import { isObject, own } from '../json/json.js'
import type { Json, SchemaObject } from '../json/json-schema.js'
import type { ZodCheck } from './zod4-string-check.js'

/** What one check of a text says in JSON Schema. */
interface TextRule {
  readonly format?: string
  readonly pattern?: string
}

/**
 * The rules of a text for readers. Beside most formats Zod writes the pattern by which it tests them, up to 250
 * characters that every model would have to read. Codecs assert the formats of JSON Schema themselves, so:
 *
 * - where a format takes what Zod takes, the pattern goes;
 * - where it takes more, a short pattern says the difference;
 * - where it refuses what Zod takes, the format goes and the pattern stays.
 *
 * Of formats that codecs do not assert the pattern stays.
 *
 * @param json what Zod made of the schema
 * @returns the `format`, `pattern` and `allOf` that replace those of `json`; `undefined` where they stay
 */
export function readableTextRules(json: SchemaObject, checks: readonly ZodCheck[]): SchemaObject | undefined {
  const formats = checks.filter(({ check }) => check === 'string_format')
  const patterns = patternsOf(json)
  if (formats.length === 0 || patterns === undefined) return undefined
  const replaced = new Set<string>()
  const rules = patterns.map((pattern): TextRule => {
    const check = formats.find((candidate) => candidate.pattern?.source === pattern)
    const rule = check === undefined ? undefined : ruleOf(check, pattern)
    if (rule !== undefined) replaced.add(keyword(check?.format))
    return rule ?? { pattern }
  })
  const format = own(json, 'format')
  const keeps = typeof format === 'string' && !operations.includes(format) && !replaced.has(format)
  return together(keeps ? [{ format }, ...rules] : rules)
}

/** What Zod calls formats and JSON Schema says by a pattern alone. */
const operations: readonly string[] = ['starts_with', 'ends_with', 'includes', 'lowercase', 'uppercase', 'regex']

/** The names that differ between Zod and JSON Schema. */
const keywords: ReadonlyMap<string, string> = new Map([
  ['guid', 'uuid'],
  ['url', 'uri'],
  ['datetime', 'date-time'],
])

function keyword(format: string | undefined): string {
  return keywords.get(format ?? '') ?? format ?? ''
}

/** How a check is said best; `undefined` where its pattern says it. */
function ruleOf(check: ZodCheck, pattern: string): TextRule | undefined {
  switch (check.format) {
    case 'datetime':
      return dateTimeRule(check, pattern)
    case 'uuid':
      return uuidRule(check, pattern)
    case 'date':
      return pattern === regexes.date.source ? { format: 'date' } : undefined
    case 'guid':
      return pattern === regexes.guid.source ? { format: 'uuid' } : undefined
    case 'ipv4':
      return pattern === regexes.ipv4.source ? { format: 'ipv4' } : undefined
    case 'ipv6':
      // Zod writes a pattern that is narrower than what it takes: addresses that end in an IPv4 address are missing.
      return pattern === regexes.ipv6.source ? { format: 'ipv6' } : undefined
    case 'email':
      // Zod also takes host names that no rule of the Internet allows, such as `a@b-.com`; nobody has one.
      return pattern === regexes.email.source
        ? { format: 'email', pattern: "^[\\w'+.-]*[\\w+-]@.+\\.[A-Za-z]{2,}$" }
        : { pattern }
    case 'duration':
    case 'hostname':
      // Zod takes `PT1.5S`, `P1Y1D` and `example.com.`, the formats of JSON Schema do not.
      return { pattern }
    case 'starts_with':
      return { pattern: pattern.replace(/\.\*$/, '') }
    case 'ends_with':
      return { pattern: pattern.replace(/^\.\*/, '') }
    default:
      return undefined
  }
}

/**
 * Of `date-time` Zod takes only the zone and the precision that it was told, and neither leap seconds nor a small `t`.
 * The last two are not said: services read both, no model writes them, and every reader would have to read the pattern.
 */
function dateTimeRule({ offset = false, precision }: ZodCheck, pattern: string): TextRule | undefined {
  const options = { offset, ...(precision === undefined ? {} : { precision }) }
  // What is local or has no seconds is no `date-time`; its pattern is another one.
  if (precision === -1 || pattern !== regexes.datetime(options).source) return undefined
  const fraction = precision === undefined ? '' : precision === 0 ? ':..' : `\\.\\d{${precision}}`
  const zone = offset ? '[Z+-]' : 'Z$'
  // The dashes of the date are no zone.
  return { format: 'date-time', pattern: `${offset && fraction === '' ? ':.*' : fraction}${zone}` }
}

/** Of `uuid` Zod takes the versions and variants of RFC 9562 alone, and the two special ones. */
function uuidRule({ version }: ZodCheck, pattern: string): TextRule | undefined {
  const number = version === undefined ? undefined : Number(version.replace(/^v/, ''))
  if (pattern !== regexes.uuid(number).source) return undefined
  // The whole form, so that an example can be made of it.
  if (number !== undefined) return { format: 'uuid', pattern: `^.{8}-.{4}-${number}.{3}-[89abAB].{3}-.{12}$` }
  return { format: 'uuid', pattern: '^.{8}-.{4}-[1-8].{3}-[89abAB]|^[0-]+$|^[f-]+$' }
}

function together(rules: readonly TextRule[]): SchemaObject {
  const [flat, ...others] = rules.reduce<readonly TextRule[]>((merged, rule) => {
    const [first = {}, ...rest] = merged
    const clashes = Object.keys(rule).some((key) => Object.hasOwn(first, key))
    return clashes ? [first, ...rest, rule] : [{ ...first, ...rule }, ...rest]
  }, [])
  return { ...flat, ...(others.length === 0 ? {} : { allOf: others.map((rule): Json => ({ ...rule })) }) }
}

/** The patterns that a text must match; `undefined` where `allOf` says more than that. */
function patternsOf(json: SchemaObject): readonly string[] | undefined {
  const parts = own(json, 'allOf') ?? []
  if (!Array.isArray(parts)) return undefined
  const patterns = [json, ...parts].map((part: Json) => (isObject(part) ? own(part, 'pattern') : null))
  const isPlain = parts.every((part: Json) => isObject(part) && Object.keys(part).join() === 'pattern')
  return isPlain ? patterns.filter((pattern) => typeof pattern === 'string') : undefined
}
