import { Run } from '../schema/evaluation.js'
import { pointerSegment } from '../schema/json-pointer.js'
import { equalityKey, type Fields, isContainer, isFields, kindOf } from '../schema/json-values.js'
import { entriesKeyword, kindsOf, listKeyword, literalsOf, namesKeyword, namesOf } from '../schema/keywords.js'
import type { SchemaDocument } from '../schema/prepare.js'
import type { JsonKind } from '../types/codec.js'
import { typeList } from './merge-schemas.js'
import { described, type Report, removedNotes, type WrittenSchema, without } from './report.js'
import { located } from './schemas.js'

/** The keywords that are dealt with here. */
const arrayKeywords: readonly string[] = ['items', 'prefixItems', 'unevaluatedItems']

/** An array schema with what becomes of its items. */
interface StrictArray {
  readonly schema: WrittenSchema
  readonly items: { readonly first: readonly (NullPlan | undefined)[]; readonly rest: NullPlan | undefined }
  /** What the description should say of the items. */
  readonly notes: readonly string[]
}

/** Writes an array: one schema for all of its items. */
function strictArray(site: StrictSite): StrictArray {
  const { schema, pointer, context } = site
  const first = (listKeyword(site, 'prefixItems') ?? []).map((item, at) =>
    context.write(item, `${pointer}/prefixItems/${at}`),
  )
  if (first.length > 0) return strictTuple(site, first)
  if (!Object.hasOwn(schema, 'items')) {
    unsayable(site, 'items', 'The array does not say what its items are; strict mode needs that.')
    return { schema: { type: 'array' }, items: { first: [], rest: undefined }, notes: [] }
  }
  const items = context.write(schema.items, `${pointer}/items`)
  return { schema: { type: 'array', items: items.schema }, items: { first: [], rest: items.plan }, notes: [] }
}

/** Strict mode has no places in arrays: every item may be what any of them may be. */
function strictTuple(site: StrictSite, first: readonly StrictNode[]): StrictArray {
  const { schema, pointer, context } = site
  const { items, maxItems } = schema
  const most = typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY
  const isOpen = most > first.length && (items === undefined ? schema.unevaluatedItems !== false : items !== false)
  const rest = isOpen && items !== undefined ? context.write(items, `${pointer}/items`) : undefined
  if (isOpen && rest === undefined) {
    unsayable(site, 'prefixItems', 'The array does not say what its further items are; strict mode needs that.')
  }
  const nodes = [...first, ...(rest === undefined ? [] : [rest])]
  const variants = [...new Map(nodes.map(({ schema }) => [equalityKey(schema), schema])).values()]
  const [only] = variants
  const loosens = variants.length > 1
  context.report({
    pointer,
    keyword: 'prefixItems',
    kind: loosens ? 'moved_to_description' : 'changed',
    message: loosens
      ? 'Strict mode has no items by place; every item may be what any of them may be, and the description says which.'
      : 'The items by place, which are all the same, are written as `items`.',
    loosens,
  })
  const written = {
    type: 'array',
    items: loosens || only === undefined ? { anyOf: variants } : only,
    ...(!isOpen && { maxItems: Math.min(first.length, most) }),
  }
  return {
    schema: written,
    items: { first: first.map((item) => planOf(item, nodes)), rest: rest && planOf(rest, nodes) },
    notes: loosens ? [`The items are, in order: ${first.map((item) => itemName(item.schema)).join(', ')}.`] : [],
  }
}

/** At a place the model may have written what belongs to another one: the item that belongs there comes first. */
function planOf(node: StrictNode, all: readonly StrictNode[]): NullPlan | undefined {
  return all.every(({ plan }) => plan === undefined) ? undefined : { kind: 'either', variants: [node, ...all] }
}

function itemName(schema: WrittenSchema): string {
  if (typeof schema.title === 'string') return schema.title
  const types = Array.isArray(schema.type) ? schema.type.join(' or ') : schema.type
  return typeof types === 'string' ? types : 'value'
}

