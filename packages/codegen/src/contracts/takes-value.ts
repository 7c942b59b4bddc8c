import { deepEqual } from '@toolgen/runtime/schema'
import { type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { type Defs, flatten, numbersOf, schemaAt, textsOf, type Union } from './flatten.js'
import { jsonTypeOf, knownMatch, listedBy, typesOf } from './schema-view.js'
import { isMultipleOf } from './value-ranges.js'

/** Whether a value fits; `undefined` where only a codec could tell, or nobody in time. */
export type Verdict = boolean | undefined

/** Whether schemas take a value; of objects and arrays it is told only where the schemas list their values. */
export function takesValue(schemas: readonly Schema[], value: Json, defs: Defs): Verdict {
  const flat = flatten(schemas, defs)
  if (flat === undefined) return false
  const { plain, unions } = flat
  if (!typesOf(plain).includes(jsonTypeOf(value))) return false
  const isListed = plain.flatMap(listedBy).every((list) => list.some((listed) => deepEqual(listed, value)))
  if (!isListed) return false
  return everyVerdict([
    ...plain.map((schema) => fits(schema, value, defs)),
    ...unions.map((union) => fitsUnion(union, value, defs)),
  ])
}

function fits(schema: SchemaObject, value: Json, defs: Defs): Verdict {
  const excluded = schemaAt(schema, 'not')
  const inner = excluded === undefined ? false : takesValue([excluded], value, defs)
  const verdicts: readonly Verdict[] = [
    inner === undefined ? undefined : !inner,
    own(schema, 'if') === undefined ? true : undefined,
    typeof value === 'number' ? isInRange(schema, value) : true,
    typeof value === 'string' ? isText(schema, value) : true,
    typeof value === 'object' && value !== null ? undefined : true,
  ]
  return everyVerdict(verdicts)
}

function isInRange(schema: SchemaObject, value: number): Verdict {
  const bounds = (keyword: string): readonly number[] => numbersOf([schema], keyword)
  const isWithin =
    bounds('minimum').every((bound) => value >= bound) &&
    bounds('maximum').every((bound) => value <= bound) &&
    bounds('exclusiveMinimum').every((bound) => value > bound) &&
    bounds('exclusiveMaximum').every((bound) => value < bound)
  if (!isWithin) return false
  return everyVerdict(bounds('multipleOf').map((step) => isMultipleOf(value, step)))
}

function isText(schema: SchemaObject, value: string): Verdict {
  const length = [...value].length
  const isLong =
    numbersOf([schema], 'minLength').every((bound) => length >= bound) &&
    numbersOf([schema], 'maxLength').every((bound) => length <= bound)
  if (!isLong) return false
  const isTold = textsOf([schema], 'format').length === 0 && textsOf([schema], 'x-js').length === 0
  return everyVerdict([
    ...textsOf([schema], 'pattern').map((pattern) => knownMatch(pattern, value)),
    isTold ? true : undefined,
  ])
}

function fitsUnion({ keyword, variants }: Union, value: Json, defs: Defs): Verdict {
  const verdicts = variants.map((variant) => takesValue([variant], value, defs))
  const sure = verdicts.filter((verdict) => verdict === true).length
  const open = verdicts.filter((verdict) => verdict === undefined).length
  if (keyword === 'anyOf') return sure > 0 ? true : open > 0 ? undefined : false
  if (sure > 1) return false
  return open > 0 ? undefined : sure === 1
}

function everyVerdict(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(false)) return false
  return verdicts.includes(undefined) ? undefined : true
}
