import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape } from '../schema/shape.js'
import { type Draft, settlesToPass } from './draft.js'
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
} from './matcher.js'
import { intoObject, type SourceFields, undeclaredInto } from './payload-object.js'
import type { ScalarConversion } from './plan.js'
import { reasons } from './reasons.js'
import {
  describeShape,
  discriminator,
  formatOf,
  kindsOfShape,
  literalValues,
  type ShapeOf,
  withoutNull,
} from './shapes.js'
import type { TypeParts, TypeReader } from './type-reader.js'

/** Maximum number of values of a field that are tried one by one. */
const maxSplits = 50

/** The rules by which payloads are compared with parameters. */
export const payloadRules: FitRules = {
  whole: 'the payload',
  fit: fitPayload,
  guards: (shape, _, matcher) => {
    const { nullable, inner } = withoutNull(shape, (each) => matcher.resolve(each))
    return nullable && inner !== undefined
  },
}

/** Compares a resolved part of a payload with its target type. */
function fitPayload(shape: Shape, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const { reader } = matcher
  const parts = reader.parts(type)
  if (parts.any === 'unresolved') return failing(reasons.unresolved(matcher.named(path)))
  if (parts.open || shape.kind === 'never') return passing
  const fit = fitClosed(shape, parts, type, matcher, path)
  if (parts.deferred.length === 0) return fit
  if (costOf(fit) === 0 && parts.deferred.every((each) => isFilter(each, reader))) return fit
  // TypeScript chooses the branch by the type argument that it infers from the call, so a branch that fits proves nothing.
  return failing(reasons.typeParameter(matcher.named(path), reader.describe(type)))
}

/** Returns true for `T extends C ? T : never`: TypeScript infers `T` from the argument itself. */
function isFilter(type: ts.Type, { ts }: TypeReader): boolean {
  if (!('root' in type)) return false
  const { node } = (type as ts.ConditionalType).root
  return node.trueType.getText() === node.checkType.getText() && node.falseType.kind === ts.SyntaxKind.NeverKeyword
}

function fitClosed(shape: Shape, parts: TypeParts, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const takes = (): string => matcher.reader.describe(type)
  const { nullable, inner } = withoutNull(shape, (each) => matcher.resolve(each))
  if (nullable) {
    if (!parts.null) return failing(reasons.nullable(matcher.named(path), takes()))
    if (inner === undefined) return passing
    const fit = matcher.fit(inner, type, path)
    return { ...fit, draft: { kind: 'nullable', inner: fit.draft, of: 'null' } }
  }
  switch (shape.kind) {
    case 'union':
      return fitVariants(shape, type, matcher, path)
    case 'object': {
      const { fields, additional } = shape
      return fitObject({ fields, additional, rename: new Map(), constants: new Map() }, type, matcher, path)
    }
    case 'array':
    case 'tuple':
      return fitList(shape, parts, type, matcher, path)
    case 'typed':
      return fitTyped(shape, parts, type, matcher, path)
    case 'boolean':
    case 'string':
    case 'number':
    case 'literals':
      return fitScalar(shape, parts, type, matcher, path)
    default:
      return failing(reasons.anyJson(matcher.named(path), takes()))
  }
}

/** Every variant of the payload must find its target. */
function fitVariants(shape: ShapeOf<'union'>, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const resolve = (each: Shape): Shape => matcher.resolve(each)
  const objects = shape.variants.map(resolve).filter((variant) => variant.kind === 'object')
  const names = objects[0]?.fields.map(({ name }) => name) ?? []
  const valuesOf = (variant: Shape, name: string): readonly Json[] | undefined => literalValues(variant, name, resolve)
  const field = shape.discriminator ?? discriminator(names, objects, valuesOf)
  const fits = shape.variants.map((variant) =>
    matcher.fit(variant, type, { ...path, nameable: false, depth: path.depth + 1 }),
  )
  const cases = shape.variants.map((variant, index) => ({
    kinds: kindsOfShape(variant, resolve),
    values: (field === undefined ? undefined : valuesOf(resolve(variant), field)) ?? [],
    draft: (fits[index] ?? passing).draft,
  }))
  return joinFits({ kind: 'choice', field, cases, splitsField: false }, fits)
}

