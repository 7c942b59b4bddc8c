import { deepEqual, mapSubschemas } from '@toolgen/runtime/schema'
import {
  type Converted,
  entriesOf,
  hasErrors,
  isObject,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  schemaError,
  withKey,
} from '../json-schema.js'
import { toJson } from '../json-values.js'
import { rulesOnly } from '../keywords.js'
import { refTo } from '../references.js'
import {
  type Direction,
  emptySchema,
  flags,
  LibraryFindings,
  type LibraryHooks,
  type LibrarySchema,
  noJson,
  notConverted,
  notJson,
  transforms,
  unstable,
  untyped,
} from './library.js'
import { readPlainSchema } from './plain.js'

interface ConversionOptions {
  readonly target: 'draft-2020-12'
  readonly libraryOptions?: Readonly<Record<string, unknown>>
}

interface StandardProperty {
  readonly vendor: string
  readonly validate?: (value: unknown) => unknown
  readonly jsonSchema?: Readonly<Record<Direction, (options: ConversionOptions) => unknown>>
}

interface StandardSchemaValue {
  readonly '~standard': StandardProperty
}

export function isStandardSchema(value: unknown): value is StandardSchemaValue {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  if (!('~standard' in value)) return false
  const standard = value['~standard']
  return typeof standard === 'object' && standard !== null && 'vendor' in standard
}

/**
 * Rejects payload schemas that transform values, because their input and output differ. Reports lost types, such as a `Date`, only for ArkType and
 * Valibot, because only these libraries provide hooks.
 */
export function fromStandardJsonSchema(value: StandardSchemaValue, io: Direction): Converted<LibrarySchema> {
  const { vendor, jsonSchema } = value['~standard']
  if (jsonSchema === undefined) return { diagnostics: [withoutJsonSchema(vendor)] }
  const convert = (direction: Direction): Conversion => conversion(value, direction)
  const sent = convert(io)
  if (sent.failure !== undefined) return { diagnostics: [sent.failure] }
  const again = convert(io)
  const back = io === 'input' ? convert('output') : sent
  const isStable = JSON.stringify(sent.json) === JSON.stringify(again.json)
  const diagnostics = [...(isStable ? [] : [unstable(undefined)]), ...conversionDiagnostics(sent, back, io)]
  if (hasErrors(diagnostics)) return { diagnostics }
  const read = readPlainSchema(sent.json)
  const all = [...diagnostics, ...read.diagnostics.map((diagnostic) => ({ ...diagnostic, trail: [] }))]
  if (read.value === undefined) return { diagnostics: all }
  // Not for ArkType, which reports all transformations itself and names the definitions of its two conversions differently.
  if (
    vendor !== 'arktype' &&
    io === 'input' &&
    back.failure === undefined &&
    differ(read.value, readPlainSchema(back.json).value)
  ) {
    return { diagnostics: [...all, transforms('a transformation: its input and output differ', undefined)] }
  }
  if (isEmpty(read.value)) return { diagnostics: [...all, emptySchema(`\`${vendor}\``)] }
  return { value: { schema: read.value, refinements: sent.findings.refined ? [[]] : [] }, diagnostics: all }
}

interface Conversion {
  readonly json?: unknown
  readonly failure?: SchemaDiagnostic
  readonly findings: LibraryFindings
}

function conversion(value: StandardSchemaValue, direction: Direction): Conversion {
  const { vendor } = value['~standard']
  const findings = new LibraryFindings()
  if (vendor === 'arktype') examineArkType(value, findings)
  try {
    return { json: convertedBy(value, direction, hooksFor(vendor, findings)), findings }
  } catch (error) {
    return { failure: notConverted(error), findings }
  }
}

function convertedBy(value: StandardSchemaValue, direction: Direction, hooks: LibraryHooks | undefined): unknown {
  const { vendor, jsonSchema } = value['~standard']
  const target = 'draft-2020-12'
  const convert = (): unknown =>
    jsonSchema?.[direction](hooks === undefined ? { target } : { target, libraryOptions: hooks.options })
  if (vendor !== 'arktype') return convert()
  return withPlainNames(direction === 'input' ? sentByArkType(value, hooks?.options ?? {}) : convert())
}

