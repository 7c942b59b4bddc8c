import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import { flatLiteral } from '../text.js'
import type { Draft } from './draft.js'
import { costOf, type Fit, failing, passing } from './fit.js'
import { fieldPath, labelBelow, type Matcher, type PairPath } from './matcher.js'
import type { FieldConversion } from './plan.js'
import { reasons } from './reasons.js'
import { isPresent, shapeOfValue } from './shapes.js'
import { hasNonLiterals } from './type-parts.js'
import type { Property, TypeReader } from './type-reader.js'

/** `identity` is false if the field requires a copy of the object, for example because a missing field must become `undefined`. */
interface SlotFit {
  readonly fit: Fit
  readonly presence: FieldConversion['presence']
  readonly identity: boolean
}

export function intoSlot(
  field: ShapeField,
  type: ts.Type,
  optional: boolean,
  path: PairPath,
  matcher: Matcher,
): SlotFit {
  const parts = matcher.reader.parts(type)
  const takesUndefined = parts.undefined || parts.open
  const { nullable, inner } = matcher.shapes.withoutNull(field.shape)
  const mayLack = !isPresent(field)
  const dropsNull = nullable && !parts.null && !parts.open
  if (dropsNull && (inner === undefined || !(optional || takesUndefined))) {
    const fit = failing(reasons.nullable(`\`${path.label}\``, matcher.reader.describe(type)))
    return { fit, presence: 'required', identity: false }
  }
  if (mayLack && !optional && !takesUndefined) {
    const fit = failing(reasons.optional(path.label, matcher.reader.describe(type)))
    return { fit, presence: 'required', identity: false }
  }
  const fit = matcher.fit(dropsNull && inner !== undefined ? inner : field.shape, type, path)
  if (dropsNull) return { fit, presence: optional ? 'omitNull' : 'undefinedNull', identity: false }
  if (!mayLack) return { fit, presence: 'required', identity: true }
  return { fit, presence: optional ? 'omit' : 'undefined', identity: optional }
}

export function undeclaredInto(
  declared: readonly Property[],
  additional: Shape,
  draft: Draft,
  path: PairPath,
  matcher: Matcher,
): Fit | undefined {
  const conversion = JSON.stringify(draft)
  return declared
    .map((property) => {
      const label = labelBelow(path, property.name)
      const fit = matcher.fit(additional, property.type(), { ...path, label, depth: path.depth + 1 })
      if (costOf(fit) > 0 || JSON.stringify(fit.draft) === conversion) return fit
      return failing(reasons.undeclaredOfName(property.name))
    })
    .find((fit) => costOf(fit) > 0)
}

/** Generated code does not convert constants. */
export function fitConstant(name: string, value: Json, type: ts.Type, path: PairPath, matcher: Matcher): Fit {
  const fit = matcher.fit(shapeOfValue(value), type, fieldPath(path, name, name, name))
  if (costOf(fit) === 0 && isUnchanged(fit.draft)) return passing
  return failing(reasons.constant(name, matcher.reader.describe(type)))
}

export function constantFor(type: ts.Type, reader: TypeReader): string | undefined {
  const parts = reader.parts(type)
  if (parts.open || hasNonLiterals(parts) || parts.string || parts.number || parts.bigint) return undefined
  const [literal] = parts.literals
  const value = parts.boolean ? true : literal?.isEnumMember === false ? literal.value : undefined
  return value === undefined ? undefined : flatLiteral(value)
}

/** Copying an array is not a change. */
export function isUnchanged(draft: Draft): boolean {
  if (draft.kind === 'object') {
    return draft.identity !== false && draft.fields.every((each) => isUnchanged(each.conversion))
  }
  return draft.kind === 'pass' || (draft.kind === 'array' && draft.from === draft.to)
}