/** Compares fields with a type that may be a union: chooses the alternative that is proven and uses most of them. */
export function fitObject(source: SourceFields, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const { reader } = matcher
  const targets = reader.parts(type).objects.filter((object) => !reader.isList(object))
  const at = targets.length > 1 ? { ...path, nameable: false } : path
  const best = bestFit(targets.map((target) => intoTarget(source, target, targets, matcher, at)))
  if (best === undefined) return failing(reasons.takesOther(matcher.named(path), 'an object', reader.describe(type)))
  if (costOf(best) === 0 || targets.length < 2) return best
  return splitByField(source, targets, matcher, at) ?? best
}

/** Tries one alternative of a union: the others may declare a field that this one only accepts. */
function intoTarget(
  plain: SourceFields,
  target: ts.Type,
  targets: readonly ts.Type[],
  matcher: Matcher,
  path: PairPath,
): Fit {
  const { reader } = matcher
  const alternatives = targets.filter(
    (other) => other !== target && reader.builtin(other) === undefined && !isExcluded(other, plain, matcher),
  )
  const source =
    alternatives.length === 0
      ? plain
      : { ...plain, others: { parameters: plain.others?.parameters ?? [], alternatives } }
  const { additional } = source
  const isRecord = source.fields.length === 0 && additional !== undefined
  const builtin = reader.builtin(target)
  if (builtin === 'Map' && isRecord) {
    const [keys, values] = reader.typeArguments(target)
    if (keys === undefined || values === undefined) return passing
    const { string, open } = reader.parts(keys)
    if (!string && !open) return failing(reasons.takesOtherKeys(matcher.named(path), reader.describe(target)))
    const fit = matcher.fit(additional, values, { ...itemPath(path, 'record'), nameable: false })
    return { ...fit, draft: { kind: 'record', values: fit.draft, from: 'record', to: 'map' } }
  }
  if (builtin !== undefined) {
    return failing(reasons.takesOther(matcher.named(path), 'an object', reader.describe(target)))
  }
  const index = reader.stringIndex(target)
  const properties = reader.properties(target)
  if (index !== undefined && isRecord && source.constants.size === 0 && properties.every(({ optional }) => optional)) {
    const fit = matcher.fit(additional, index, itemPath(path, 'record'))
    const refused = undeclaredInto(properties, additional, fit.draft, matcher, path)
    return refused ?? { ...fit, draft: { kind: 'record', values: fit.draft, from: 'record', to: 'record' } }
  }
  return intoObject(source, target, matcher, path)
}

/** Returns true for an alternative with a literal that a field of the payload never has. */
function isExcluded(alternative: ts.Type, { fields }: SourceFields, matcher: Matcher): boolean {
  return fields.some((field) => {
    const shape = matcher.resolve(field.shape)
    if (shape.kind !== 'literals') return false
    const values = matcher.reader.literalsOf(alternative, field.name)
    return values !== undefined && !values.some((value) => shape.values.includes(value))
  })
}

