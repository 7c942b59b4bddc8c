import { own } from '../schema/json/json.js'
import type { Schema, SchemaObject } from '../schema/json/json-schema.js'
import { checkArgument } from './check-argument.js'
import { all, any, type Code, code, modeCode } from './code.js'
import type { CodecScope, Place } from './codec-scope.js'
import { numberOf, strictest, subschema, subschemas } from './conjuncts.js'
import { bounded } from './scalar-check.js'

/** Checks what schemas that all apply say of an array and its items. */
export function arrayCheck(
  conjuncts: readonly SchemaObject[],
  place: Place,
  scope: CodecScope,
  part: (schema: Schema, place: Place) => Code | undefined,
): Code | undefined {
  const { is } = scope.words
  if (conjuncts.some((conjunct) => own(conjunct, 'unevaluatedItems') !== undefined)) return undefined
  const least = strictest(conjuncts, 'minItems', Math.max)
  const closed = conjuncts
    .filter((conjunct) => subschema(conjunct, 'items') === false)
    .map((conjunct) => subschemas(conjunct, 'prefixItems').length)
  const most = [strictest(conjuncts, 'maxItems', Math.min) ?? Infinity, ...closed].reduce((a, b) => Math.min(a, b))
  const isUnique = conjuncts.some((conjunct) => own(conjunct, 'uniqueItems') === true)
  return all([
    least === undefined && most === Infinity
      ? code(`Array.isArray(${place.value})`)
      : code(`${is}.array(${bounded(place.value, least, most === Infinity ? undefined : most)})`),
    ...(isItemised(conjuncts) || place.mode !== 'm' ? [] : [modeCode(`${is}.each(${place.value}, ${is}.any, m)`, 'm')]),
    ...conjuncts.flatMap((conjunct) => itemChecks(conjunct, least ?? 0, place, scope, part)),
    ...(isUnique ? [code(`${is}.unique(${place.value})`)] : []),
    ...conjuncts.map((conjunct) => containsCheck(conjunct, place, scope, part)),
  ])
}

/** Whether some schema speaks of every item. */
function isItemised(conjuncts: readonly SchemaObject[]): boolean {
  return conjuncts.some((conjunct) => subschema(conjunct, 'items') !== undefined)
}

function itemChecks(
  conjunct: SchemaObject,
  least: number,
  place: Place,
  scope: CodecScope,
  part: (schema: Schema, place: Place) => Code | undefined,
): readonly (Code | undefined)[] {
  const first = subschemas(conjunct, 'prefixItems')
  const rest = subschema(conjunct, 'items')
  const checks = first.map((schema, index) => {
    const value = `${place.value}[${index}]`
    const check = part(schema, { mode: place.mode, value, stem: `${place.stem}Item${index + 1}` })
    return index < least ? check : any([code(`${place.value}.length <= ${index}`), check])
  })
  if (rest === undefined || rest === false) return checks
  const check = checkArgument(rest, place, 'Item', part)
  if (check === undefined) return [undefined]
  const from = first.length === 0 ? '' : `, ${first.length}`
  return [...checks, modeCode(`${scope.words.is}.each(${place.value}, ${check}, ${place.mode}${from})`, place.mode)]
}

function containsCheck(
  conjunct: SchemaObject,
  place: Place,
  scope: CodecScope,
  part: (schema: Schema, place: Place) => Code | undefined,
): Code | undefined {
  const { is } = scope.words
  const schema = subschema(conjunct, 'contains')
  if (schema === undefined) return code('true')
  const loose = `${is}.loose`
  const check = checkArgument(schema, { ...place, mode: loose }, 'Contained', part)
  if (check === undefined) return undefined
  const least = numberOf(conjunct, 'minContains')
  const most = numberOf(conjunct, 'maxContains')
  const bounds = most === undefined ? (least === undefined ? '' : `, ${least}`) : `, ${least ?? 1}, ${most}`
  return code(`${is}.contains(${place.value}, ${check}, ${loose}${bounds})`)
}
