import { own } from '../../schema/json/json.js'
import type { SchemaObject } from '../../schema/json/json-schema.js'
import { isDisjoint } from './disjoint.js'
import { schemaAt } from './flatten.js'
import type { Prover } from './prover.js'
import type { Refusal } from './refusal.js'
import { sameSchema } from './same-schema.js'
import type { Taken } from './taken.js'

/** The rules of a schema for values of any kind of which it cannot be told that all of the values keep them. */
export function brokenValueRules(taken: Taken, taker: SchemaObject, prover: Prover): readonly Refusal[] {
  const excluded = schemaAt(taker, 'not')
  const broken = [
    ...(excluded === undefined || isDisjoint(taken, excluded, prover.sides) ? [] : ['not']),
    ...(keepsCondition(taken, taker, prover) ? [] : ['if']),
  ]
  return broken.map((keyword) => ({
    aspect: 'rule',
    pointer: `/${keyword}`,
    taken: taken.plain.map((schema) => own(schema, keyword)).find((value) => value !== undefined),
    taker: own(taker, keyword),
  }))
}

function keepsCondition(taken: Taken, taker: SchemaObject, prover: Prover): boolean {
  const condition = schemaAt(taker, 'if')
  if (condition === undefined) return true
  const { sides } = prover
  const [met, unmet] = [schemaAt(taker, 'then') ?? true, schemaAt(taker, 'else') ?? true]
  const isSame = taken.plain.some(
    (schema) =>
      sameSchema(schemaAt(schema, 'if') ?? false, condition, sides) &&
      sameSchema(schemaAt(schema, 'then') ?? true, met, sides) &&
      sameSchema(schemaAt(schema, 'else') ?? true, unmet, sides),
  )
  return isSame || (prover.fits(taken, met) && prover.fits(taken, unmet))
}