/** `role: 'system' | 'user'` into one alternative for each role: proven value by value. */
function splitByField(
  source: SourceFields,
  targets: readonly ts.Type[],
  matcher: Matcher,
  path: PairPath,
): Fit | undefined {
  for (const field of source.fields) {
    const shape = matcher.resolve(field.shape)
    if (!field.required || shape.kind !== 'literals') continue
    if (shape.values.length < 2 || shape.values.length > maxSplits) continue
    const fits = shape.values.map((value) => {
      const narrowed = { ...field, shape: { ...shape, values: [value] } }
      const one = { ...source, fields: source.fields.map((each) => (each === field ? narrowed : each)) }
      const best = bestFit(targets.map((target) => intoTarget(one, target, targets, matcher, path)))
      return best ?? failing(reasons.fitsNoAlternative(path.label))
    })
    if (fits.some((fit) => costOf(fit) > 0)) continue
    const cases = fits.map(({ draft }, index) => ({ kinds: [], values: shape.values.slice(index, index + 1), draft }))
    return joinFits({ kind: 'choice', field: field.name, cases, splitsField: true }, fits)
  }
  return undefined
}

/** A date, a bigint or bytes of a payload go as they are, else as the text that says the same. */
function fitTyped(shape: ShapeOf<'typed'>, parts: TypeParts, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const builtins = parts.objects.map((object) => matcher.reader.builtin(object))
  // A text could be of any encoding, so that bytes have no other form.
  if (shape.type === 'bigint' ? parts.bigint : builtins.includes(shape.type)) return passing
  if (shape.type === 'Date' && parts.string) return fitting({ kind: 'scalar', name: 'dateToDateTime' })
  if (shape.type === 'bigint' && parts.string) return fitting({ kind: 'scalar', name: 'bigintToString' })
  return failing(reasons.takesOther(matcher.named(path), shape.type, matcher.reader.describe(type)))
}

/** The formats of strings that a built-in type takes in another form. */
const stringForms: readonly (readonly [format: string, builtin: string, name: ScalarConversion])[] = [
  ['date-time', 'Date', 'dateTimeToDate'],
  ['date', 'Date', 'dateToUtcMidnight'],
  ['base64', 'Uint8Array', 'base64ToBytes'],
  ['uri', 'URL', 'stringToUrl'],
]

/** Compares a string, number, boolean or literal of a payload with its target type. */
function fitScalar(
  shape: ShapeOf<'boolean' | 'string' | 'number' | 'literals'>,
  parts: TypeParts,
  type: ts.Type,
  matcher: Matcher,
  { label }: PairPath,
): Fit {
  const takes = (): string => matcher.reader.describe(type)
  const takesOther = (): Fit => failing(reasons.takesOther(`\`${label}\``, describeShape(shape), takes()))
  const narrower = (): Fit => failing(reasons.narrower(label, describeShape(shape), takes()))
  const { kind } = shape
  if (kind === 'literals') return fitLiterals(shape.values, parts, matcher) ?? narrower()
  if (parts[kind]) return passing
  if (kind === 'number' && parts.bigint && shape.integer) return fitting({ kind: 'scalar', name: 'integerToBigint' })
  if (kind === 'string') {
    const builtins = parts.objects.map((object) => matcher.reader.builtin(object))
    const form = stringForms.find(
      ([format, name]) => format === formatOf(shape) && builtins.some((each) => each === name),
    )
    if (form !== undefined) return fitting({ kind: 'scalar', name: form[2] })
    if (parts.brands.includes('string')) return failing(reasons.branded(label, takes()))
    if (builtins.includes('Date')) return failing(reasons.dateOfOtherFormat(label))
    if (parts.templates.length > 0) return narrower()
  }
  return parts.literals.some(({ value }) => typeof value === kind) ? narrower() : takesOther()
}

