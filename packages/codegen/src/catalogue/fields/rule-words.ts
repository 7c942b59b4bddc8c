import { own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { code, type Line } from '../page/page.js'

/** Keywords that restrict a value in ways that only the schema itself can say. */
const further = [
  'not',
  'if',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
]

/** What a schema asks of a value beside its type, in plain words, one rule each. */
export function ruleWords(schema: SchemaObject): readonly Line[] {
  return [
    ...range(schema, ['minLength', 'maxLength'], 'character'),
    ...patternOf(schema),
    ...bounds(schema),
    ...range(schema, ['minItems', 'maxItems'], 'item'),
    ...(own(schema, 'uniqueItems') === true ? [['no item twice']] : []),
    ...range(schema, ['minProperties', 'maxProperties'], 'field'),
    ...(further.some((keyword) => Object.hasOwn(schema, keyword)) ? [['further rules in the JSON Schema']] : []),
    ...(own(schema, 'deprecated') === true ? [['deprecated']] : []),
  ]
}

function range(schema: SchemaObject, [low, high]: readonly [string, string], unit: string): readonly Line[] {
  const [least, most] = [numberOf(schema, low), numberOf(schema, high)]
  const units = (count: number): string => `${count} ${unit}${count === 1 ? '' : 's'}`
  if (least !== undefined && most !== undefined) {
    return [[least === most ? `exactly ${units(least)}` : `${least} to ${units(most)}`]]
  }
  if (least === 1) return [['not empty']]
  if (least !== undefined) return [[`at least ${units(least)}`]]
  return most === undefined ? [] : [[`at most ${units(most)}`]]
}

function bounds(schema: SchemaObject): readonly Line[] {
  // Zod gives every integer the bounds of what a double can hold exactly.
  const known = (keyword: string): number | undefined => {
    const bound = numberOf(schema, keyword)
    return bound === undefined || Math.abs(bound) === Number.MAX_SAFE_INTEGER ? undefined : bound
  }
  const [low, high] = [known('minimum'), known('maximum')]
  const within =
    low !== undefined && high !== undefined ? [[low === high ? `exactly ${low}` : `${low} to ${high}`]] : []
  const one: [string, number | undefined][] = [
    ['at least', within.length === 0 ? low : undefined],
    ['at most', within.length === 0 ? high : undefined],
    ['more than', numberOf(schema, 'exclusiveMinimum')],
    ['less than', numberOf(schema, 'exclusiveMaximum')],
    ['a multiple of', numberOf(schema, 'multipleOf')],
  ]
  return [...within, ...one.flatMap(([words, bound]) => (bound === undefined ? [] : [[`${words} ${bound}`]]))]
}

function patternOf(schema: SchemaObject): readonly Line[] {
  const pattern = own(schema, 'pattern')
  // What Zod writes of a date and time without offsets.
  if (pattern === 'Z$' && own(schema, 'format') === 'date-time') return [['in UTC, ends with ', code('Z')]]
  return typeof pattern === 'string' ? [['matches ', code(pattern)]] : []
}

function numberOf(schema: SchemaObject, keyword: string): number | undefined {
  const value: Json | undefined = own(schema, keyword)
  return typeof value === 'number' ? value : undefined
}
