import { type JsType, pointerOf } from '@toolgen/runtime/schema'
import {
  $ZodRegistry,
  type $ZodType,
  type $ZodTypes,
  globalRegistry,
  type JSONSchema,
  regexes,
  toJSONSchema,
} from 'zod/v4/core'
import {
  atPointer,
  type Converted,
  hasErrors,
  isObject,
  isSchema,
  type Json,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
  schemaError,
} from '../json-schema.js'
import { toJson } from '../json-values.js'
import { holdsTyped, isSameConstant, wireForms, withWireTexts } from '../typed-values.js'
import {
  buffer,
  coercion,
  type Direction,
  flags,
  isBufferCheck,
  isBytesCheck,
  type LibrarySchema,
  noJson,
  notConverted,
  notJson,
  transforms,
  unstable,
  untyped,
} from './library.js'

export function isZod4(value: unknown): value is $ZodType {
  return typeof value === 'object' && value !== null && '_zod' in value
}

export function fromZod4(schema: $ZodType, direction: Direction): Converted<LibrarySchema> {
  const diagnostics: SchemaDiagnostic[] = []
  const refinements: (readonly string[])[] = []
  const found = convert(schema, direction, (zodSchema, json, path) => {
    const trail = fieldNames(path)
    const finding = examineZod4(zodSchema, json, direction, trail)
    diagnostics.push(...finding.diagnostics)
    if (finding.refined) refinements.push(trail)
  })
  if ('failure' in found) return { diagnostics: [...diagnostics, found.failure] }
  return hasErrors(diagnostics) ? { diagnostics } : { value: { schema: found.schema, refinements }, diagnostics }
}

/** Before Zod 4.2, each installed copy of Zod has a separate registry, and schemas of a second copy are only in its own registry. */
class EveryRegistry extends $ZodRegistry<Record<string, unknown>> {
  override get(schema: $ZodType): Record<string, unknown> | undefined {
    const shared = globalRegistry.get(schema)
    if (shared !== undefined) return shared
    return 'meta' in schema && typeof schema.meta === 'function' ? schema.meta() : undefined
  }
}

type Visit = (schema: $ZodType, json: { readonly [key: string]: unknown }, path: readonly (string | number)[]) => void

function convert(
  schema: $ZodType,
  direction: Direction,
  visit: Visit,
): { readonly schema: Schema } | { readonly failure: SchemaDiagnostic } {
  try {
    const json: unknown = toJSONSchema(schema, {
      io: direction,
      target: 'draft-2020-12',
      // Schemas that are used twice become definitions; `normalize.ts` inlines the small ones.
      reused: 'ref',
      cycles: 'ref',
      unrepresentable: 'any',
      metadata: new EveryRegistry(),
      override: ({ zodSchema, jsonSchema, path }) => {
        writeWireForm(zodSchema, jsonSchema, direction)
        visit(zodSchema, jsonSchema, path)
        const { def } = zodSchema._zod
        if (def.type === 'readonly') delete jsonSchema.readOnly
        if (def.type === 'string') makeReadable(jsonSchema, checksOf(zodSchema))
        // An object drops unknown keys by default; Zod writes `additionalProperties: false` for it in results.
        if (direction === 'output' && def.type === 'object' && !('catchall' in def && def.catchall)) {
          delete jsonSchema.additionalProperties
        }
        orderForReaders(jsonSchema)
      },
    })
    const copied = toJson(json)
    if (copied.ok && isSchema(copied.json)) return { schema: copied.json }
    return { failure: notConverted(copied.ok ? 'the result is not a schema' : copied.message) }
  } catch (error) {
    return { failure: notConverted(error) }
  }
}

function makeReadable(json: JSONSchema.BaseSchema, checks: readonly ZodCheck[]): void {
  const formats = checks.filter(({ check }) => check === 'string_format')
  if (formats.length === 0) return
  const copied = toJson(json)
  const rules = copied.ok && isObject(copied.json) ? readableTextRules(copied.json, formats) : undefined
  if (rules === undefined) return
  for (const key of ['format', 'pattern', 'allOf']) if (!Object.hasOwn(rules, key)) delete json[key]
  // Existing keys keep their position.
  Object.assign(json, rules)
}

function orderForReaders(json: JSONSchema.BaseSchema): void {
  // `type` first and `default` last: people and models expect this order.
  const { type, default: value } = json
  if (type !== undefined && Object.keys(json)[0] !== 'type') {
    const others = Object.entries(json).filter(([key]) => key !== 'type')
    for (const [key] of others) delete json[key]
    Object.assign(json, Object.fromEntries(others))
  }
  if (value === undefined) return
  delete json.default
  json.default = value
}

function fieldNames(path: readonly (string | number)[]): readonly string[] {
  return path.filter((_, index) => path[index - 1] === 'properties').map(String)
}

interface Zod4Finding {
  readonly diagnostics: readonly SchemaDiagnostic[]
  readonly refined: boolean
}