/** Every value must be accepted; members of a string enum need a cast. */
function fitLiterals(values: readonly Json[], parts: TypeParts, { reader }: Matcher): Fit | undefined {
  const forms = new Set(
    values.map((value): 'pass' | 'cast' | 'bigint' | 'none' => {
      const literals = parts.literals.filter((literal) => literal.value === value)
      const isExact = literals.some(({ isEnumMember }) => !isEnumMember)
      switch (typeof value) {
        case 'boolean':
          return parts.boolean || literals.length > 0 ? 'pass' : 'none'
        case 'number':
          if (parts.number || isExact) return 'pass'
          return parts.bigint && Number.isSafeInteger(value) ? 'bigint' : 'none'
        case 'string': {
          if (parts.string || isExact) return 'pass'
          const literal = reader.checker.getStringLiteralType(value)
          if (parts.templates.some((template) => reader.checker.isTypeAssignableTo(literal, template))) return 'pass'
          return literals.length > 0 ? 'cast' : 'none'
        }
        default:
          return 'none'
      }
    }),
  )
  if (forms.has('none') || (forms.has('bigint') && forms.size > 1)) return undefined
  if (forms.has('bigint')) return fitting({ kind: 'scalar', name: 'integerToBigint' })
  return forms.has('cast') ? fitting({ kind: 'cast' }) : passing
}

/** Compares an array or tuple of the payload with the arrays, tuples and Sets that a type allows. */
function fitList(
  shape: ShapeOf<'array' | 'tuple'>,
  parts: TypeParts,
  type: ts.Type,
  matcher: Matcher,
  path: PairPath,
): Fit {
  const { reader } = matcher
  const best = bestFit(
    parts.objects.flatMap((target) => {
      if (reader.checker.isTupleType(target)) return [intoTuple(shape, target, matcher, path)]
      const isSet = reader.builtin(target) === 'Set'
      const [item] = isSet || reader.checker.isArrayType(target) ? reader.typeArguments(target) : []
      if (item === undefined) return []
      // The payload's arrays are readonly: one that may be changed must be a copy.
      const identity = target.getSymbol()?.name === 'ReadonlyArray'
      const draft = { kind: 'array', from: 'array', to: isSet ? 'set' : 'array', identity } as const
      return [intoItems(shape, item, draft, matcher, path)]
    }),
  )
  if (best !== undefined) return best
  const takes = reader.describe(type)
  const isIterable = parts.objects.some((object) => /Iterable|Iterator|ArrayLike/.test(object.getSymbol()?.name ?? ''))
  if (isIterable) return failing(reasons.takesIterable(path.label, takes))
  return failing(reasons.takesOther(matcher.named(path), describeShape(shape), takes))
}

function intoItems(
  shape: ShapeOf<'array' | 'tuple'>,
  item: ts.Type,
  draft: Omit<Draft & { readonly kind: 'array' }, 'items'>,
  matcher: Matcher,
  path: PairPath,
): Fit {
  const inner = { ...itemPath(path, 'array'), nameable: path.nameable && draft.to === 'array' }
  if (shape.kind === 'array') {
    const fit = matcher.fit(shape.items, item, inner)
    return { ...fit, draft: { ...draft, items: fit.draft } }
  }
  const items = [...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])]
  const fits = items.map((each) => matcher.fit(each, item, inner))
  if (!fits.every(passesWhole)) return failing(reasons.tupleConverted(path.label))
  return joinFits({ ...draft, items: { kind: 'pass' } }, fits)
}

function passesWhole(fit: Fit): boolean {
  return costOf(fit) > 0 || settlesToPass(fit.draft)
}

function intoTuple(shape: ShapeOf<'array' | 'tuple'>, target: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const { reader } = matcher
  const items = reader.typeArguments(target)
  const isExact = shape.kind === 'tuple' && shape.rest === undefined && shape.required === shape.items.length
  if (!isExact || shape.items.length !== items.length) {
    return failing(reasons.takesTuple(path.label, describeShape(shape), reader.describe(target)))
  }
  const fits = items.map((item, index) => {
    const source = shape.items[index]
    return source === undefined
      ? passing
      : matcher.fit(source, item, itemPath(path, 'array', `${path.label}[${index}]`))
  })
  if (!fits.every(passesWhole)) return failing(reasons.tupleConverted(path.label))
  const identity = reader.tuple(target)?.readonly === true
  return joinFits({ kind: 'array', items: { kind: 'pass' }, from: 'array', to: 'array', identity }, fits)
}
