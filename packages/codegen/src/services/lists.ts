import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape.js'
import type { Draft } from './draft.js'
import { bestFit, costOf, type Fit, failing, joinFits, passing } from './fit.js'
import { itemPath, type Matcher, type PairPath } from './matcher.js'
import { reasons } from './reasons.js'
import { Settled, settlesToPass } from './settled.js'
import { describeShape, type ShapeOf } from './shapes.js'
import type { TypeParts } from './type-parts.js'

export function payloadList(
  shape: ShapeOf<'array' | 'tuple'>,
  parts: TypeParts,
  type: ts.Type,
  path: PairPath,
  matcher: Matcher,
): Fit {
  const { reader } = matcher
  const best = bestFit(
    parts.objects.flatMap((target) => {
      if (reader.checker.isTupleType(target)) return [intoTuple(shape, target, path, matcher)]
      const isSet = reader.builtin(target) === 'Set'
      const [item] = isSet || reader.checker.isArrayType(target) ? reader.typeArguments(target) : []
      if (item === undefined) return []
      // Payload arrays are readonly, so a mutable target needs a copy.
      const identity = target.getSymbol()?.name === 'ReadonlyArray'
      const draft = { kind: 'array', from: 'array', to: isSet ? 'set' : 'array', identity } as const
      const inner = { ...itemPath(path, 'array'), nameable: path.nameable && !isSet }
      if (shape.kind === 'array') {
        const fit = matcher.fit(shape.items, item, inner)
        return [{ ...fit, draft: { ...draft, items: fit.draft } }]
      }
      const items = [...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])]
      const fits = items.map((each) => matcher.fit(each, item, inner))
      return [wholeTuple({ ...draft, items: { kind: 'pass' } }, fits, path)]
    }),
  )
  if (best !== undefined) return best
  const takes = reader.describe(type)
  const isIterable = parts.objects.some((object) => /Iterable|Iterator|ArrayLike/.test(object.getSymbol()?.name ?? ''))
  if (isIterable) return failing(reasons.takesIterable(path.label, takes))
  return failing(reasons.takesOther(matcher.named(path), describeShape(shape), takes))
}

function intoTuple(shape: ShapeOf<'array' | 'tuple'>, target: ts.Type, path: PairPath, matcher: Matcher): Fit {
  const { reader } = matcher
  const items = reader.typeArguments(target)
  const isExact = shape.kind === 'tuple' && shape.rest === undefined && shape.required === shape.items.length
  if (!isExact || shape.items.length !== items.length) {
    return failing(reasons.takesTuple(path.label, describeShape(shape), reader.describe(target)))
  }
  const fits = itemFits(matcher, shape.items, items, path)
  const identity = reader.tuple(target)?.readonly === true
  return wholeTuple({ kind: 'array', items: { kind: 'pass' }, from: 'array', to: 'array', identity }, fits, path)
}

export function resultList(items: Shape, object: ts.Type, path: PairPath, matcher: Matcher): Fit | undefined {
  const { reader } = matcher
  const { checker } = reader
  const inner = itemPath(path, 'array')
  if (checker.isTupleType(object)) {
    const fits = reader.typeArguments(object).map((item) => matcher.fit(items, item, inner))
    const [first] = fits
    if (first === undefined) return passing
    const [text, ...texts] = fits.map(({ draft }) => JSON.stringify(new Settled(draft).conversion))
    if (texts.some((each) => each !== text)) return failing(reasons.tupleItemsDiffer(path.label))
    return joinFits({ kind: 'array', items: first.draft, from: 'array', to: 'array', identity: true }, fits)
  }
  const isSet = reader.builtin(object) === 'Set'
  const bases = object.isClassOrInterface() ? checker.getBaseTypes(object) : []
  const list = isSet || checker.isArrayType(object) ? object : bases.find((base) => checker.isArrayType(base))
  const [item] = list === undefined ? [] : reader.typeArguments(list)
  if (item === undefined) return undefined
  const fit = matcher.fit(items, item, isSet ? { ...inner, nameable: false } : inner)
  const from = isSet ? 'set' : 'array'
  return { ...fit, draft: { kind: 'array', items: fit.draft, from, to: 'array', identity: !isSet } }
}

export function resultTuple(
  shape: ShapeOf<'tuple'>,
  object: ts.Type,
  path: PairPath,
  matcher: Matcher,
): Fit | undefined {
  const { reader } = matcher
  const sources = reader.typeArguments(object)
  if (!reader.checker.isTupleType(object) || sources.length !== shape.items.length) return undefined
  const fits = itemFits(matcher, shape.items, sources, path)
  const passes = fits.every((fit) => settlesToPass(fit.draft))
  return passes ? joinFits({ kind: 'pass' }, fits) : failing(reasons.resultTupleConverted(path.label))
}

function wholeTuple(draft: Draft, fits: readonly Fit[], { label }: PairPath): Fit {
  const isWhole = fits.every((fit) => costOf(fit) > 0 || settlesToPass(fit.draft))
  return isWhole ? joinFits(draft, fits) : failing(reasons.tupleConverted(label))
}

function itemFits(
  matcher: Matcher,
  items: readonly Shape[],
  types: readonly ts.Type[],
  path: PairPath,
): readonly Fit[] {
  return types.flatMap((type, index) => {
    const item = items[index]
    return item === undefined ? [] : [matcher.fit(item, type, itemPath(path, 'array', `${path.label}[${index}]`))]
  })
}
