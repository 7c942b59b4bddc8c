import { own } from '../schema/json/json.js'
import type { SchemaObject } from '../schema/json/json-schema.js'
import { checkArgument } from './check-argument.js'
import { all, any, type Code, code, modeCode } from './code.js'
import type { CodecScope, Place } from './codec-scope.js'
import { numberOf, strictest, subschema, subschemas } from './conjuncts.js'
import type { PartCheck } from './part-check.js'
import { bounded } from './scalar-check.js'

/** Checks what schemas that all apply say of an array and its items. */
export function arrayCheck(
  conjuncts: readonly SchemaObject[],
  place: Place,
  scope: CodecScope,
  part: PartCheck,
): Code | undefined {
  const { is } = scope.words
  if (conjuncts.some((conjunct) => own(conjunct, 'unevaluatedItems') !== undefined)) return undefined
  const least = strictest(conjuncts, 'minItems', Math.max)
  const closed = conjuncts
    .filter((conjunct) => subschema(conjunct, 'items') === false)
    .map((conjunct) => subschemas(conjunct, 'prefixItems').length)
  const most = [strictest(conjuncts, 'maxItems', Math.min) ?? Infinity, ...closed].reduce((a, b) => Math.min(a, b))
  const isUnique = conjuncts.some((conjunct) => own(conjunct, 'uniqueItems') === true)
  const bounds = [least, most === Infinity ? undefined : most] as const
  const whole = conjuncts.find(speaksOfAllAlike)
  const every = whole === undefined ? unspokenOf(conjuncts, place, scope) : itemCheck(whole, place, part)
  if (whole !== undefined && every === undefined) return undefined
  return all([
    every === undefined
      ? code(isBounded(bounds) ? `${is}.array(${bounded(place.value, ...bounds)})` : `Array.isArray(${place.value})`)
      : modeCode(`${is}.list(${bounded(`${place.value}, ${every}, ${place.mode}`, ...bounds)})`, place.mode),
    ...conjuncts
      .filter((conjunct) => conjunct !== whole)
      .flatMap((conjunct) => itemChecks(conjunct, least ?? 0, place, scope, part)),
    ...(isUnique ? [code(`${is}.unique(${place.value})`)] : []),
    ...conjuncts.map((conjunct) => containsCheck(conjunct, place, scope, part)),
  ])
}

function isBounded(bounds: readonly (number | undefined)[]): boolean {
  return bounds.some((bound) => bound !== undefined)
}

/** Whether a schema gives one rule for every item. */
function speaksOfAllAlike(conjunct: SchemaObject): boolean {
  const items = subschema(conjunct, 'items')
  return items !== undefined && items !== false && subschemas(conjunct, 'prefixItems').length === 0
}

/** The check of items of which no schema speaks; `undefined` where they need none. */
function unspokenOf(conjuncts: readonly SchemaObject[], { mode }: Place, { words }: CodecScope): string | undefined {
  return isItemised(conjuncts) || mode !== 'm' ? undefined : `${words.is}.any`
}

function itemCheck(conjunct: SchemaObject, place: Place, part: PartCheck): string | undefined {
  return checkArgument(subschema(conjunct, 'items') ?? true, place, 'Item', part)
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
  part: PartCheck,
): readonly (Code | undefined)[] {
  const first = subschemas(conjunct, 'prefixItems')
  const rest = subschema(conjunct, 'items')
  const checks = first.map((schema, index) => {
    const value = `${place.value}[${index}]`
    const check = part(schema, { mode: place.mode, value, stem: `${place.stem}Item${index + 1}` })
    return index < least ? check : any([code(`${place.value}.length <= ${index}`), check])
  })
  if (rest === undefined || rest === false) return checks
  const check = itemCheck(conjunct, place, part)
  if (check === undefined) return [undefined]
  const from = first.length === 0 ? '' : `, ${first.length}`
  return [...checks, modeCode(`${scope.words.is}.each(${place.value}, ${check}, ${place.mode}${from})`, place.mode)]
}

function containsCheck(conjunct: SchemaObject, place: Place, scope: CodecScope, part: PartCheck): Code | undefined {
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
