import type { ts } from 'ts-morph'
import type { Shape, ShapeField } from '../schema/shape.js'
import { type Draft, type DraftField, settlesToPass } from './draft.js'
import {
  bestFit,
  costOf,
  type Fit,
  failing,
  fieldPath,
  joinFits,
  labelBelow,
  type Matcher,
  type PairPath,
  withReasons,
} from './matcher.js'
import { matchNames, nearestNames } from './names.js'
import type { FieldConversion } from './plan.js'
import { reasons } from './reasons.js'
import { literalValues, type ShapeOf, withoutNull } from './shapes.js'
import { isSymbolNamed, type Property, type TypeReader } from './type-reader.js'

interface FieldFit {
  /** Absent when nothing is written. */
  readonly draft?: DraftField
  readonly fit: Fit
  readonly identity: boolean
}

/** Takes the tool's fields out of one object type of the method's response. */
export function outOfObject(shape: ShapeOf<'object'>, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const { reader } = matcher
  const { additional } = shape
  const byName = new Map(reader.visibleProperties(type).map((property) => [property.name, property]))
  const index = reader.stringIndex(type)
  const names = shape.fields.map(({ name }) => name)
  const pairs = matchNames([...byName.keys()], names)
  const sources = new Map([...pairs].map(([source, field]) => [field, source]))
  const spare = [...byName.values()].filter(({ name }) => !pairs.has(name))
  const fits = shape.fields.map((field): FieldFit => {
    const property = byName.get(sources.get(field.name) ?? '')
    if (property !== undefined) return outOfProperty(field, property, matcher, path)
    if (index !== undefined) return outOfIndex(field, index, matcher, path)
    const label = labelBelow(path, field.name)
    const near = nearestNames(
      field.name,
      spare.map(({ name }) => name),
    )
    const lack = field.required ? reasons.lackingField : reasons.neverPresent
    return { fit: failing(lack(label, reader.describe(type), near)), identity: false }
  })
  const rest = additional === undefined ? [] : spare.map((property) => undeclared(property, additional, matcher, path))
  if (index !== undefined && additional !== undefined) {
    const below = { ...path, label: `${path.label}[string]`, depth: path.depth + 1 }
    const fit = matcher.fit(additional, index, below)
    const passes = fit.reasons.length > 0 || settlesToPass(fit.draft)
    rest.push(passes ? fit : failing(reasons.undeclaredResultConverted(matcher.named(path))))
  }
  const draft: Draft = {
    kind: 'object',
    fields: fits.flatMap((each) => each.draft ?? []),
    rest: additional !== undefined,
    identity: fits.every(({ identity }) => identity) && identityOf(shape, type, spare, reader),
  }
  return {
    ...joinFits(draft, [...fits.map(({ fit }) => fit), ...rest]),
    used: fits.reduce((sum, { fit, draft: made }) => sum + fit.used + (made === undefined ? 0 : 1), 0),
  }
}

function outOfProperty(field: ShapeField, property: Property, matcher: Matcher, at: PairPath): FieldFit {
  const path = fieldPath(at, property.name, field.name, field.name)
  const type = property.type()
  const noData = noDataIn(type, path.label, matcher.reader)
  if (noData !== undefined) return { fit: noData, identity: false }
  const { fit, presence, identity } = slot(field, type, property.optional, matcher, path)
  return {
    draft: { from: property.name, to: field.name, conversion: fit.draft, presence },
    fit,
    identity: identity && property.name === field.name,
  }
}

/** Fails for a property that is a function or a promise. */
function noDataIn(type: ts.Type, label: string, reader: TypeReader): Fit | undefined {
  for (const object of reader.parts(type).objects) {
    if (reader.isCallable(object)) return failing(reasons.aMethod(label))
    const then = reader.propertyType(object, 'then')
    if (reader.builtin(object) === 'Promise' || (then !== undefined && reader.isCallable(then))) {
      return failing(reasons.nestedPromise(`\`${label}\``))
    }
  }
  return undefined
}

