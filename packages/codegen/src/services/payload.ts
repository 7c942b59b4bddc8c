import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape } from '../schema/shape.js'
import {
  bestFit,
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
import { intoObject, plainSource, type SourceFields, undeclaredInto } from './payload-object.js'
import type { Draft, ScalarConversion } from './plan.js'
import { settle } from './settle-plan.js'
import { describeShape, discriminatorAmong, formatOf, literalValues, type ShapeOf, withoutNull } from './shape-views.js'
import { partsOf, type TypeParts } from './type-parts.js'
import {
  type BuiltinName,
  builtinName,
  describeType,
  propertiesOf,
  type TypeReader,
  tupleOf,
  typeArgumentsOf,
} from './types.js'
import { kindsOfShape, unitValues } from './value-kind.js'
import type { FitRules } from './walk.js'

/** More values than this are not tried one by one. */
const mostSplits = 50

/** Rules for comparing payloads with parameters. */
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
  if (parts.deferred.length === 0) return fit
  if (faults(fit) === 0 && parts.deferred.every((each) => isFilter(each, reader))) return fit
  // TypeScript chooses the branch by the type argument that it infers from the call, so a branch that fits proves nothing.
  return failing(
    'TG4116',
    `the type of ${label} in the method, ${describeType(type, reader)}, depends on a type parameter`,
  )
}

/** True for `T extends C ? T : never`: TypeScript infers `T` from the argument itself. */
function isFilter(type: ts.Type, { ts }: TypeReader): boolean {
  if (!('root' in type)) return false
  const { node } = (type as ts.ConditionalType).root
  return node.trueType.getText() === node.checkType.getText() && node.falseType.kind === ts.SyntaxKind.NeverKeyword
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

/** A date, a bigint or bytes of a payload against the type they go to: as they are, else as the text that says the same. */
function fitPayloadTyped(shape: ShapeOf<'typed'>, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const parts = partsOf(type, walk.reader)
  const builtins = new Set(parts.objects.map((object) => builtinName(object, walk.reader)))
  switch (shape.type) {
    case 'Date':
      if (builtins.has('Date')) return passing
      if (parts.string) return fitting({ kind: 'scalar', name: 'dateToDateTime' })
      break
    case 'bigint':
      if (parts.bigint) return passing
      if (parts.string) return fitting({ kind: 'scalar', name: 'bigintToString' })
      break
    case 'Uint8Array':
      // A text could be of any encoding, and a Buffer is more than bytes.
      if (builtins.has('Uint8Array')) return passing
  }
  const label = spoken(spot.label, 'the payload')
  return failing('TG4103', `${label} is ${shape.type}, the method takes ${describeType(type, walk.reader)}`)
}

type Scalar = ShapeOf<'boolean' | 'string' | 'number' | 'literals'>

/** A payload's string, number, boolean or literal against the type it goes to. */
function fitPayloadScalar(shape: Scalar, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const parts = partsOf(type, walk.reader)
  const differ = (): Fit =>
    failing(
      'TG4103',
      `\`${spot.label}\` is ${describeShape(shape)}, the method takes ${describeType(type, walk.reader)}`,
    )
  switch (shape.kind) {
    case 'boolean':
      if (parts.boolean) return passing
      return parts.literals.some(({ value }) => typeof value === 'boolean')
        ? narrower(shape, type, walk, spot)
        : differ()
    case 'number':
      if (parts.number) return passing
      if (parts.bigint && shape.integer) return fitting({ kind: 'scalar', name: 'integerToBigint' })
      if (parts.literals.some(({ value }) => typeof value === 'number')) return narrower(shape, type, walk, spot)
      return differ()
    case 'string':
      return fitString(shape, type, parts, walk, spot) ?? differ()
    default:
      return fitLiterals(shape.values, type, parts, walk) ?? narrower(shape, type, walk, spot)
  }
}

function narrower(shape: Scalar, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const takes = describeType(type, walk.reader)
  return failing('TG4106', `\`${spot.label}\` is ${describeShape(shape)}, the method takes only ${takes}`)
}

function fitString(shape: Scalar, type: ts.Type, parts: TypeParts, walk: Walk, spot: Spot): Fit | undefined {
  if (parts.string) return passing
  const builtins = new Set(parts.objects.map((object) => builtinName(object, walk.reader)))
  const scalar = conversionOfString(formatOf(shape), builtins)
  if (scalar !== undefined) return fitting({ kind: 'scalar', name: scalar })
  const brand = parts.brands.find(({ base }) => base === 'string')
  if (brand !== undefined) {
    return failing('TG4107', `\`${spot.label}\` is a plain string, the method takes ${describeType(type, walk.reader)}`)
  }
  if (builtins.has('Date')) {
    return failing('TG4108', `\`${spot.label}\` goes to a Date, but its format is neither date-time nor date`)
  }
  const isNarrow = parts.templates.length > 0 || parts.literals.some(({ value }) => typeof value === 'string')
  return isNarrow ? narrower(shape, type, walk, spot) : undefined
}

function conversionOfString(
  format: string | undefined,
  builtins: ReadonlySet<BuiltinName | undefined>,
): ScalarConversion | undefined {
  if (format === 'date-time' && builtins.has('Date')) return 'dateTimeToDate'
  if (format === 'date' && builtins.has('Date')) return 'dateToUtcMidnight'
  if (format === 'base64' && builtins.has('Uint8Array')) return 'base64ToBytes'
  if (format === 'uri' && builtins.has('URL')) return 'stringToUrl'
  return undefined
}

/** Every value must be accepted; members of a string enum need a cast. */
function fitLiterals(values: readonly Json[], type: ts.Type, parts: TypeParts, walk: Walk): Fit | undefined {
  const kinds = values.map((value) => literalKind(value, type, parts, walk))
  if (kinds.every((kind) => kind === 'pass')) return passing
  if (kinds.every((kind) => kind === 'bigint')) return fitting({ kind: 'scalar', name: 'integerToBigint' })
  return kinds.every((kind) => kind === 'pass' || kind === 'cast') ? fitting({ kind: 'cast' }) : undefined
}

function literalKind(
  value: Json,
  _type: ts.Type,
  parts: TypeParts,
  walk: Walk,
): 'pass' | 'cast' | 'bigint' | undefined {
  const { checker } = walk.reader
  if (typeof value === 'boolean') {
    return parts.boolean || parts.literals.some((literal) => literal.value === value) ? 'pass' : undefined
  }
  if (typeof value === 'number') {
    if (parts.number) return 'pass'
    if (parts.literals.some((literal) => literal.value === value && !literal.isEnumMember)) return 'pass'
    return parts.bigint && Number.isSafeInteger(value) ? 'bigint' : undefined
  }
  if (typeof value !== 'string') return undefined
  if (parts.string || parts.literals.some((literal) => literal.value === value && !literal.isEnumMember)) return 'pass'
  const literal = checker.getStringLiteralType(value)
  if (parts.templates.some((template) => checker.isTypeAssignableTo(literal, template))) return 'pass'
  return parts.literals.some((each) => each.value === value) ? 'cast' : undefined
}

/** A list or tuple of the payload against the arrays, tuples and Sets that a type allows. */
function fitList(shape: ShapeOf<'array' | 'tuple'>, parts: TypeParts, type: ts.Type, walk: Walk, spot: Spot): Fit {
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
