import type { ts } from 'ts-morph'
import type { Shape } from '../../schema/shape/shape.js'
import {
  bestFit,
  doubtful,
  type Fit,
  failing,
  faults,
  fitting,
  joinFits,
  passing,
  type Spot,
  spoken,
  type Walk,
} from '../match/fit.js'
import { describeShape, withoutNull } from '../match/shape-views.js'
import type { FitRules } from '../match/walk.js'
import { type Draft, type DraftCase, isDateToText, mergedDraft } from '../plan/draft.js'
import type { ValueKind } from '../plan/plan.js'
import { settle } from '../plan/settle.js'
import { discriminatorOf, unitValues } from '../types/discriminator.js'
import { notJson } from '../types/json-safe.js'
import { partsOf, type TypeParts } from '../types/type-parts.js'
import { builtinName, describeType, type TypeReader } from '../types/type-reader.js'
import { kindOfObject } from '../types/value-kind.js'
import { fitItems, fitRecord, fitTuple } from './result-list.js'
import { outOfObject } from './result-object.js'
import { fitResultBuiltin, fitResultScalars } from './result-scalar.js'
import { splitResult } from './result-split.js'

/** How answers are compared with results. */
export const resultRules: FitRules = {
  fit: fitResult,
  guards: (_, type, { reader }) => {
    const parts = partsOf(type, reader)
    return parts.null || parts.undefined
  },
}

/** A part of the tool's result against the type that the method answers. The shape is resolved. */
function fitResult(shape: Shape, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const { reader, resolve } = walk
  const parts = partsOf(type, reader)
  const label = spoken(spot.label, 'the answer')
  if (parts.any === 'unresolved') return failing('TG4003', `the type of ${label} in the method cannot be resolved`)
  if (shape.kind === 'unknown') return fitAnything(type, label, walk)
  if (parts.any !== undefined || parts.unknown) {
    return doubtful('TG4201', `${label} is typed ${parts.unknown ? 'unknown' : 'any'} by the method`)
  }
  if (parts.deferred.length > 0) {
    return doubtful('TG4216', `the type of ${label}, ${describeType(type, reader)}, depends on a type parameter`)
  }
  const { nullable, inner } = withoutNull(shape, resolve)
  if (!parts.null && !parts.undefined)
    return inner === undefined ? onlyNull(label, type, walk) : fitParts(inner, parts, type, walk, spot)
  const bare = reader.checker.getNonNullableType(type)
  const isNothing = (bare.flags & reader.ts.TypeFlags.Never) !== 0
  if (nullable && (isNothing || inner === undefined)) {
    if (!isNothing) return onlyNull(label, bare, walk)
    return parts.undefined ? fitting({ kind: 'null' }) : passing
  }
  if (inner === undefined || isNothing) {
    return failing('TG4203', `${label} is ${describeType(type, reader)} where the tool says ${describeShape(shape)}`)
  }
  const fit = walk.fit(inner, bare, spot)
  if (nullable) {
    const draft: Draft = parts.undefined
      ? { kind: 'orNull', inner: fit.draft }
      : { kind: 'nullable', inner: fit.draft, of: 'null' }
    return { ...fit, draft }
  }
  const says = describeType(type, reader)
  const soft = parts.undefined
    ? doubtful('TG4202', `${label} may be undefined (${says}), the tool requires it`)
    : doubtful('TG4204', `${label} may be null (${says}), the tool does not allow null`)
  const of = !parts.undefined ? 'null' : parts.null ? 'both' : 'undefined'
  return { ...fit, draft: { kind: 'nullable', inner: fit.draft, of }, findings: [...fit.findings, ...soft.findings] }
}

function onlyNull(label: string, type: ts.Type, { reader }: Walk): Fit {
  return failing('TG4203', `${label} is ${describeType(type, reader)} where the tool says null`)
}

function fitAnything(type: ts.Type, label: string, { reader }: Walk): Fit {
  const found = notJson(type, reader)
  return found === undefined ? passing : failing('TG4214', `${label} holds ${found}, which JSON does not carry`)
}

