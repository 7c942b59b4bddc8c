import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape.js'
import { type Draft, type DraftCase, isDateToText, mergeDrafts, settle, settlesToPass } from './draft.js'
import {
  bestFit,
  costOf,
  type Fit,
  type FitRules,
  failing,
  fitting,
  itemPath,
  joinFits,
  type Matcher,
  type PairPath,
  passing,
  withReasons,
} from './matcher.js'
import type { ScalarConversion, ValueKind } from './plan.js'
import { reasons } from './reasons.js'
import { outOfObject, splitResult } from './result-object.js'
import { describeShape, discriminator, formatOf, type ShapeOf, withoutNull } from './shapes.js'
import type { BuiltinName, LiteralPart, TypeParts } from './type-reader.js'

/** The rules by which responses are compared with results. */
export const resultRules: FitRules = {
  whole: 'the answer',
  fit: fitResult,
  guards: (_, type, { reader }) => {
    const parts = reader.parts(type)
    return parts.null || parts.undefined
  },
}

/** Compares a resolved part of the tool's result with the type that the method returns. */
function fitResult(shape: Shape, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const { reader } = matcher
  const parts = reader.parts(type)
  const what = matcher.named(path)
  if (parts.any === 'unresolved') return failing(reasons.unresolved(what))
  if (shape.kind === 'unknown') return fitAnything(type, matcher, path)
  if (parts.open) return failing(reasons.untyped(what, parts.unknown ? 'unknown' : 'any'))
  if (parts.deferred.length > 0) return failing(reasons.deferredResponse(what, reader.describe(type)))
  const { nullable, inner } = withoutNull(shape, (each) => matcher.resolve(each))
  const onlyNull = (of: ts.Type): Fit => failing(reasons.returnsOther(what, reader.describe(of), 'null'))
  if (!parts.null && !parts.undefined) {
    return inner === undefined ? onlyNull(type) : fitParts(inner, parts, type, matcher, path)
  }
  const bare = reader.checker.getNonNullableType(type)
  const isNothing = (bare.flags & reader.ts.TypeFlags.Never) !== 0
  if (nullable && isNothing) return parts.undefined ? fitting({ kind: 'null' }) : passing
  if (nullable && inner === undefined) return onlyNull(bare)
  if (inner === undefined || isNothing) {
    return failing(reasons.returnsOther(what, reader.describe(type), describeShape(shape)))
  }
  const fit = matcher.fit(inner, bare, path)
  if (nullable) {
    const draft: Draft = parts.undefined
      ? { kind: 'orNull', inner: fit.draft }
      : { kind: 'nullable', inner: fit.draft, of: 'null' }
    return { ...fit, draft }
  }
  const doubt = parts.undefined ? reasons.maybeUndefined : reasons.maybeNull
  const of = !parts.undefined ? 'null' : parts.null ? 'both' : 'undefined'
  return withReasons({ ...fit, draft: { kind: 'nullable', inner: fit.draft, of } }, doubt(what, reader.describe(type)))
}

function fitAnything(type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const found = matcher.reader.notJson(type)
  return found === undefined ? passing : failing(reasons.holdsNoJson(matcher.named(path), found))
}

interface Alternative {
  readonly fit: Fit
  readonly kind: ValueKind
  readonly object?: ts.Type
}

