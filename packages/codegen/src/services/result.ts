import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape.js'
import {
  bestFit,
  doubtful,
  type Fit,
  failing,
  faults,
  fitting,
  itemSpot,
  joinFits,
  passing,
  type Spot,
  spoken,
  type Walk,
} from './match.js'
import { type Draft, type DraftCase, isDateToText, mergedDraft, type ValueKind } from './plan.js'
import { outOfObject, splitResult } from './result-object.js'
import { settle } from './settle-plan.js'
import { describeShape, formatOf, withoutNull } from './shape-views.js'
import { type LiteralPart, partsOf, type TypeParts } from './type-parts.js'
import { type BuiltinName, builtinName, describeType, type TypeReader, typeArgumentsOf } from './types.js'
import { discriminatorOf, kindOfObject, notJson, unitValues } from './value-kind.js'
import type { FitRules } from './walk.js'

/** Rules for comparing responses with results. */
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

/** Returns a fit that the result codec checks at run time, if some alternatives fit unchanged. */
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

/** Fit of the scalars of one kind. */
interface ScalarFit {
  readonly kind: ValueKind
  readonly fit: Fit
}

/** Compares the scalars of a response with one variant of the tool's result (without unions and null). */
function fitResultScalars(shape: Shape, parts: TypeParts, spot: Spot): readonly ScalarFit[] {
  const brands = (base: string): boolean => parts.brands.some((brand) => brand.base === base)
  const literals = (type: string): readonly LiteralPart[] => parts.literals.filter(({ value }) => typeof value === type)
  const fits: ScalarFit[] = []
  for (const kind of ['string', 'number', 'boolean'] as const) {
    const isOpen = parts[kind] || brands(kind) || (kind === 'string' && parts.templates.length > 0)
    if (isOpen) fits.push({ kind, fit: fromOpen(kind, shape, spot) })
    else if (literals(kind).length > 0) fits.push({ kind, fit: fromLiterals(kind, literals(kind), shape, spot) })
  }
  if (parts.bigint || brands('bigint')) fits.push({ kind: 'bigint', fit: fromBigint(shape, spot) })
  if (parts.others.length > 0) {
    const nothing = failing('TG4214', `${spoken(spot.label, 'the answer')} is nothing that JSON carries`)
    fits.push({ kind: 'object', fit: nothing })
  }
  return fits
}

function fromOpen(type: 'string' | 'number' | 'boolean', shape: Shape, spot: Spot): Fit {
  // An integer is a number to TypeScript; the result codec refuses a fraction.
  if (shape.kind === type) return passing
  if (shape.kind === 'literals') {
    const allowed = shape.values.filter((value) => typeof value === type)
    if (type === 'boolean' && allowed.length === 2) return passing
    if (allowed.length > 0) {
      return doubtful(
        'TG4206',
        `${spoken(spot.label, 'the answer')} is any ${type} where the tool allows ${describeShape(shape)}`,
      )
    }
  }
  return differ(type, shape, spot)
}

function fromLiterals(type: string, literals: readonly LiteralPart[], shape: Shape, spot: Spot): Fit {
  if (shape.kind === 'number' && shape.integer) {
    const whole = literals.every(({ value }) => Number.isInteger(value))
    return whole ? passing : differ(type, shape, spot)
  }
  if (shape.kind === type) return passing
  if (shape.kind !== 'literals') return differ(type, shape, spot)
  const extra = literals.filter(({ value }) => !shape.values.includes(value))
  const draft = literals.some(({ isEnumMember }) => isEnumMember)
    ? ({ kind: 'cast' } as const)
    : ({ kind: 'pass' } as const)
  if (extra.length === 0) return fitting(draft)
  if (extra.length === literals.length && !shape.values.some((value) => typeof value === type)) {
    return differ(type, shape, spot)
  }
  const shown = extra.slice(0, 4).map(({ value }) => JSON.stringify(value))
  const more = extra.length > shown.length ? ` and ${extra.length - shown.length} more` : ''
  const found = `${spoken(spot.label, 'the answer')} may be ${shown.join(', ')}${more}, which the tool does not allow`
  return doubtful('TG4206', found, draft)
}

function fromBigint(shape: Shape, spot: Spot): Fit {
  if (shape.kind === 'typed' && shape.type === 'bigint') return passing
  return shape.kind === 'string' ? fitting({ kind: 'scalar', name: 'bigintToString' }) : differ('bigint', shape, spot)
}

/** A built-in object that stays what it is or becomes a string; undefined where there is no such conversion. */
function fitResultBuiltin(name: BuiltinName, shape: Shape, spot: Spot): Fit | undefined {
  const label = spoken(spot.label, 'the answer')
  if (name === 'Promise') return failing('TG4209', `${label} is a promise inside the answer; nothing awaits it`)
  if (shape.kind === 'typed') {
    const isSame = name === shape.type || (name === 'Buffer' && shape.type === 'Uint8Array')
    return isSame ? passing : differ(name === 'other' ? 'a built-in object' : name, shape, spot)
  }
  if (shape.kind !== 'string') {
    return name === 'Set' || name === 'Map'
      ? undefined
      : differ(name === 'other' ? 'a built-in object' : name, shape, spot)
  }
  const format = formatOf(shape)
  if (name === 'Date' && (format === undefined || format === 'date-time')) {
    return fitting({ kind: 'scalar', name: 'dateToDateTime' })
  }
  if (name === 'Date') return failing('TG4208', `${label} is a Date where the tool says ${describeShape(shape)}`)
  if ((name === 'Uint8Array' || name === 'Buffer') && format === 'base64') {
    return fitting({ kind: 'scalar', name: 'bytesToBase64' })
  }
  if (name === 'URL' && (format === undefined || format === 'uri'))
    return fitting({ kind: 'scalar', name: 'urlToString' })
  return differ(name === 'other' ? 'a built-in object' : name, shape, spot)
}

function differ(type: string, shape: Shape, spot: Spot): Fit {
  return failing('TG4203', `${spoken(spot.label, 'the answer')} is ${type} where the tool says ${describeShape(shape)}`)
}

/** A record of the tool out of a Map or an index signature; undefined where the type is neither. */
function fitRecord(
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
function fitItems(items: Shape, object: ts.Type, walk: Walk, spot: Spot): Fit | undefined {
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
function fitTuple(shape: Shape & { readonly kind: 'tuple' }, object: ts.Type, walk: Walk, spot: Spot): Fit | undefined {
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
