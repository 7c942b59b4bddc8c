import type { ts } from 'ts-morph'
import type { Shape } from '../../schema/shape/shape.js'
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
import { discriminatorAmong, literalValues, type ShapeOf, withoutNull } from '../match/shape-views.js'
import type { FitRules } from '../match/walk.js'
import type { Draft } from '../plan/draft.js'
import { unitValues } from '../types/discriminator.js'
import { partsOf, type TypeParts } from '../types/type-parts.js'
import { builtinName, describeType, propertiesOf, typeArgumentsOf } from '../types/type-reader.js'
import { kindsOfShape } from '../types/value-kind.js'
import { fitList } from './payload-list.js'
import { intoObject, plainSource, type SourceFields, undeclaredInto } from './payload-object.js'
import { fitPayloadScalar } from './payload-scalar.js'
import { fitPayloadTyped } from './payload-typed.js'

/** More values than this are not tried one by one. */
const mostSplits = 50

/** How payloads are compared with parameters. */
export const payloadRules: FitRules = {
  fit: fitPayload,
  guards: (shape, _, { resolve }) => {
    const { nullable, inner } = withoutNull(shape, resolve)
    return nullable && inner !== undefined
  },
}

/** A part of a payload against the type it goes to. The shape is resolved. */
function fitPayload(shape: Shape, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const { reader } = walk
  const parts = partsOf(type, reader)
  const label = spoken(spot.label, 'the payload')
  if (parts.any === 'unresolved') return failing('TG4003', `the type of ${label} in the method cannot be resolved`)
  if (parts.any !== undefined || parts.unknown || shape.kind === 'never') return passing
  const fit = fitKnown(shape, parts, type, walk, spot)
  if (parts.deferred.length === 0 || faults(fit) === 0) return fit
  return failing(
    'TG4116',
    `the type of ${label} in the method, ${describeType(type, reader)}, depends on a type parameter`,
  )
}

/** A part of a payload against what is known of the type it goes to. */
function fitKnown(shape: Shape, parts: TypeParts, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const { reader, resolve } = walk
  const label = spoken(spot.label, 'the payload')
  const { nullable, inner } = withoutNull(shape, resolve)
  if (nullable) {
    if (!parts.null) return failing('TG4104', `${label} may be null, the method takes ${describeType(type, reader)}`)
    if (inner === undefined) return passing
    const fit = walk.fit(inner, type, spot)
    return { ...fit, draft: { kind: 'nullable', inner: fit.draft, of: 'null' } }
  }
  switch (shape.kind) {
    case 'union':
      return fitVariants(shape, type, walk, spot)
    case 'object':
      return fitObject(plainSource(shape), type, walk, spot)
    case 'array':
    case 'tuple':
      return fitList(shape, parts, type, walk, spot)
    case 'typed':
      return fitPayloadTyped(shape, type, walk, spot)
    case 'boolean':
    case 'string':
    case 'number':
    case 'literals':
      return fitPayloadScalar(shape, type, walk, spot)
    default:
      return failing('TG4114', `${label} may be any JSON, the method takes ${describeType(type, reader)}`)
  }
}

/** Every variant of the payload must find its place. */
function fitVariants(shape: ShapeOf<'union'>, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const field = shape.discriminator ?? discriminatorAmong(shape.variants, walk.resolve)
  const found = shape.variants.map((variant) => {
    const values = field === undefined ? undefined : literalValues(walk.resolve(variant), field, walk.resolve)
    const kinds = kindsOfShape(variant, walk.resolve)
    const fit = walk.fit(variant, type, { ...spot, nameable: false, depth: spot.depth + 1 })
    return { kinds, values: values ?? [], fit }
  })
  const cases = found.map(({ fit, ...each }) => ({ ...each, draft: fit.draft }))
  const draft: Draft = { kind: 'choice', field, cases, splitsField: false }
  return joinFits(
    draft,
    found.map(({ fit }) => fit),
  )
}

/** Fields against a type that may be a union: the alternative that is proven and uses most of them. */
export function fitObject(source: SourceFields, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const parts = partsOf(type, walk.reader)
  const targets = parts.objects.filter((object) => !isList(object, walk))
  const at = targets.length > 1 ? { ...spot, nameable: false } : spot
  const fits = targets.map((target) => intoCandidate(among(targets, target, source, walk), target, walk, at))
  const best = bestFit(fits)
  if (best === undefined) {
    return failing(
      'TG4103',
      `${spoken(spot.label, 'the payload')} is an object, the method takes ${describeType(type, walk.reader)}`,
    )
  }
  if (faults(best) === 0 || targets.length < 2) return best
  return splitByField(source, targets, walk, at) ?? best
}