/** Every alternative of the response must fit the tool's result, and all by the same transform or by a discriminator. */
function fitParts(shape: Shape, parts: TypeParts, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const { reader } = matcher
  const alternatives = withoutSharedLacks(alternativesOf(shape, parts, matcher, path))
  const [first, ...others] = alternatives
  if (first === undefined) {
    return failing(reasons.returnsOther(matcher.named(path), reader.describe(type), describeShape(shape)))
  }
  if (others.length === 0) return first.fit
  const possible = alternatives.filter(({ fit }) => costOf(fit) < 100)
  if (possible.length > 0 && possible.length < alternatives.length) {
    // Where some alternatives fit as they are, the result codec can decide at run time.
    const draft = sharedDraft(alternatives)
    if (draft !== undefined || possible.every(({ fit }) => keepsBytes(fit.draft))) {
      return failing(reasons.onlySomeFit(matcher.named(path), reader.describe(type)), draft)
    }
  }
  const fits = alternatives.map(({ fit }) => fit)
  const drafts = fits.map(({ draft }) => draft)
  if (drafts.some(({ kind }) => kind === 'cast') && drafts.every(({ kind }) => kind === 'cast' || kind === 'pass')) {
    return joinFits({ kind: 'cast' }, fits)
  }
  // The runtime's helper takes a `string | Date`.
  const dated = drafts.find(isDateToText)
  const isDateOrText = drafts.every((draft) => draft.kind === 'pass' || isDateToText(draft))
  if (isDateOrText && dated !== undefined && parts.literals.length === 0) return joinFits(dated, fits)

  const objects = alternatives.flatMap(({ object }) => object ?? [])
  const names = objects[0] === undefined ? [] : reader.properties(objects[0]).map(({ name }) => name)
  const valuesOf = (object: ts.Type, name: string) => reader.literalsOf(object, name)
  const field = discriminator(names, objects, valuesOf)
  const cases = alternatives.map(({ fit, kind, object }): DraftCase => {
    const values = field === undefined || object === undefined ? undefined : valuesOf(object, field)
    return { kinds: [kind], values: values ?? [], draft: fit.draft }
  })
  return joinFits({ kind: 'choice', field, cases, splitsField: false }, fits)
}

/** Drops the reason that an alternative lacks an optional field where another alternative has it. */
function withoutSharedLacks(alternatives: readonly Alternative[]): readonly Alternative[] {
  const objects = alternatives.filter(({ kind }) => kind === 'object')
  const isSomewhere = (field: string): boolean =>
    objects.some((other) => !other.fit.reasons.some(({ lacks }) => lacks === field))
  return alternatives.map((alternative) => {
    const left = alternative.fit.reasons.filter(({ lacks }) => lacks === undefined || !isSomewhere(lacks))
    return { ...alternative, fit: { ...alternative.fit, reasons: left } }
  })
}

/** Takes what each object has of the result, where those that do not fit only lack fields of it. */
function sharedDraft(alternatives: readonly Alternative[]): Draft | undefined {
  const isPartial = ({ fit, kind }: Alternative): boolean =>
    kind === 'object' &&
    fit.draft.kind === 'object' &&
    fit.reasons.every(({ code, weight }) => weight !== 'hard' || code === 'TG4200')
  return alternatives.every(isPartial) ? mergeDrafts(alternatives.map(({ fit }) => fit.draft)) : undefined
}

/** Returns true when the transform only leaves fields out, which the result codec does as well. */
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
      return settlesToPass(draft)
  }
}

function alternativesOf(shape: Shape, parts: TypeParts, matcher: Matcher, path: PairPath): readonly Alternative[] {
  // A union keeps another one inside where that has a discriminator.
  const variantsOf = (each: Shape): readonly Shape[] =>
    each.kind === 'union' ? each.variants.flatMap((variant) => variantsOf(matcher.resolve(variant))) : [each]
  const targets = variantsOf(shape)
  const perTarget = targets.map((target) => fitScalars(target, parts, matcher, path))
  const scalars = (perTarget[0] ?? []).map(({ kind }, index) => ({
    kind,
    fit: bestFit(perTarget.flatMap((fits) => fits[index]?.fit ?? [])) ?? passing,
  }))
  const at = parts.objects.length * targets.length > 1 ? { ...path, nameable: false } : path
  // Without a discriminator, an undeclared field may make a second variant of a `oneOf` match.
  const choosesOne = shape.kind === 'union' && shape.discriminator === undefined && Object.hasOwn(shape.schema, 'oneOf')
  const objects = parts.objects.map((object) => {
    const fit = fitTargets(targets, object, matcher, at)
    const { draft } = fit
    const isSurplus = choosesOne && draft.kind === 'object' && draft.identity === 'surplus'
    return {
      object,
      kind: matcher.reader.kindOfObject(object),
      fit: isSurplus ? { ...fit, draft: { ...draft, identity: false } } : fit,
    }
  })
  return [...scalars, ...objects]
}