/** The keywords that are dealt with here. */
const objectKeywords: readonly string[] = [
  ...['properties', 'required', 'additionalProperties', 'unevaluatedProperties', 'patternProperties'],
]

/** An object schema whose every field is required, with what becomes of its fields. */
interface StrictObject {
  readonly schema: WrittenSchema
  readonly fields: ReadonlyMap<string, FieldPlan>
}

/** Writes an object: closed, every field required, optional ones nullable. */
function strictObject(site: StrictSite): StrictObject {
  const { pointer } = site
  refuseFreeForm(site)
  const required = new Set(namesKeyword(site, 'required') ?? [])
  const declared = (entriesKeyword(site, 'properties') ?? []).filter(
    ([name, schema]) => schema !== false || required.has(name),
  )
  const names = new Set(declared.map(([name]) => name))
  for (const name of required) {
    if (!names.has(name))
      unsayable(site, 'required', `Nothing says what the required field ${JSON.stringify(name)} holds.`)
  }
  for (const name of conditionalNames(site.schema)) {
    if (!names.has(name)) unsayable(site, 'if', `The field ${JSON.stringify(name)} is declared only under a condition.`)
  }
  const fields = new Map<string, FieldPlan>()
  const properties = declared.map(([name, schema]): readonly [string, WrittenSchema] => {
    const place = `${pointer}/properties/${pointerSegment(name)}`
    const field = strictField({ ...site, pointer: place, schema: {} }, schema, required.has(name))
    fields.set(name, field.plan)
    return [name, field.schema]
  })
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: [...names],
      additionalProperties: false,
    },
    fields,
  }
}

function strictField(
  site: StrictSite,
  schema: unknown,
  isRequired: boolean,
): { readonly schema: WrittenSchema; readonly plan: FieldPlan } {
  const { pointer, context } = site
  const written = context.write(schema, pointer)
  if (isRequired) return { schema: written.schema, plan: { removesNull: false, plan: written.plan } }
  const isNullable = acceptsNull(schema, context.document)
  context.report({
    pointer,
    keyword: 'required',
    kind: 'changed',
    message: isNullable
      ? 'The optional field is required; it may be null already.'
      : 'The optional field is required; null stands for leaving it out.',
    loosens: false,
  })
  return { schema: orNull(written.schema), plan: { removesNull: !isNullable, plan: written.plan } }
}

/** The fields that conditions speak of: left out of the strict form, a model could never send them. */
function conditionalNames({ then, else: otherwise, dependentSchemas }: Fields): ReadonlySet<string> {
  const dependent = isFields(dependentSchemas) ? Object.values(dependentSchemas) : []
  const parts = [then, otherwise, ...dependent].filter(isFields)
  return new Set(
    parts.flatMap(({ properties, required }) => [
      ...(isFields(properties) ? Object.keys(properties) : []),
      ...(namesOf(required) ?? []),
    ]),
  )
}

/** Strict mode knows only fields with names. */
function refuseFreeForm(site: StrictSite): void {
  const { schema } = site
  if (isFields(schema.patternProperties) && Object.keys(schema.patternProperties).length > 0) {
    unsayable(site, 'patternProperties', 'The object takes fields by pattern; strict mode knows only named fields.')
  }
  for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
    if (Object.hasOwn(schema, keyword) && schema[keyword] !== false) {
      unsayable(site, keyword, 'The object takes fields of any name; strict mode knows only named fields.')
      return
    }
  }
  const isClosed = Object.hasOwn(schema, 'properties') || schema.additionalProperties === false
  if (!isClosed && schema.unevaluatedProperties !== false) {
    unsayable(site, 'properties', 'The object does not say which fields it has; strict mode knows only named fields.')
  }
}