/** The source for one alternative of a union: the others may declare a field that this one only accepts. */
function among(targets: readonly ts.Type[], target: ts.Type, source: SourceFields, walk: Walk): SourceFields {
  const alternatives = targets.filter(
    (other) => other !== target && builtinName(other, walk.reader) === undefined && !isExcluded(other, source, walk),
  )
  if (alternatives.length === 0) return source
  return { ...source, others: { parameters: source.others?.parameters ?? [], alternatives } }
}

/** True for an alternative with a literal that a field of the payload never has. */
function isExcluded(alternative: ts.Type, { fields }: SourceFields, walk: Walk): boolean {
  return fields.some((field) => {
    const shape = walk.resolve(field.shape)
    const values = shape.kind === 'literals' ? unitValues(alternative, field.name, walk.reader) : undefined
    return values !== undefined && shape.kind === 'literals' && !values.some((value) => shape.values.includes(value))
  })
}

function isList(type: ts.Type, { reader }: Walk): boolean {
  return reader.checker.isArrayType(type) || reader.checker.isTupleType(type)
}

function intoCandidate(source: SourceFields, target: ts.Type, walk: Walk, spot: Spot): Fit {
  const { checker, ts } = walk.reader
  const builtin = builtinName(target, walk.reader)
  if (builtin === 'Map' && source.fields.length === 0 && source.additional !== undefined) {
    const [keys, values] = typeArgumentsOf(target, walk.reader)
    if (keys === undefined || values === undefined) return passing
    if (!takesText(keys, walk)) {
      const takes = describeType(target, walk.reader)
      return failing(
        'TG4103',
        `the keys of ${spoken(spot.label, 'the payload')} are strings, the method takes ${takes}`,
      )
    }
    const fit = walk.fit(source.additional, values, { ...itemSpot(spot, 'record'), nameable: false })
    return { ...fit, draft: { kind: 'record', values: fit.draft, from: 'record', to: 'map' } }
  }
  if (builtin !== undefined) {
    return failing(
      'TG4103',
      `${spoken(spot.label, 'the payload')} is an object, the method takes ${describeType(target, walk.reader)}`,
    )
  }
  const index = checker.getIndexInfosOfType(target).find(({ keyType }) => (keyType.flags & ts.TypeFlags.String) !== 0)
  if (
    index !== undefined &&
    source.fields.length === 0 &&
    source.constants.size === 0 &&
    source.additional !== undefined
  ) {
    if (checker.getPropertiesOfType(target).every((property) => (property.flags & ts.SymbolFlags.Optional) !== 0)) {
      const fit = walk.fit(source.additional, index.type, itemSpot(spot, 'record'))
      const refused = undeclaredInto(propertiesOf(target, walk.reader), source.additional, fit.draft, walk, spot)
      if (refused !== undefined) return refused
      return { ...fit, draft: { kind: 'record', values: fit.draft, from: 'record', to: 'record' } }
    }
  }
  return intoObject(source, target, walk, spot)
}

/** True for a type to which every string goes. */
function takesText(type: ts.Type, { reader }: Walk): boolean {
  const parts = partsOf(type, reader)
  return parts.string || parts.unknown || parts.any !== undefined
}

/** `role: 'system' | 'user'` into one alternative for each role: proven value by value. */
function splitByField(source: SourceFields, targets: readonly ts.Type[], walk: Walk, spot: Spot): Fit | undefined {
  for (const field of source.fields) {
    const shape = walk.resolve(field.shape)
    if (!field.required || shape.kind !== 'literals') continue
    if (shape.values.length < 2 || shape.values.length > mostSplits) continue
    const found = shape.values.map((value) => {
      const narrowed = { ...field, shape: { ...shape, values: [value] } }
      const fields = source.fields.map((each) => (each === field ? narrowed : each))
      const fit = bestFit(
        targets.map((target) => intoCandidate(among(targets, target, { ...source, fields }, walk), target, walk, spot)),
      )
      return { value, fit: fit ?? failing('TG4110', `\`${spot.label}\` fits no alternative`) }
    })
    if (found.some(({ fit }) => faults(fit) > 0)) continue
    const cases = found.map(({ value, fit }) => ({ kinds: [], values: [value], draft: fit.draft }))
    return joinFits(
      { kind: 'choice', field: field.name, cases, splitsField: true },
      found.map(({ fit }) => fit),
    )
  }
  return undefined
}
