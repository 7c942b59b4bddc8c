import type { ts } from 'ts-morph'
import type { ShapeField } from '../../schema/shape/shape.js'
import { type Fit, failing, type Spot, type Walk } from '../match/fit.js'
import { isPresent, withoutNull } from '../match/shape-views.js'
import type { FieldConversion } from '../plan/plan.js'
import { partsOf } from '../types/type-parts.js'
import { describeType } from '../types/type-reader.js'

/** A field on its way into a property or parameter that may itself be left out. */
export function intoSlot(
  field: ShapeField,
  type: ts.Type,
  optional: boolean,
  walk: Walk,
  spot: Spot,
): { readonly fit: Fit; readonly presence: FieldConversion['presence']; readonly identity: boolean } {
  const { reader, resolve } = walk
  const parts = partsOf(type, reader)
  const takesAny = parts.any !== undefined || parts.unknown
  const takesUndefined = parts.undefined || takesAny
  const { nullable, inner } = withoutNull(resolve(field.shape), resolve)
  const mayLack = !isPresent(field)
  const dropsNull = nullable && !parts.null && !takesAny
  if (dropsNull && (inner === undefined || !(optional || takesUndefined))) {
    const fit = failing('TG4104', `\`${spot.label}\` may be null, the method takes ${describeType(type, reader)}`)
    return { fit, presence: 'required', identity: false }
  }
  if (mayLack && !optional && !takesUndefined) {
    const takes = describeType(type, reader)
    const fit = failing('TG4102', `\`${spot.label}\` is optional in the tool, the method requires it (${takes})`)
    return { fit, presence: 'required', identity: false }
  }
  const whole = walk.fit(dropsNull && inner !== undefined ? inner : field.shape, type, spot)
  if (dropsNull) return { fit: whole, presence: optional ? 'omitNull' : 'undefinedNull', identity: false }
  if (!mayLack) return { fit: whole, presence: 'required', identity: true }
  return { fit: whole, presence: optional ? 'omit' : 'undefined', identity: optional }
}
