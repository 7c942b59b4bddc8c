import { isObject, own, stringsOf } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { annotations } from '../../schema/json/keywords.js'
import { schemasOfField } from './declared-fields.js'
import { schemaAt, schemaMap, schemaOf } from './flatten.js'
import type { PossibleFields } from './object-fields.js'
import type { Prover } from './prover.js'
import type { Refusal } from './refusal.js'
import { sameSchema } from './same-schema.js'
import type { Taken } from './taken.js'
import { takesValue } from './takes-value.js'

/** Objects that are taken. */
export interface TakenObjects {
  readonly possible: PossibleFields
  readonly required: ReadonlySet<string>
  readonly taken: Taken
}

/** The rules for names and for fields that depend on each other of which it cannot be told that all objects keep them. */
export function brokenObjectRules(objects: TakenObjects, taker: SchemaObject, prover: Prover): readonly Refusal[] {
  const broken = [
    ...(keepsNames(objects, taker, prover) ? [] : ['propertyNames']),
    ...(keepsRequired(objects, taker) ? [] : ['dependentRequired']),
    ...(keepsSchemas(objects, taker, prover) ? [] : ['dependentSchemas']),
    ...(keepsEvaluated(objects, taker, prover) ? [] : ['unevaluatedProperties']),
  ]
  return broken.map((keyword) => ({
    aspect: 'rule',
    pointer: `/${keyword}`,
    taken: said(objects.taken.plain, keyword),
    taker: own(taker, keyword),
  }))
}

/** What the first of several schemas says that says something. */
function said(plain: readonly SchemaObject[], keyword: string): Json | undefined {
  return plain.map((schema) => own(schema, keyword)).find((value) => value !== undefined)
}

function keepsNames({ possible, taken }: TakenObjects, taker: SchemaObject, { sides }: Prover): boolean {
  const wanted = schemaAt(taker, 'propertyNames')
  if (wanted === undefined) return true
  const isSame = taken.plain.some((schema) => {
    const known = schemaAt(schema, 'propertyNames')
    return known !== undefined && sameSchema(known, wanted, sides)
  })
  if (isSame) return true
  const names = [...possible.names].filter((name) => possible.at(name) !== undefined)
  if (!names.every((name) => takesValue([wanted], name, sides.taker) === true)) return false
  // What stands for all names that a pattern matches is allowed where nothing else is asked for.
  return possible.others(onlyPattern(wanted)) === undefined
}

/** The pattern of a schema for texts that has no other rule. */
function onlyPattern(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const { pattern, type = 'string', ...rest } = schema
  const isAlone = Object.keys(rest).every((keyword) => annotations.includes(keyword))
  return isAlone && type === 'string' && typeof pattern === 'string' ? [pattern] : []
}

function keepsRequired({ possible, required, taken }: TakenObjects, taker: SchemaObject): boolean {
  const wanted = own(taker, 'dependentRequired')
  if (!isObject(wanted)) return true
  return Object.keys(wanted).every((name) => {
    const known = taken.plain.flatMap((schema) => {
      const rules = own(schema, 'dependentRequired')
      return isObject(rules) ? stringsOf(rules, name) : []
    })
    const names = stringsOf(wanted, name)
    return possible.at(name) === undefined || names.every((field) => required.has(field) || known.includes(field))
  })
}

function keepsSchemas({ possible, taken }: TakenObjects, taker: SchemaObject, prover: Prover): boolean {
  return schemaMap(taker, 'dependentSchemas').every(([name, wanted]) => {
    if (possible.at(name) === undefined) return true
    const isSame = taken.plain.some((schema) => {
      const known = schemaOf(schema, 'dependentSchemas', name)
      return known !== undefined && sameSchema(known, wanted, prover.sides)
    })
    return isSame || prover.fits(taken, wanted)
  })
}

function keepsEvaluated({ possible, taken }: TakenObjects, taker: SchemaObject, { sides, fields }: Prover): boolean {
  const wanted = own(taker, 'unevaluatedProperties')
  if (wanted === undefined || wanted === true || (fields === 'any' && wanted === false)) return true
  if (taken.plain.some((schema) => sameSchema(schema, taker, sides))) return true
  // What the schema declares itself is judged there.
  if (Object.hasOwn(taker, 'additionalProperties')) return true
  const patterns = schemaMap(taker, 'patternProperties').map(([pattern]) => pattern)
  const isDeclared = [...possible.names].every(
    (name) => possible.at(name) === undefined || schemasOfField([taker], name).length > 0,
  )
  return isDeclared && possible.others(patterns) === undefined
}
