import { literalsOf } from '../../codec/evaluate/literals.js'
import { kindsOf } from '../../codec/evaluate/types.js'
import { equalityKey } from '../../codec/json/equality-key.js'
import { type Fields, isContainer, kindOf } from '../../codec/json/kind.js'
import type { JsonKind } from '../../contract/issue.js'
import type { WrittenSchema } from '../report/change.js'
import { described } from '../report/described.js'
import { arrayKeywords, strictArray } from './strict-array.js'
import { objectKeywords, strictObject } from './strict-object.js'
import { type StrictNode, type StrictSite, strictNotes, unsayable } from './strict-site.js'
import { looksAround, strictFormats, strictKeywords } from './strict-subset.js'

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
    plan: planOf(object?.fields, array?.items),
  }
}

function planOf(
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