/** Zod writes no pattern for these string formats, because the JSON Schema keyword `format` fully expresses them. */
const carriedFormats: readonly string[] = ['url']

/** Zod verifies the checksum of these string formats in code, so the pattern does not include the checksum. */
const checksums: readonly string[] = ['credit_card', 'iban']

function examineZod4(
  schema: $ZodType,
  json: { readonly [key: string]: unknown },
  direction: Direction,
  trail: readonly string[],
): Zod4Finding {
  const { def } = (schema as $ZodTypes)._zod
  const diagnostics: SchemaDiagnostic[] = []
  const unlike = noJson.get(def.type)
  if (unlike !== undefined) diagnostics.push(notJson(unlike, trail))
  const changing = direction === 'input' ? changesValues(schema) : undefined
  if (changing === 'a coercion') diagnostics.push(coercion(zod4JsType(schema), trail))
  else if (changing !== undefined) diagnostics.push(transforms(changing, trail))
  if (def.type === 'transform' && direction === 'output') diagnostics.push(untyped('a transform', trail))
  if ((def.type === 'default' || def.type === 'prefault') && !isStable(() => def.defaultValue)) {
    diagnostics.push(unstable(trail))
  }
  const flagged = checksOf(schema).find((check) => /[ims]/.test(check.pattern?.flags ?? ''))
  if (flagged?.pattern !== undefined) diagnostics.push(flags(flagged.pattern, trail))
  if (def.type === 'literal' && def.values.some((value) => typeof value === 'bigint')) {
    diagnostics.push(notJson('a bigint as a literal', trail))
  }
  const foreign = foreignJsType(schema, json, trail)
  if (foreign !== undefined) diagnostics.push(foreign)
  const described = ['type', 'enum', 'const', 'anyOf', '$ref'].some((key) => Object.hasOwn(json, key))
  if (def.type === 'custom' && !described) {
    diagnostics.push(isBufferCheck(def.fn) ? buffer(trail) : notJson('a custom type', trail))
  }
  // Bounds of a date or bigint do not apply to its serialized string.
  const type = zod4JsType(schema)
  const refined = type === undefined ? def.type === 'custom' || checksOf(schema).some(isInCode) : isBounded(schema)
  return { diagnostics, refined }
}

function isInCode({ check, format = '', pattern, protocol, hostname }: ZodCheck): boolean {
  if (check === 'custom' || check === 'property') return true
  if (check !== 'string_format') return false
  if (checksums.includes(format) || protocol !== undefined || hostname !== undefined) return true
  return pattern === undefined && !carriedFormats.includes(format)
}

function isBounded(schema: $ZodType): boolean {
  const { def } = schema._zod
  const isFormat = 'format' in def && def.format !== undefined
  return isFormat || (def.checks ?? []).some(({ _zod }) => _zod.def.check !== 'overwrite')
}

function changesValues(schema: $ZodType): string | undefined {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'transform') return 'a transform'
  if (def.type === 'pipe') {
    if (schema._zod.traits.has('$ZodCodec')) return 'a codec'
    return [def.in, def.out].some((side) => side._zod.def.type === 'transform') ? 'a transform' : 'a pipe'
  }
  if (def.type === 'catch') return '`.catch()`'
  if ('coerce' in def && def.coerce === true) return 'a coercion'
  return checksOf(schema).some((check) => check.check === 'overwrite')
    ? 'a transformation such as `.trim()`'
    : undefined
}

function isStable(read: () => unknown): boolean {
  return isSameConstant(read(), read())
}

interface TextRule {
  readonly format?: string
  readonly pattern?: string
}

/**
 * For most formats, Zod writes a pattern of up to 250 characters, and every model would read this pattern. Codecs check the formats of JSON Schema
 * themselves, so the pattern is removed if the format accepts the same strings. If the format accepts more strings, a short pattern expresses the
 * difference. If the format rejects valid strings, only the pattern stays.
 */