/** Fills a field of the tool from a property or index signature that may lack the value. */
function slot(
  field: ShapeField,
  type: ts.Type,
  optional: boolean,
  matcher: Matcher,
  path: PairPath,
): { readonly fit: Fit; readonly presence: FieldConversion['presence']; readonly identity: boolean } {
  const { reader } = matcher
  const parts = reader.parts(type)
  const isNeeded = field.required && field.default === undefined
  if (parts.open || parts.deferred.length > 0) {
    const presence = isNeeded ? 'required' : 'omit'
    return { fit: matcher.fit(field.shape, type, path), presence, identity: isNeeded || optional }
  }
  const { nullable } = withoutNull(matcher.resolve(field.shape), (shape) => matcher.resolve(shape))
  const mayLack = optional || parts.undefined
  const fit = matcher.fit(field.shape, reader.checker.getNonNullableType(type), path)
  const around = (of: 'null' | 'undefined' | 'both'): Fit => ({
    ...fit,
    draft: { kind: 'nullable', inner: fit.draft, of },
  })
  const guarded = parts.null && nullable ? around('null') : fit
  if (!isNeeded) {
    if (parts.null && !nullable) return { fit, presence: 'omitNull', identity: false }
    return { fit: guarded, presence: mayLack ? 'omit' : 'required', identity: optional || !parts.undefined }
  }
  if (mayLack && nullable) {
    return { fit: { ...fit, draft: { kind: 'orNull', inner: fit.draft } }, presence: 'required', identity: false }
  }
  if (!mayLack && (!parts.null || nullable)) return { fit: guarded, presence: 'required', identity: true }
  const doubt = mayLack ? reasons.fieldMaybeUndefined : reasons.fieldMaybeNull
  return {
    fit: withReasons(
      around(!mayLack ? 'null' : parts.null ? 'both' : 'undefined'),
      doubt(path.label, reader.describe(type)),
    ),
    presence: mayLack ? 'undefined' : 'required',
    identity: true,
  }
}

function outOfIndex(field: ShapeField, type: ts.Type, matcher: Matcher, at: PairPath): FieldFit {
  const path = fieldPath(at, field.name, field.name, field.name)
  const { fit, presence } = slot({ ...field, required: false }, type, true, matcher, path)
  const draft = { from: field.name, to: field.name }
  if (!field.required || field.default !== undefined) {
    return { draft: { ...draft, conversion: fit.draft, presence }, fit, identity: false }
  }
  const conversion: Draft = { kind: 'nullable', inner: fit.draft, of: 'both' }
  return {
    draft: { ...draft, conversion, presence: 'undefined' },
    fit: withReasons(fit, reasons.fromIndex(path.label)),
    identity: false,
  }
}

/** Compares an undeclared field of an open result: it is kept as it is. */
function undeclared(property: Property, additional: Shape, matcher: Matcher, at: PairPath): Fit {
  const path = fieldPath(at, property.name, property.name, property.name)
  const type = property.type()
  const noData = noDataIn(type, path.label, matcher.reader)
  if (noData !== undefined) return noData
  const bare = property.optional ? matcher.reader.checker.getNonNullableType(type) : type
  const fit = matcher.fit(additional, bare, path)
  if (fit.reasons.length > 0 || fit.draft.kind === 'pass') return fit
  return failing(reasons.undeclaredFieldConverted(path.label))
}

/** Keywords under which the result codec drops every undeclared field. */
const silentKeywords: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'title', 'description', '$comment', 'default', 'examples', 'deprecated'],
  ...['readOnly', 'writeOnly'],
])

/**
 * Decides if the object itself could be the result. `surplus`: the codec drops its undeclared fields instead of refusing,
 * counting or keeping them. The codec takes no instance of a class.
 */
function identityOf(
  { additional, schema }: ShapeOf<'object'>,
  type: ts.Type,
  spare: readonly Property[],
  reader: TypeReader,
): boolean | 'surplus' {
  const hasIndex = reader.stringIndex(type) !== undefined
  if (type.isClass()) return false
  if (additional !== undefined) return hasIndex || hasImplicitIndex(type, reader)
  if (spare.length === 0 && !hasIndex) return true
  const dropsUndeclared = Object.keys(schema).every((keyword) => silentKeywords.has(keyword))
  return dropsUndeclared && isPlainBeside(type, spare, reader) ? 'surplus' : false
}