/** Compares one object type of the response with the alternatives of the tool. */
function fitTargets(targets: readonly Shape[], object: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const best = bestFit(targets.map((target) => fitObjectType(target, object, matcher, path))) ?? passing
  if (costOf(best) === 0 || targets.length < 2) return best
  return splitResult(targets, object, matcher, path) ?? best
}

function fitObjectType(shape: Shape, object: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const { reader } = matcher
  if (shape.kind === 'unknown') return fitAnything(object, matcher, path)
  const what = matcher.named(path)
  const builtin = reader.builtin(object)
  const scalar = builtin === undefined ? undefined : fitBuiltin(builtin, shape, what)
  if (scalar !== undefined) return scalar
  const differ = (): Fit => failing(reasons.returnsOther(what, reader.describe(object), describeShape(shape)))
  if (shape.kind === 'array') return fitItems(shape.items, object, matcher, path) ?? differ()
  if (shape.kind === 'tuple') return fitTuple(shape, object, matcher, path) ?? differ()
  if (shape.kind !== 'object' || builtin === 'Set' || reader.isList(object)) return differ()
  if (reader.isCallable(object)) return failing(reasons.aFunction(what))
  const record = fitRecord(shape, object, builtin === 'Map', matcher, path)
  return record ?? (builtin === 'Map' ? differ() : outOfObject(shape, object, matcher, path))
}

/** Compares the scalars of a type with one variant of the tool's result (no union, no null), kind by kind. */
function fitScalars(
  shape: Shape,
  parts: TypeParts,
  matcher: Matcher,
  path: PairPath,
): readonly { readonly kind: ValueKind; readonly fit: Fit }[] {
  const what = matcher.named(path)
  const fits: { kind: ValueKind; fit: Fit }[] = []
  for (const kind of ['string', 'number', 'boolean'] as const) {
    const literals = parts.literals.filter(({ value }) => typeof value === kind)
    const isOpen = parts[kind] || parts.brands.includes(kind) || (kind === 'string' && parts.templates.length > 0)
    if (isOpen) fits.push({ kind, fit: fromOpen(kind, shape, what) })
    else if (literals.length > 0) fits.push({ kind, fit: fromLiterals(kind, literals, shape, what) })
  }
  if (parts.bigint || parts.brands.includes('bigint')) fits.push({ kind: 'bigint', fit: fromBigint(shape, what) })
  if (parts.others.length > 0) fits.push({ kind: 'object', fit: failing(reasons.noJson(what)) })
  return fits
}

function differ(type: string, shape: Shape, what: string): Fit {
  return failing(reasons.returnsOther(what, type, describeShape(shape)))
}

function fromOpen(kind: 'string' | 'number' | 'boolean', shape: Shape, what: string): Fit {
  // An integer is a number to TypeScript; the result codec refuses a fraction.
  if (shape.kind === kind) return passing
  const allowed = shape.kind === 'literals' ? shape.values.filter((value) => typeof value === kind) : []
  if (kind === 'boolean' && allowed.length === 2) return passing
  return allowed.length > 0 ? failing(reasons.anyOfKind(what, kind, describeShape(shape))) : differ(kind, shape, what)
}

function fromLiterals(kind: string, literals: readonly LiteralPart[], shape: Shape, what: string): Fit {
  if (shape.kind === 'number' && shape.integer) {
    return literals.every(({ value }) => Number.isInteger(value)) ? passing : differ(kind, shape, what)
  }
  if (shape.kind === kind) return passing
  if (shape.kind !== 'literals') return differ(kind, shape, what)
  const extra = literals.filter(({ value }) => !shape.values.includes(value))
  const draft: Draft = { kind: literals.some(({ isEnumMember }) => isEnumMember) ? 'cast' : 'pass' }
  if (extra.length === 0) return fitting(draft)
  if (extra.length === literals.length && !shape.values.some((value) => typeof value === kind)) {
    return differ(kind, shape, what)
  }
  const shown = extra.slice(0, 4).map(({ value }) => JSON.stringify(value))
  const more = extra.length > shown.length ? ` and ${extra.length - shown.length} more` : ''
  return failing(reasons.otherValues(what, `${shown.join(', ')}${more}`), draft)
}