function readableTextRules(json: SchemaObject, formats: readonly ZodCheck[]): SchemaObject | undefined {
  const patterns = patternsOf(json)
  if (patterns === undefined) return undefined
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

const operations: readonly string[] = ['starts_with', 'ends_with', 'includes', 'lowercase', 'uppercase', 'regex']

const keywords: ReadonlyMap<string, string> = new Map([
  ['guid', 'uuid'],
  ['url', 'uri'],
  ['datetime', 'date-time'],
])

function keyword(format: string | undefined): string {
  return keywords.get(format ?? '') ?? format ?? ''
}

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
      // The pattern of Zod is narrower than its check: it lacks addresses that end in an IPv4 address.
      return pattern === regexes.ipv6.source ? { format: 'ipv6' } : undefined
    case 'email':
      // Zod also accepts invalid host names such as `a@b-.com`, which nobody uses.
      return pattern === regexes.email.source
        ? { format: 'email', pattern: "^[\\w'+.-]*[\\w+-]@.+\\.[A-Za-z]{2,}$" }
        : { pattern }
    case 'duration':
    case 'hostname':
      // Zod accepts `PT1.5S`, `P1Y1D` and `example.com.`; the formats of JSON Schema do not.
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
 * Zod accepts only the configured time zone and precision, and rejects leap seconds and a lowercase `t`. This rule allows leap seconds and a
 * lowercase `t`, because services accept both, models send neither, and a stricter pattern would be longer.
 */
function dateTimeRule({ offset = false, precision }: ZodCheck, pattern: string): TextRule | undefined {
  const options = { offset, ...(precision === undefined ? {} : { precision }) }
  // Local times and times without seconds are not a `date-time` and have another pattern.
  if (precision === -1 || pattern !== regexes.datetime(options).source) return undefined
  const fraction = precision === undefined ? '' : precision === 0 ? ':..' : `\\.\\d{${precision}}`
  const zone = offset ? '[Z+-]' : 'Z$'
  // The pattern must not accept the dashes of the date as the start of a time zone.
  return { format: 'date-time', pattern: `${offset && fraction === '' ? ':.*' : fraction}${zone}` }
}

/** The shorter pattern accepts the same UUIDs as Zod: the versions and variants of RFC 9562, and the nil and max UUIDs. */
function uuidRule({ version }: ZodCheck, pattern: string): TextRule | undefined {
  const number = version === undefined ? undefined : Number(version.replace(/^v/, ''))
  if (pattern !== regexes.uuid(number).source) return undefined
  // A pattern for the whole UUID, because examples can be generated from it.
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

function patternsOf(json: SchemaObject): readonly string[] | undefined {
  const parts = own(json, 'allOf') ?? []
  if (!Array.isArray(parts)) return undefined
  const patterns = [json, ...parts].map((part: Json) => (isObject(part) ? own(part, 'pattern') : null))
  const isPlain = parts.every((part: Json) => isObject(part) && Object.keys(part).join() === 'pattern')
  return isPlain ? patterns.filter((pattern) => typeof pattern === 'string') : undefined
}

interface ZodCheck {
  readonly check: string
  readonly format?: string
  readonly pattern?: RegExp
  readonly offset?: boolean
  readonly precision?: number
  readonly version?: string
  readonly protocol?: RegExp
  readonly hostname?: RegExp
}

/** For a format such as `z.email()`, the schema itself is the first check. */
function checksOf(schema: $ZodType): readonly ZodCheck[] {
  const { def, traits } = schema._zod
  const checks: readonly { readonly _zod: { readonly def: object } }[] = def.checks ?? []
  const listed = checks.map((check) => readCheck(check._zod.def))
  return traits.has('$ZodCheck') ? [readCheck(def), ...listed] : listed
}

function readCheck(def: object): ZodCheck {
  const facts: Readonly<Record<string, unknown>> = { ...def }
  const { check, format, pattern, offset, precision, version, protocol, hostname } = facts
  return {
    check: String(check),
    ...(typeof format === 'string' ? { format } : {}),
    ...(pattern instanceof RegExp ? { pattern } : {}),
    ...(typeof offset === 'boolean' ? { offset } : {}),
    ...(typeof precision === 'number' ? { precision } : {}),
    ...(typeof version === 'string' ? { version } : {}),
    ...(protocol instanceof RegExp ? { protocol } : {}),
    ...(hostname instanceof RegExp ? { hostname } : {}),
  }
}

function zod4JsType(schema: $ZodType): JsType | undefined {
  const { def } = (schema as $ZodTypes)._zod
  if (def.type === 'date') return 'Date'
  if (def.type === 'bigint') return 'bigint'
  return def.type === 'custom' && isBytesCheck(def.fn) ? 'Uint8Array' : undefined
}

function writeWireForm(schema: $ZodType, json: Record<string, unknown>, direction: Direction): void {
  const type = zod4JsType(schema)
  if (type !== undefined) Object.assign(json, wireForms[type])
  const { def } = (schema as $ZodTypes)._zod
  const isDefault = def.type === 'default' || (def.type === 'prefault' && direction === 'input')
  if (isDefault && holdsTyped(def.defaultValue)) {
    delete json._prefault
    json.default = withWireTexts(def.defaultValue)
  }
  if (holdsTyped(json.examples)) json.examples = withWireTexts(json.examples)
}

/** Zod ignores `x-js` in the metadata of a schema, and would not accept a `Date`. */
function foreignJsType(
  schema: $ZodType,
  json: { readonly [key: string]: unknown },
  trail: readonly string[],
): SchemaDiagnostic | undefined {
  const { def } = (schema as $ZodTypes)._zod
  const isWrapper = 'innerType' in def || def.type === 'pipe' || def.type === 'lazy'
  if (!Object.hasOwn(json, 'x-js') || isWrapper || zod4JsType(schema) !== undefined) return undefined
  return schemaError(
    'TG3018',
    `\`x-js\` in the metadata ${atPointer(pointerOf(trail))} does not change what Zod accepts.`,
    'Write `z.date()`, `z.bigint()` or `z.instanceof(Uint8Array)` for a typed value.',
    trail,
  )
}
