import type { ts } from 'ts-morph'
import type { Shape } from '../../schema/shape/shape.js'
import { type Fit, failing, fitting, itemSpot, joinFits, passing, type Spot, type Walk } from '../match/fit.js'
import { settle } from '../plan/settle.js'
import { builtinName, type TypeReader, typeArgumentsOf } from '../types/type-reader.js'

/** A record of the tool out of a Map or an index signature; undefined where the type is neither. */
export function fitRecord(
  shape: Shape & { readonly kind: 'object' },
  object: ts.Type,
  isMap: boolean,
  walk: Walk,
  spot: Spot,
): Fit | undefined {
  const { checker, ts } = walk.reader
  if (shape.additional === undefined || shape.fields.length > 0) return undefined
  if (isMap) {
    const [keys, values] = typeArgumentsOf(object, walk.reader)
    if (keys === undefined || values === undefined || (keys.flags & ts.TypeFlags.StringLike) === 0) return undefined
    const fit = walk.fit(shape.additional, values, { ...itemSpot(spot, 'record'), nameable: false })
    return { ...fit, draft: { kind: 'record', values: fit.draft, from: 'map', to: 'record' } }
  }
  const index = checker.getIndexInfosOfType(object).find(({ keyType }) => (keyType.flags & ts.TypeFlags.String) !== 0)
  if (index === undefined || checker.getPropertiesOfType(object).length > 0) return undefined
  const fit = walk.fit(shape.additional, index.type, itemSpot(spot, 'record'))
  return { ...fit, draft: { kind: 'record', values: fit.draft, from: 'record', to: 'record' } }
}

/** A list of the tool out of an array, a tuple, a Set or a type that extends Array; undefined for any other. */
export function fitItems(items: Shape, object: ts.Type, walk: Walk, spot: Spot): Fit | undefined {
  const { reader } = walk
  const inner = itemSpot(spot, 'array')
  if (reader.checker.isTupleType(object)) {
    const fits = typeArgumentsOf(object, reader).map((item) => walk.fit(items, item, inner))
    const drafts = new Set(fits.map(({ draft }) => JSON.stringify(settle(draft).conversion)))
    const [first] = fits
    if (first === undefined) return fitting({ kind: 'pass' })
    if (drafts.size > 1)
      return failing('TG4210', `the items of the tuple \`${spot.label}\` would need different conversions`)
    return joinFits({ kind: 'array', items: first.draft, from: 'array', to: 'array', identity: true }, fits)
  }
  const isSet = builtinName(object, reader) === 'Set'
  const item = isSet || reader.checker.isArrayType(object) ? firstArgument(object, reader) : listItem(object, reader)
  if (item === undefined) return undefined
  const fit = walk.fit(items, item, isSet ? { ...inner, nameable: false } : inner)
  return {
    ...fit,
    draft: { kind: 'array', items: fit.draft, from: isSet ? 'set' : 'array', to: 'array', identity: !isSet },
  }
}

function firstArgument(object: ts.Type, reader: TypeReader): ts.Type | undefined {
  return typeArgumentsOf(object, reader)[0]
}

function listItem(object: ts.Type, reader: TypeReader): ts.Type | undefined {
  if (!object.isClassOrInterface()) return undefined
  const base = reader.checker.getBaseTypes(object).find((each) => reader.checker.isArrayType(each))
  return base === undefined ? undefined : firstArgument(base, reader)
}

/** A tuple of the tool out of a tuple of the same length, item by item without conversions. */
export function fitTuple(
  shape: Shape & { readonly kind: 'tuple' },
  object: ts.Type,
  walk: Walk,
  spot: Spot,
): Fit | undefined {
  if (!walk.reader.checker.isTupleType(object)) return undefined
  const sources = typeArgumentsOf(object, walk.reader)
  if (sources.length !== shape.items.length) return undefined
  const fits = shape.items.map((item, index) => {
    const source = sources[index]
    return source === undefined
      ? passing
      : walk.fit(item, source, { ...itemSpot(spot, 'array'), label: `${spot.label}[${index}]` })
  })
  const whole = fits.every((fit) => settle(fit.draft).conversion.kind === 'pass')
  return whole
    ? joinFits({ kind: 'pass' }, fits)
    : failing('TG4203', `the items of the tuple \`${spot.label}\` would need conversions`)
}