function hooksFor(vendor: string, findings: LibraryFindings): LibraryHooks | undefined {
  if (vendor === 'arktype') return arkTypeHooks(findings)
  return vendor === 'valibot' ? valibotHooks(findings) : undefined
}

function conversionDiagnostics(sent: Conversion, back: Conversion, io: Direction): readonly SchemaDiagnostic[] {
  const changes = new Set([...sent.findings.changes, ...back.findings.changes, ...back.findings.untyped])
  return [
    ...[...sent.findings.notJson].map((what) => notJson(what, undefined)),
    ...[...sent.findings.flags].map((pattern) => flags(pattern, undefined)),
    ...(io === 'input'
      ? [...changes].map((what) => transforms(what, undefined))
      : [...sent.findings.untyped].map((what) => untyped(what, undefined))),
  ]
}

function differ(sent: Schema, back: Schema | undefined): boolean {
  return back !== undefined && !deepEqual(comparable(sent), comparable(back))
}

function comparable(schema: Schema): Json {
  const strip = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(strip)
    if (!isObject(value)) return value
    const remaining = Object.entries(value).filter(
      ([key, inner]) =>
        !(key === 'required' && Array.isArray(inner)) && !(key === 'additionalProperties' && inner === false),
    )
    return objectFrom(remaining.map(([key, inner]) => [key, strip(inner)] as const))
  }
  return strip(rulesOnly(schema))
}

function isEmpty(schema: Schema): boolean {
  return typeof schema !== 'boolean' && Object.keys(schema).every((key) => key === '$schema')
}

function withoutJsonSchema(vendor: string): SchemaDiagnostic {
  const converter = vendor === 'valibot' ? 'Wrap it in `toStandardJsonSchema` of `@valibot/to-json-schema`' : undefined
  return schemaError(
    'TG3001',
    `This schema of \`${vendor}\` does not implement Standard JSON Schema.`,
    `${converter ?? 'Use a newer version of the library, its converter to JSON Schema'}, or use another schema library.`,
    [],
  )
}

interface ActionContext {
  readonly valibotAction: { readonly kind: string; readonly type: string; readonly requirement?: unknown }
  readonly jsonSchema: object
  readonly errors?: readonly string[]
}

interface SchemaContext {
  readonly valibotSchema: { readonly type: string; readonly fallback?: unknown }
  readonly jsonSchema: object
  readonly errors?: readonly string[]
}

/** Valibot actions of the kind `transformation` that do not change values. */
const harmless: readonly string[] = ['readonly', 'brand', 'flavor']

/** After one of these transformations, the schema of the input is also valid for the output. */
const sameType: readonly string[] = [
  ...['trim', 'trim_start', 'trim_end', 'normalize', 'to_lower_case', 'to_upper_case', 'to_min_value', 'to_max_value'],
  ...['filter_items', 'sort_items'],
]

const words: ReadonlyMap<string, string> = new Map([
  ['date', 'a Date'],
  ['bigint', 'a bigint'],
  ['undefinedable', '`undefined`'],
  ['custom', 'a custom type'],
  ['instance', 'an instance of a class'],
])

function valibotHooks(findings: LibraryFindings): LibraryHooks {
  const overrideAction = ({ valibotAction, jsonSchema, errors }: ActionContext): object | undefined => {
    const { kind, type, requirement } = valibotAction
    if (harmless.includes(type)) return jsonSchema
    if (kind === 'transformation') {
      findings.changes.add(`\`${type}\``)
      if (!sameType.includes(type)) findings.untyped.add(`\`${type}\``)
      return jsonSchema
    }
    if (requirement instanceof RegExp && type === 'regex' && /[ims]/.test(requirement.flags)) {
      findings.flags.add(String(requirement))
      return jsonSchema
    }
    if (kind !== 'validation' || errors === undefined) return undefined
    findings.refined = true
    return jsonSchema
  }
  const overrideSchema = ({ valibotSchema, jsonSchema, errors }: SchemaContext): object | undefined => {
    const { type } = valibotSchema
    if (Object.hasOwn(valibotSchema, 'fallback')) findings.changes.add('`fallback`')
    if (errors === undefined) return undefined
    findings.notJson.add(words.get(type) ?? noJson.get(type) ?? `\`${type}\``)
    return jsonSchema
  }
  return { options: { overrideAction, overrideSchema } }
}

