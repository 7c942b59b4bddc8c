import type { ts } from 'ts-morph'
import {
  bestFit,
  type Fit,
  failing,
  faults,
  itemSpot,
  joinFits,
  passing,
  type Spot,
  spoken,
  type Walk,
} from '../match/fit.js'
import { describeShape, type ShapeOf } from '../match/shape-views.js'
import { settle } from '../plan/settle.js'
import type { TypeParts } from '../types/type-parts.js'
import { builtinName, describeType, tupleOf, typeArgumentsOf } from '../types/type-reader.js'

/** A list or tuple of the payload against the arrays, tuples and Sets that a type allows. */
export function fitList(
  shape: ShapeOf<'array' | 'tuple'>,
  parts: TypeParts,
  type: ts.Type,
  walk: Walk,
  spot: Spot,
): Fit {
  const { reader } = walk
  const fits = parts.objects.flatMap((target) => {
    const isSet = builtinName(target, reader) === 'Set'
    if (reader.checker.isTupleType(target)) return [fitTuple(shape, target, walk, spot)]
    if (!isSet && !reader.checker.isArrayType(target)) return []
    const [item] = typeArgumentsOf(target, reader)
    // The payload's arrays are readonly: one that may be changed must be a copy.
    const identity = target.getSymbol()?.name === 'ReadonlyArray'
    return item === undefined ? [] : [intoItems(shape, item, { to: isSet ? 'set' : 'array', identity }, walk, spot)]
  })
  const takes = describeType(type, reader)
  const isIterable = parts.objects.some((object) => /Iterable|Iterator|ArrayLike/.test(object.getSymbol()?.name ?? ''))
  if (isIterable) return bestFit(fits) ?? failing('TG4109', `\`${spot.label}\` is an array, the method takes ${takes}`)
  return (
    bestFit(fits) ??
    failing('TG4103', `${spoken(spot.label, 'the payload')} is ${describeShape(shape)}, the method takes ${takes}`)
  )
}

function intoItems(
  shape: ShapeOf<'array' | 'tuple'>,
  item: ts.Type,
  into: { readonly to: 'array' | 'set'; readonly identity: boolean },
  walk: Walk,
  spot: Spot,
): Fit {
  const inner = { ...itemSpot(spot, 'array'), nameable: spot.nameable && into.to === 'array' }
  if (shape.kind === 'array') {
    const fit = walk.fit(shape.items, item, inner)
    return { ...fit, draft: { kind: 'array', items: fit.draft, from: 'array', ...into } }
  }
  const fits = [...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])].map((each) =>
    walk.fit(each, item, inner),
  )
  if (!fits.every(passesWhole))
    return failing('TG4109', `\`${spot.label}\` is a tuple whose items would need conversions`)
  return joinFits({ kind: 'array', items: { kind: 'pass' }, from: 'array', ...into }, fits)
}

function passesWhole(fit: Fit): boolean {
  return faults(fit) > 0 || settle(fit.draft).conversion.kind === 'pass'
}

function fitTuple(shape: ShapeOf<'array' | 'tuple'>, target: ts.Type, walk: Walk, spot: Spot): Fit {
  const items = typeArgumentsOf(target, walk.reader)
  const takes = describeType(target, walk.reader)
  const isSame = shape.kind === 'tuple' && shape.rest === undefined && shape.required === shape.items.length
  if (!isSame || shape.items.length !== items.length) {
    return failing('TG4109', `\`${spot.label}\` is ${describeShape(shape)}, the method takes the tuple ${takes}`)
  }
  const fits = items.map((item, index) => {
    const source = shape.items[index]
    const inner = { ...itemSpot(spot, 'array'), label: `${spot.label}[${index}]` }
    return source === undefined ? passing : walk.fit(source, item, inner)
  })
  if (!fits.every(passesWhole))
    return failing('TG4109', `\`${spot.label}\` is a tuple whose items would need conversions`)
  const identity = tupleOf(target, walk.reader)?.readonly === true
  return joinFits({ kind: 'array', items: { kind: 'pass' }, from: 'array', to: 'array', identity }, fits)
}