/** Returns true for types without a name of their own: the compiler accepts them for an index signature. */
function hasImplicitIndex(type: ts.Type, { ts }: TypeReader): boolean {
  const members = type.isIntersection() ? type.types : [type]
  const literal = ts.SymbolFlags.TypeLiteral | ts.SymbolFlags.ObjectLiteral
  return members.every((member) => ((member.getSymbol()?.flags ?? 0) & literal) !== 0)
}

/** Maximum number of types in undeclared fields: a larger response is better reduced before the codec copies it. */
const maxSurplusTypes = 100

/**
 * Returns true when an object of this type, with its undeclared fields, can be handed to the codec as it is: a plain
 * object whose undeclared fields are JSON, few, and do not lead back to an object that they are part of.
 */
function isPlainBeside(type: ts.Type, undeclaredFields: readonly Property[], reader: TypeReader): boolean {
  const { Method, GetAccessor, SetAccessor } = reader.ts.SymbolFlags
  const isPlainMember = (property: Property): boolean =>
    (property.symbol.flags & (Method | GetAccessor | SetAccessor)) === 0 &&
    !isSymbolNamed(property) &&
    !reader.isHidden(property.symbol)
  const indexed = (object: ts.Type): readonly ts.Type[] =>
    reader.checker.getIndexInfosOfType(object).map((info) => info.type)
  let left = maxSurplusTypes
  const isPlain = (each: ts.Type, within: readonly ts.Type[]): boolean => {
    left -= 1
    const parts = reader.parts(each)
    if (left < 0 || parts.open || parts.bigint || parts.deferred.length > 0 || parts.others.length > 0) return false
    return parts.objects.every((object) => {
      if (within.includes(object)) return false
      const inner = [...within, object]
      if (reader.isList(object)) return reader.typeArguments(object).every((item) => isPlain(item, inner))
      if (reader.isCallable(object) || object.isClass() || reader.builtin(object) !== undefined) return false
      const properties = reader.properties(object)
      if (!properties.every(isPlainMember)) return false
      return [...properties.map((property) => property.type()), ...indexed(object)].every((one) => isPlain(one, inner))
    })
  }
  return (
    reader.properties(type).every(isPlainMember) &&
    [...indexed(type), ...undeclaredFields.map((property) => property.type())].every((each) => isPlain(each, [type]))
  )
}

/**
 * Compares one object type whose field has several literals with alternatives of the tool that each allow some of them:
 * every value must find an alternative. Undefined where one does not.
 */
export function splitResult(
  targets: readonly Shape[],
  object: ts.Type,
  matcher: Matcher,
  path: PairPath,
): Fit | undefined {
  const objects = targets.filter((target) => target.kind === 'object')
  for (const name of new Set(objects.flatMap(({ fields }) => fields.map((field) => field.name)))) {
    const values = matcher.reader.literalsOf(object, name)
    if (values === undefined || values.length < 2) continue
    const fits = values.flatMap((value) => {
      const allowing = objects.filter((target) =>
        literalValues(target, name, (shape) => matcher.resolve(shape))?.includes(value),
      )
      const fit = bestFit(
        allowing.map((target) => outOfObject(allowingAll(target, name, values), object, matcher, path)),
      )
      return fit === undefined || costOf(fit) > 0 ? [] : [fit]
    })
    if (fits.length < values.length) continue
    const cases = fits.map(({ draft }, index) => ({ kinds: [], values: values.slice(index, index + 1), draft }))
    return joinFits({ kind: 'choice', field: name, cases, splitsField: true }, fits)
  }
  return undefined
}

/** Widens a field to all its values: the value is allowed in this alternative, though its type says more. */
function allowingAll(target: ShapeOf<'object'>, name: string, values: readonly (string | number | boolean)[]) {
  const fields = target.fields.map((field) =>
    field.name === name
      ? { ...field, shape: { kind: 'literals' as const, values, schema: field.shape.schema } }
      : field,
  )
  return { ...target, fields }
}