/** What a schema without a type is about, by the keywords that tell. */
const telling: readonly (readonly [JsonKind, readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
]
const everyKind: readonly JsonKind[] = ['string', 'number', 'boolean', 'null', 'array', 'object']
const containers: readonly JsonKind[] = ['object', 'array']

/** Writes a schema without references, unions and `allOf`. `given` is what its description should say beside. */
export function strictPlain(site: StrictSite, given: readonly string[]): StrictNode {
  const { schema } = site
  const literals = literalsOf(site)
  const kinds = literals === undefined ? statedKinds(site) : kindsOfLiterals(literals, kindsOf(site))
  if (literals?.some(isContainer)) return unsayable(site, 'enum', 'Strict mode takes no objects or arrays as literals.')
  if (literals !== undefined && kinds?.length === 0) {
    return unsayable(site, 'enum', 'None of the values has the type of the schema.')
  }
  if (kinds === undefined) {
    return unsayable(site, 'type', 'The schema takes any value; strict mode needs a type.')
  }
  if (literals === undefined && everyKind.every((kind) => kinds.includes(kind))) {
    const [meant] = telling.find(([, names]) => names.some((name) => Object.hasOwn(schema, name))) ?? []
    const advice = meant === undefined ? '' : `; if it is to take nothing else, write \`type: '${meant}'\``
    return unsayable(site, 'type', `The schema takes values of every type, which strict mode cannot say${advice}.`)
  }
  const object = kinds.includes('object') ? strictObject(site) : undefined
  const array = kinds.includes('array') ? strictArray(site) : undefined
  const scalars = kinds.filter((kind) => !containers.includes(kind))
  const notes = strictNotes(site, (keyword) => isTaken(schema, keyword, kinds), kinds)
  const alternatives = [
    ...(object === undefined ? [] : [object.schema]),
    ...(array === undefined ? [] : [{ ...kept(schema, strictKeywords.array), ...array.schema }]),
    ...(scalars.length === 0 ? [] : [strictScalars(schema, scalars, literals)]),
  ]
  const [only = {}, other] = alternatives
  const description = described(schema.description, [...given, ...(array?.notes ?? []), ...notes])
  return {
    schema: {
      ...(typeof schema.title === 'string' && { title: schema.title }),
      ...(description !== undefined && { description }),
      ...(other === undefined ? only : { anyOf: alternatives }),
    },
    plan: plainPlan(object?.fields, array?.items),
  }
}

function plainPlan(
  fields: ReturnType<typeof strictObject>['fields'] | undefined,
  items: ReturnType<typeof strictArray>['items'] | undefined,
): StrictNode['plan'] {
  const hasFields = [...(fields?.values() ?? [])].some((field) => field.removesNull || field.plan !== undefined)
  const hasItems = items !== undefined && [...items.first, items.rest].some((plan) => plan !== undefined)
  if (!hasFields && !hasItems) return undefined
  return { kind: 'parts', ...(hasFields && fields && { fields }), ...(hasItems && items && { items }) }
}

/** The kinds that a schema names, or else those that its keywords are about: strict mode must be told. */
function statedKinds(site: StrictSite): readonly JsonKind[] | undefined {
  const stated = kindsOf(site)
  if (stated !== undefined) return [...new Set(stated)]
  const found = telling.find(([, names]) => names.some((name) => Object.hasOwn(site.schema, name)))
  if (found === undefined) return undefined
  const [kind] = found
  const { pointer, context } = site
  const message = `The type is stated, which the schema leaves open: ${kind}.`
  context.report({ pointer, keyword: 'type', kind: 'changed', message, loosens: false })
  return [kind]
}

function kindsOfLiterals(literals: readonly unknown[], stated: readonly JsonKind[] | undefined): readonly JsonKind[] {
  const fitting = literals.filter((value) => fits(value, stated))
  const isWhole = stated?.includes('integer') === true && !stated.includes('number')
  return [...new Set(fitting.map(kindOf).map((kind) => (kind === 'number' && isWhole ? 'integer' : kind)))]
}

function fits(value: unknown, kinds: readonly JsonKind[] | undefined): boolean {
  if (kinds === undefined || kinds.includes(kindOf(value))) return true
  return kinds.includes('integer') && Number.isInteger(value)
}

function strictScalars(
  schema: Fields,
  kinds: readonly JsonKind[],
  literals: readonly unknown[] | undefined,
): WrittenSchema {
  const [only, ...others] = kinds
  const type = others.length === 0 ? only : kinds
  if (literals !== undefined) {
    const values = [
      ...new Map(literals.filter((value) => fits(value, kinds)).map((value) => [equalityKey(value), value])).values(),
    ]
    const isConst = Object.hasOwn(schema, 'const')
    return { type, ...(isConst ? { const: values[0] } : { enum: values }), ...keptScalars(schema, kinds) }
  }
  return { type, ...keptScalars(schema, kinds) }
}

function keptScalars(schema: Fields, kinds: readonly JsonKind[]): Fields {
  const names = [
    ...(kinds.includes('string') ? strictKeywords.string : []),
    ...(isNumeric(kinds) ? strictKeywords.number : []),
  ]
  return kept(
    schema,
    names.filter((name) => isSupported(schema, name)),
  )
}

function kept(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(schema, name)).map((name) => [name, schema[name]]))
}