interface Alternative {
  readonly fit: Fit
  readonly kind: ValueKind
  readonly object?: ts.Type
}

/** Every alternative of the answer must fit the tool's result, and all by the same transform or by a discriminator. */
function fitParts(shape: Shape, parts: TypeParts, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const alternatives = withoutSharedLacks(alternativesOf(shape, parts, walk, spot))
  const [first, ...others] = alternatives
  if (first === undefined) {
    return failing(
      'TG4203',
      `${spoken(spot.label, 'the answer')} is ${describeType(type, walk.reader)} where the tool says ${describeShape(shape)}`,
    )
  }
  if (others.length === 0) return first.fit
  const doubt = onlySomeFit(alternatives, type, walk, spot)
  if (doubt !== undefined) return doubt
  const fits = alternatives.map(({ fit }) => fit)
  const kinds = new Set(fits.map(({ draft }) => draft.kind))
  if (kinds.has('cast') && [...kinds].every((kind) => kind === 'cast' || kind === 'pass'))
    return joinFits({ kind: 'cast' }, fits)
  // The runtime's helper takes a `string | Date`.
  const isDateOrText = fits.every(({ draft }) => draft.kind === 'pass' || isDateToText(draft))
  const dated = fits.find(({ draft }) => isDateToText(draft))
  if (isDateOrText && dated !== undefined && parts.literals.length === 0) return joinFits(dated.draft, fits)
  return joinFits(choiceOf(alternatives, walk.reader), fits)
}

/** An optional field that one alternative never has is no fault where another one has it. */
function withoutSharedLacks(alternatives: readonly Alternative[]): readonly Alternative[] {
  const isLacking = ({ fit }: Alternative, field: string): boolean => fit.findings.some(({ lacks }) => lacks === field)
  const objects = alternatives.filter(({ kind }) => kind === 'object')
  const isSomewhere = (field: string): boolean => objects.some((other) => !isLacking(other, field))
  return alternatives.map((alternative) => {
    const findings = alternative.fit.findings.filter(({ lacks }) => lacks === undefined || !isSomewhere(lacks))
    return { ...alternative, fit: { ...alternative.fit, findings } }
  })
}

function choiceOf(alternatives: readonly Alternative[], reader: TypeReader): Draft {
  const objects = alternatives.flatMap(({ object }) => object ?? [])
  const field = discriminatorOf(objects, reader)
  const cases = alternatives.map(({ fit, kind, object }): DraftCase => {
    const values = field === undefined || object === undefined ? undefined : unitValues(object, field, reader)
    return { kinds: [kind], values: values ?? [], draft: fit.draft }
  })
  return { kind: 'choice', field, cases, splitsField: false }
}

/** Where some alternatives fit as they are, the result codec can tell at run time. */
function onlySomeFit(alternatives: readonly Alternative[], type: ts.Type, walk: Walk, spot: Spot): Fit | undefined {
  const fitting = alternatives.filter(({ fit }) => faults(fit) < 100)
  if (fitting.length === 0 || fitting.length === alternatives.length) return undefined
  const draft = sharedDraft(alternatives)
  if (draft === undefined && !fitting.every(({ fit }) => keepsBytes(fit.draft))) return undefined
  const message = `${spoken(spot.label, 'the answer')} is ${describeType(type, walk.reader)}; only some of it is what the tool says`
  return doubtful('TG4210', message, draft)
}

/** Takes what each object has of the result, where those that do not fit only lack fields of it. */
function sharedDraft(alternatives: readonly Alternative[]): Draft | undefined {
  const isObject = ({ fit, kind }: Alternative): boolean => kind === 'object' && fit.draft.kind === 'object'
  const onlyLacks = ({ fit }: Alternative): boolean =>
    fit.findings.every(({ code, weight }) => weight !== 'hard' || code === 'TG4200')
  if (!alternatives.every((each) => isObject(each) && onlyLacks(each))) return undefined
  const [first, ...others] = alternatives.map(({ fit }) => fit.draft)
  return others.reduce<Draft | undefined>((known, other) => known && mergedDraft(known, other), first)
}