interface FallbackContext {
  readonly base: Readonly<Record<string, unknown>>
  readonly pattern?: string
  readonly proto?: { readonly name: string }
  readonly domain?: string
  readonly unit?: unknown
}

type Fallback = (context: FallbackContext) => unknown

interface ArkNode {
  readonly kind?: unknown
  readonly expression?: unknown
  readonly flags?: unknown
  readonly rawOut?: { readonly expression?: unknown }
}

function arkTypeHooks(findings: LibraryFindings): LibraryHooks {
  const dropped =
    (what: (context: FallbackContext) => string): Fallback =>
    (context) => {
      findings.notJson.add(what(context))
      return context.base
    }
  const refined: Fallback = ({ base }) => {
    findings.refined = true
    return base
  }
  const fallback: Readonly<Record<string, Fallback>> = {
    date: dropped(() => 'a Date'),
    proto: dropped(({ proto }) => `an instance of ${proto?.name ?? 'a class'}`),
    domain: dropped(({ domain }) => `a ${domain ?? 'value'}`),
    unit: dropped(({ unit }) => `the value \`${String(unit)}\``),
    symbolKey: dropped(() => 'a symbol as a key'),
    arrayObject: dropped(() => 'an array with fields'),
    defaultValue: dropped(() => 'a default'),
    arrayPostfix: refined,
    predicate: refined,
    patternIntersection: ({ base, pattern }) => {
      const others: unknown = base.allOf
      return { ...base, allOf: [...(Array.isArray(others) ? others : []), { pattern }] }
    },
    morph: ({ base }) => {
      findings.untyped.add('a morph')
      return base
    },
  }
  return { options: { fallback } }
}

/** The JSON Schema conversion of ArkType ignores transformations (morphs) and the flags of patterns. */
function examineArkType(schema: object, findings: LibraryFindings): void {
  const references: unknown = Reflect.get(schema, 'references')
  const nodes: readonly unknown[] = Array.isArray(references) ? references : []
  for (const node of nodes.filter(isNode)) {
    if (node.kind === 'morph') {
      findings.changes.add('a morph')
      // The result type of a function in a schema is unknown, unless the schema declares a type after the function.
      if (node.rawOut?.expression === 'unknown') findings.untyped.add('a morph')
    }
    if (node.kind === 'pattern' && typeof node.flags === 'string' && /[ims]/.test(node.flags)) {
      findings.flags.add(String(node.expression))
    }
  }
}

/**
 * Calls `toJsonSchema`, because the Standard JSON Schema conversion of ArkType 2.2.9 sometimes loses defaults of fields, depending on earlier
 * conversions.
 */
function sentByArkType(schema: object, options: LibraryHooks['options']): unknown {
  const convert: unknown = Reflect.get(schema, 'toJsonSchema')
  if (typeof convert !== 'function') throw new Error('the ArkType schema has no method `toJsonSchema`')
  return convert.call(schema, { target: 'draft-2020-12', ...options })
}

/**
 * Definition names from ArkType (`intersection228`) contain a counter that all schemas of the process share, so an unrelated schema could change
 * these names.
 */
function withPlainNames(converted: unknown): unknown {
  const copied = toJson(converted)
  if (!copied.ok || !isObject(copied.json)) return converted
  const names = entriesOf(copied.json, '$defs').map(([name], index) => [name, `__schema${index}`] as const)
  const renamed = new Map<unknown, string>(names.map(([name, plain]) => [`#/$defs/${name}`, refTo(plain)] as const))
  const rename = (schema: Schema): Schema => {
    if (typeof schema === 'boolean') return schema
    const inside = mapSubschemas(schema, rename)
    const ref = renamed.get(own(inside, '$ref'))
    return ref === undefined ? inside : withKey(inside, '$ref', ref)
  }
  const root = rename(copied.json)
  if (names.length === 0 || !isObject(root)) return converted
  const plain = new Map(names)
  const definitions = entriesOf(root, '$defs').map(([name, schema]) => [plain.get(name) ?? name, schema] as const)
  return withKey(root, '$defs', objectFrom(definitions))
}

function isNode(value: unknown): value is ArkNode {
  return (typeof value === 'object' || typeof value === 'function') && value !== null
}