function isTaken(schema: Fields, keyword: string, kinds: readonly JsonKind[]): boolean {
  if (['title', 'description', 'type', 'enum', 'const', '$defs'].includes(keyword)) return true
  if (kinds.includes('object') && objectKeywords.includes(keyword)) return true
  if (kinds.includes('array') && [...arrayKeywords, ...strictKeywords.array].includes(keyword)) return true
  if (isNumeric(kinds) && strictKeywords.number.includes(keyword)) return true
  return kinds.includes('string') && strictKeywords.string.includes(keyword) && isSupported(schema, keyword)
}

function isNumeric(kinds: readonly JsonKind[]): boolean {
  return kinds.includes('number') || kinds.includes('integer')
}

function isSupported(schema: Fields, keyword: string): boolean {
  const value = schema[keyword]
  if (keyword === 'format') return typeof value === 'string' && strictFormats.has(value)
  return keyword !== 'pattern' || (typeof value === 'string' && !looksAround(value))
}

/** A schema of strict mode, with where null stands for nothing in its values. */
export interface StrictNode {
  readonly schema: WrittenSchema
  readonly plan: NullPlan | undefined
}

/** What is needed to write the strict form of the schemas of one document. */
export interface StrictContext {
  readonly document: SchemaDocument
  readonly report: Report
  /** Writes a schema that stands at a pointer. */
  write(schema: unknown, pointer: string): StrictNode
  /** The name of the definition that a reference leads to, which is then written too; `undefined`: it leads elsewhere. */
  define(reference: string): string | undefined
}

/** A schema that is being written. */
export interface StrictSite {
  readonly schema: Fields
  readonly pointer: string
  readonly context: StrictContext
}

/** Reports that strict mode cannot say a schema, and stands in for it: the tool is not sent in strict form then. */
export function unsayable(site: Pick<StrictSite, 'pointer' | 'context'>, keyword: string, message: string): StrictNode {
  site.context.report({ pointer: site.pointer, keyword, kind: 'fallback', message, loosens: false })
  return { schema: {}, plan: undefined }
}

/** The notes on keywords that strict mode does not take. */
export function strictNotes(
  site: StrictSite,
  keeps: (keyword: string) => boolean,
  kinds?: readonly JsonKind[],
): readonly string[] {
  const { schema, pointer, context } = site
  return removedNotes({ schema, pointer, keeps, kinds, vendor: "OpenAI's strict mode", report: context.report })
}

