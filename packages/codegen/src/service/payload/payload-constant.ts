import type { ts } from 'ts-morph'
import type { Json } from '../../ir/types.js'
import { flatLiteral } from '../../text/literal.js'
import { type Fit, faults, fieldSpot, mistaken, passing, type Spot, type Walk } from '../match/fit.js'
import { shapeOfValue } from '../match/shape-views.js'
import { hasNonLiterals, partsOf } from '../types/type-parts.js'
import { describeType } from '../types/type-reader.js'

/** A constant of the binding against the type it goes to: it is written as it is, without a conversion. */
export function constantFits(name: string, value: Json, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const fit = walk.fit(shapeOfValue(value), type, fieldSpot(spot, name, name, name))
  if (faults(fit) === 0 && isUnchanged(fit)) return passing
  const message = `the constant of \`${name}\` is no ${describeType(type, walk.reader)}`
  return mistaken('TG4009', message, { of: 'constants', entry: name, side: 'value' })
}

/** True when a fit changes nothing but, perhaps, copies an array. */
export function isUnchanged({ draft }: Fit): boolean {
  if (draft.kind === 'object') {
    return draft.identity && draft.fields.every((field) => isUnchanged({ ...passing, draft: field.conversion }))
  }
  return draft.kind === 'pass' || (draft.kind === 'array' && draft.from === draft.to)
}

/** A constant that a required field could be set to, for a hint: only where its type has few values. */
export function constantOf(type: ts.Type, { reader }: Walk): { readonly setTo?: string } {
  const parts = partsOf(type, reader)
  if (hasNonLiterals(parts) || parts.string || parts.number || parts.bigint) return {}
  const [literal] = parts.literals
  const value = parts.boolean ? true : literal?.isEnumMember === false ? literal.value : undefined
  return value === undefined || parts.any !== undefined || parts.unknown ? {} : { setTo: flatLiteral(value) }
}