function fromBigint(shape: Shape, what: string): Fit {
  if (shape.kind === 'typed' && shape.type === 'bigint') return passing
  return shape.kind === 'string' ? fitting({ kind: 'scalar', name: 'bigintToString' }) : differ('bigint', shape, what)
}

/** The built-in objects that become strings of certain formats; `undefined` stands for none. */
const builtinForms: readonly (readonly [name: BuiltinName, format: string | undefined, to: ScalarConversion])[] = [
  ['Date', undefined, 'dateToDateTime'],
  ['Date', 'date-time', 'dateToDateTime'],
  ['Uint8Array', 'base64', 'bytesToBase64'],
  ['Buffer', 'base64', 'bytesToBase64'],
  ['URL', undefined, 'urlToString'],
  ['URL', 'uri', 'urlToString'],
]

/** A built-in object stays the same or becomes a string; undefined for a Set or Map that is no string. */
function fitBuiltin(name: BuiltinName, shape: Shape, what: string): Fit | undefined {
  const differs = (): Fit => differ(name === 'other' ? 'a built-in object' : name, shape, what)
  if (name === 'Promise') return failing(reasons.nestedPromise(what))
  if (shape.kind === 'typed') {
    return name === shape.type || (name === 'Buffer' && shape.type === 'Uint8Array') ? passing : differs()
  }
  if (shape.kind !== 'string') return name === 'Set' || name === 'Map' ? undefined : differs()
  const form = builtinForms.find((each) => each[0] === name && each[1] === formatOf(shape))
  if (form !== undefined) return fitting({ kind: 'scalar', name: form[2] })
  return name === 'Date' ? failing(reasons.dateAsOther(what, describeShape(shape))) : differs()
}

/** Compares a record of the tool with a Map or an index signature; undefined where the type is neither. */
function fitRecord(
  { additional, fields }: ShapeOf<'object'>,
  object: ts.Type,
  isMap: boolean,
  matcher: Matcher,
  path: PairPath,
): Fit | undefined {
  const { reader } = matcher
  if (additional === undefined || fields.length > 0) return undefined
  const [keys, mapped] = isMap ? reader.typeArguments(object) : []
  if (isMap && (keys === undefined || (keys.flags & reader.ts.TypeFlags.StringLike) === 0)) return undefined
  const isPlain = !isMap && reader.properties(object).length === 0
  const values = isPlain ? reader.stringIndex(object) : mapped
  if (values === undefined) return undefined
  const inner = itemPath(path, 'record')
  const fit = matcher.fit(additional, values, isMap ? { ...inner, nameable: false } : inner)
  return { ...fit, draft: { kind: 'record', values: fit.draft, from: isMap ? 'map' : 'record', to: 'record' } }
}

/** Compares a list of the tool with an array, a tuple, a Set or a type that extends Array; undefined for any other. */
function fitItems(items: Shape, object: ts.Type, matcher: Matcher, path: PairPath): Fit | undefined {
  const { reader } = matcher
  const { checker } = reader
  const inner = itemPath(path, 'array')
  if (checker.isTupleType(object)) {
    const fits = reader.typeArguments(object).map((item) => matcher.fit(items, item, inner))
    const [first] = fits
    if (first === undefined) return passing
    const [text, ...texts] = fits.map(({ draft }) => JSON.stringify(settle(draft).conversion))
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

/** Compares a tuple of the tool with a tuple of the same length, item by item without conversions. */
function fitTuple(shape: ShapeOf<'tuple'>, object: ts.Type, matcher: Matcher, path: PairPath): Fit | undefined {
  const sources = matcher.reader.checker.isTupleType(object) ? matcher.reader.typeArguments(object) : undefined
  if (sources?.length !== shape.items.length) return undefined
  const fits = shape.items.map((item, index) => {
    const source = sources[index]
    return source === undefined
      ? passing
      : matcher.fit(item, source, itemPath(path, 'array', `${path.label}[${index}]`))
  })
  return fits.every((fit) => settlesToPass(fit.draft))
    ? joinFits({ kind: 'pass' }, fits)
    : failing(reasons.resultTupleConverted(path.label))
}