/**
 * What OpenAI's strict mode ("Structured Outputs") takes, as its guide "Supported schemas" and its errors say in
 * autumn 2026:
 *
 * - The root is an object and no `anyOf`; every object lists all of its fields in `required` and has
 *   `additionalProperties: false`. An optional field is a required one that may be null.
 * - Types: string, number, integer, boolean, null, object, array; `enum`, `const`, nested `anyOf`, `$ref` into `$defs`,
 *   recursion. Every schema states its type ("schema must have a 'type' key"), every array its items. A `$ref` stands
 *   alone ("$ref cannot have keywords").
 * - Strings: `pattern` without look-arounds ("regex lookaround is not supported") and nine formats ("'uri' is not a
 *   valid format"). Numbers: bounds and `multipleOf`. Arrays: `minItems`, `maxItems`.
 * - Not `oneOf`, `allOf`, `not`, `if`, `dependent*`, `minLength`, `maxLength`, `uniqueItems`, `default`, `prefixItems`
 *   and whatever else is not named here ("is not permitted").
 * - At most 5,000 fields, 10 levels of objects, 120,000 characters of names and literals, 1,000 enum values, and 15,000
 *   characters in an enum of more than 250 texts.
 */
const strictKeywords: Readonly<Record<'string' | 'number' | 'array', readonly string[]>> = {
  string: ['pattern', 'format'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  array: ['minItems', 'maxItems'],
}

/** The formats that strict mode takes. */
const strictFormats: ReadonlySet<string> = new Set([
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
])

/** How large a schema may be. */
export const strictLimits = {
  fields: 5_000,
  levels: 10,
  characters: 120_000,
  enumValues: 1_000,
  longEnum: 250,
  longEnumCharacters: 15_000,
} as const

/** Whether a pattern looks ahead or behind. An escaped parenthesis that looks like it counts too. */
function looksAround(pattern: string): boolean {
  return /\(\?<?[=!]/.test(pattern)
}

const nullSchema: WrittenSchema = { type: 'null' }
const annotations: readonly string[] = ['title', 'description']

/** Whether a schema of a document accepts null. */
function acceptsNull(schema: unknown, document: SchemaDocument): boolean {
  const run = new Run({ hasUnwritable: false, rejectsUnknown: false })
  run.quiet = true
  return document.node(located(schema, document)).check(null, run, undefined)
}

/** A strict schema that also takes null. */
function orNull(schema: WrittenSchema): WrittenSchema {
  if (takesNull(schema)) return schema
  if (Array.isArray(schema.anyOf)) return { ...schema, anyOf: [...schema.anyOf, nullSchema] }
  const types = typeList(schema.type)
  const isContainer = types.length === 0 || types.includes('object') || types.includes('array')
  if (!isContainer) {
    const { const: only, ...others } = schema
    const values = Object.hasOwn(schema, 'const') ? [only] : schema.enum
    return { ...others, type: [...types, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
  }
  const said = Object.entries(schema).filter(([name]) => annotations.includes(name))
  return { ...Object.fromEntries(said), anyOf: [without(schema, annotations), nullSchema] }
}

/** What a reference leads to is not looked at: null is then offered twice, which does no harm. */
function takesNull(schema: WrittenSchema): boolean {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.some(takesNull)
  return typeList(schema.type).includes('null')
}

/** Where the strict schema lets null stand for a field that is left out. Follows the strict schema. */
export type NullPlan =
  | {
      readonly kind: 'parts'
      /** Fields by name, of an object. */
      readonly fields?: ReadonlyMap<string, FieldPlan>
      /** The first items of an array, then all others. */
      readonly items?: { readonly first: readonly (NullPlan | undefined)[]; readonly rest: NullPlan | undefined }
    }
  | { readonly kind: 'either'; readonly variants: readonly VariantPlan[] }
  | { readonly kind: 'definition'; readonly name: string }

/** What is done to one field. */
interface FieldPlan {
  /** Null stands for nothing: the field is taken out. */
  readonly removesNull: boolean
  readonly plan: NullPlan | undefined
}

/** A variant of a union, known by the strict schema that a value of it satisfies. */
export interface VariantPlan {
  readonly schema: WrittenSchema
  readonly plan: NullPlan | undefined
}