/** True when the transform only leaves fields out, which the result codec does as well. */
function keepsBytes(draft: Draft): boolean {
  switch (draft.kind) {
    case 'pass':
    case 'cast':
      return true
    case 'object':
      return draft.fields.every(
        ({ from, to, presence, conversion }) => from === to && presence !== 'omitNull' && keepsBytes(conversion),
      )
    case 'array':
      return draft.from === draft.to && keepsBytes(draft.items)
    case 'nullable':
      return keepsBytes(draft.inner)
    default:
      return settle(draft).conversion.kind === 'pass'
  }
}

function alternativesOf(shape: Shape, parts: TypeParts, walk: Walk, spot: Spot): readonly Alternative[] {
  const targets = variantsOf(shape, walk)
  const perTarget = targets.map((target) => fitResultScalars(target, parts, spot))
  const scalars = (perTarget[0] ?? []).map(({ kind }, index) => ({
    kind,
    fit: bestFit(perTarget.flatMap((fits) => fits[index]?.fit ?? [])) ?? passing,
  }))
  const at = parts.objects.length * targets.length > 1 ? { ...spot, nameable: false } : spot
  const objects = parts.objects.map((object) => ({
    object,
    kind: kindOfObject(object, walk.reader),
    fit: choosesOne(shape)
      ? withoutSurplus(fitTargets(targets, object, walk, at))
      : fitTargets(targets, object, walk, at),
  }))
  return [...scalars, ...objects]
}

/** The alternatives of a shape; a union keeps another one inside where that has a discriminator. */
function variantsOf(shape: Shape, walk: Walk): readonly Shape[] {
  return shape.kind === 'union' ? shape.variants.flatMap((variant) => variantsOf(walk.resolve(variant), walk)) : [shape]
}

/** True for a `oneOf` without a discriminator: an undeclared field may make a second variant match. */
function choosesOne(shape: Shape): boolean {
  return shape.kind === 'union' && shape.discriminator === undefined && Object.hasOwn(shape.schema, 'oneOf')
}

function withoutSurplus(fit: Fit): Fit {
  const { draft } = fit
  return draft.kind === 'object' && draft.identity === 'surplus'
    ? { ...fit, draft: { ...draft, identity: false } }
    : fit
}

/** One object type of the answer against the alternatives of the tool. */
function fitTargets(targets: readonly Shape[], object: ts.Type, walk: Walk, spot: Spot): Fit {
  const best = bestFit(targets.map((target) => fitObjectType(target, object, walk, spot))) ?? passing
  if (faults(best) === 0 || targets.length < 2) return best
  return splitResult(targets, object, walk, spot) ?? best
}

function fitObjectType(shape: Shape, object: ts.Type, walk: Walk, spot: Spot): Fit {
  const { reader } = walk
  if (shape.kind === 'unknown') return fitAnything(object, spoken(spot.label, 'the answer'), walk)
  const builtin = builtinName(object, reader)
  const scalar = builtin === undefined ? undefined : fitResultBuiltin(builtin, shape, spot)
  if (scalar !== undefined) return scalar
  const label = spoken(spot.label, 'the answer')
  const differ = (): Fit =>
    failing('TG4203', `${label} is ${describeType(object, reader)} where the tool says ${describeShape(shape)}`)
  if (shape.kind === 'array') return fitItems(shape.items, object, walk, spot) ?? differ()
  if (shape.kind === 'tuple') return fitTuple(shape, object, walk, spot) ?? differ()
  if (shape.kind !== 'object' || builtin === 'Set') return differ()
  if (reader.checker.isArrayType(object) || reader.checker.isTupleType(object)) return differ()
  if (reader.checker.getSignaturesOfType(object, reader.ts.SignatureKind.Call).length > 0) {
    return failing('TG4205', `${label} is a function, not data`)
  }
  return (
    fitRecord(shape, object, builtin === 'Map', walk, spot) ??
    (builtin === 'Map' ? differ() : outOfObject(shape, object, walk, spot))
  )
}
