import type { ts } from 'ts-morph'
import type { Shape, ShapeField } from '../schema/shape.js'
import {
  bestFit,
  doubtful,
  type Fit,
  failing,
  faults,
  fieldSpot,
  joinFits,
  type Spot,
  spoken,
  type Walk,
} from './match.js'
import { matchNames, nearestNames } from './match-fields.js'
import type { Draft, DraftField, FieldConversion } from './plan.js'
import { settle } from './settle-plan.js'
import { literalValues, withoutNull } from './shape-views.js'
import { partsOf, type TypeParts } from './type-parts.js'
import {
  builtinName,
  describeType,
  isHidden,
  isSymbolNamed,
  type PropertyView,
  propertiesOf,
  type TypeReader,
  typeArgumentsOf,
} from './types.js'
import { unitValues } from './value-kind.js'

type ObjectShape = Shape & { readonly kind: 'object' }

interface FieldFit {
  /** Absent when nothing is written. */
  readonly draft?: DraftField
  readonly fit: Fit
  readonly identity: boolean
}

/** Takes the tool's fields out of one object type of the method's answer. */
export function outOfObject(shape: ObjectShape, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const { checker, ts } = walk.reader
  const properties = propertiesOf(type, walk.reader).filter(
    (property) => !isSymbolNamed(property) && !isHidden(property, walk.reader),
  )
  const byName = new Map(properties.map((property) => [property.name, property]))
  const index = checker.getIndexInfosOfType(type).find(({ keyType }) => (keyType.flags & ts.TypeFlags.String) !== 0)
  const sources = new Map<string, string>()
  const names = shape.fields.map(({ name }) => name)
  for (const [source, field] of matchNames([...byName.keys()], names)) sources.set(field, source)
  const spare = [...byName.keys()].filter((name) => ![...sources.values()].includes(name))
  const fits = shape.fields.map((field): FieldFit => {
    const property = byName.get(sources.get(field.name) ?? '')
    if (property !== undefined) return outOfProperty(field, property, walk, spot)
    return index === undefined
      ? { fit: missing(field, type, spare, walk, spot), identity: false }
      : outOfIndex(field, index.type, walk, spot)
  })
  const others = shape.additional === undefined ? [] : spare
  const rest = others.map((name) => travelling(name, byName, shape.additional, walk, spot))
  if (index !== undefined && shape.additional !== undefined) {
    rest.push(travellingUndeclared(shape.additional, index.type, walk, spot))
  }
  return {
    ...joinFits(
      {
        kind: 'object',
        fields: fits.flatMap(({ draft }) => (draft === undefined ? [] : [draft])),
        rest: shape.additional !== undefined,
        identity: fits.every(({ identity }) => identity) && identityOf(shape, type, spare, walk),
      },
      [...fits.map(({ fit }) => fit), ...rest],
    ),
    used: fits.reduce((sum, { fit, draft }) => sum + fit.used + (draft === undefined ? 0 : 1), 0),
  }
}

/** Returns whether the object itself can be the result. The codec accepts no class instances. */
function identityOf(shape: ObjectShape, type: ts.Type, spare: readonly string[], walk: Walk): boolean | 'surplus' {
  const { checker, ts } = walk.reader
  const hasIndex = checker.getIndexInfosOfType(type).some(({ keyType }) => (keyType.flags & ts.TypeFlags.String) !== 0)
  if (type.isClass()) return false
  if (shape.additional !== undefined) return hasIndex || hasImplicitIndex(type, walk.reader)
  if (spare.length === 0 && !hasIndex) return true
  return dropsUndeclared(shape) && isPlainBeside(type, spare, walk.reader) ? 'surplus' : false
}

function outOfProperty(field: ShapeField, property: PropertyView, walk: Walk, spot: Spot): FieldFit {
  const inner = fieldSpot(spot, property.name, field.name, field.name)
  const type = property.type()
  const found = member(type, inner.label, walk)
  if (found !== undefined) return { fit: found, identity: false }
  const { fit, presence, identity } = slot(field, type, property.optional, walk, inner)
  return {
    draft: { from: property.name, to: field.name, conversion: fit.draft, presence },
    fit,
    identity: identity && property.name === field.name,
  }
}

/** A function or a promise where data is wanted. */
function member(type: ts.Type, label: string, { reader }: Walk): Fit | undefined {
  const { checker, ts } = reader
  for (const object of partsOf(type, reader).objects) {
    if (checker.getSignaturesOfType(object, ts.SignatureKind.Call).length > 0) {
      return failing('TG4205', `\`${label}\` is a method of the answer, not data`)
    }
    if (builtinName(object, reader) === 'Promise' || isThenable(object, reader.checker)) {
      return failing('TG4209', `\`${label}\` is a promise inside the answer; nothing awaits it`)
    }
  }
  return undefined
}

function isThenable(type: ts.Type, checker: ts.TypeChecker): boolean {
  const then = checker.getPropertyOfType(type, 'then')
  return then !== undefined && checker.getTypeOfSymbol(then).getCallSignatures().length > 0
}

function slot(
  field: ShapeField,
  type: ts.Type,
  optional: boolean,
  walk: Walk,
  spot: Spot,
): { readonly fit: Fit; readonly presence: FieldConversion['presence']; readonly identity: boolean } {
  const { reader, resolve } = walk
  const parts = partsOf(type, reader)
  const { nullable } = withoutNull(resolve(field.shape), resolve)
  const mayMiss = field.required && field.default === undefined
  const mayLack = optional || parts.undefined
  if (parts.any !== undefined || parts.unknown || parts.deferred.length > 0) {
    return {
      fit: walk.fit(field.shape, type, spot),
      presence: mayMiss ? 'required' : 'omit',
      identity: mayMiss || optional,
    }
  }
  const fit = walk.fit(field.shape, reader.checker.getNonNullableType(type), spot)
  const withNull = guardNull(fit, parts, nullable)
  if (!mayMiss) {
    if (parts.null && !nullable) return { fit, presence: 'omitNull', identity: false }
    return { fit: withNull, presence: mayLack ? 'omit' : 'required', identity: optional || !parts.undefined }
  }
  if (mayLack && nullable) {
    return { fit: { ...fit, draft: { kind: 'orNull', inner: fit.draft } }, presence: 'required', identity: false }
  }
  if (!mayLack && (!parts.null || nullable)) return { fit: withNull, presence: 'required', identity: true }
  const says = describeType(type, reader)
  const soft = mayLack
    ? doubtful('TG4202', `\`${spot.label}\` may be undefined in the answer (${says}), the tool requires it`)
    : doubtful('TG4204', `\`${spot.label}\` may be null in the answer (${says}), the tool does not allow null`)
  const of = !mayLack ? 'null' : parts.null ? 'both' : 'undefined'
  const draft: Draft = { kind: 'nullable', inner: fit.draft, of }
  return {
    fit: { ...fit, draft, findings: [...fit.findings, ...soft.findings] },
    presence: mayLack ? 'undefined' : 'required',
    identity: true,
  }
}

function guardNull(fit: Fit, parts: TypeParts, nullable: boolean): Fit {
  return parts.null && nullable ? { ...fit, draft: { kind: 'nullable', inner: fit.draft, of: 'null' } } : fit
}

function missing(field: ShapeField, type: ts.Type, spare: readonly string[], walk: Walk, spot: Spot): Fit {
  const label = spot.label === '' ? field.name : `${spot.label}.${field.name}`
  const near = nearestNames(field.name, spare)
  const where = describeType(type, walk.reader)
  if (field.required) return failing('TG4200', `required tool field \`${label}\` is not in ${where}`, near)
  const fit = failing(
    'TG4212',
    `optional tool field \`${label}\` is not in ${where}, so that it would never be there`,
    near,
  )
  return { ...fit, findings: fit.findings.map((finding) => ({ ...finding, lacks: label })) }
}

function outOfIndex(field: ShapeField, type: ts.Type, walk: Walk, spot: Spot): FieldFit {
  const inner = fieldSpot(spot, field.name, field.name, field.name)
  const { fit, presence } = slot({ ...field, required: false }, type, true, walk, inner)
  const needed = field.required && field.default === undefined
  const soft = doubtful(
    'TG4213',
    `required tool field \`${inner.label}\` comes from an index signature and may be missing`,
  )
  return {
    draft: {
      from: field.name,
      to: field.name,
      conversion: needed ? { kind: 'nullable', inner: fit.draft, of: 'both' } : fit.draft,
      presence: needed ? 'undefined' : presence,
    },
    fit: needed ? { ...fit, findings: [...fit.findings, ...soft.findings] } : fit,
    identity: false,
  }
}

/** An undeclared field of an open result: it travels along as it is. */
function travelling(
  name: string,
  byName: ReadonlyMap<string, PropertyView>,
  additional: Shape | undefined,
  walk: Walk,
  spot: Spot,
): Fit {
  const property = byName.get(name)
  if (property === undefined || additional === undefined) return joinFits({ kind: 'pass' }, [])
  const inner = fieldSpot(spot, name, name, name)
  const type = property.type()
  const found = member(type, inner.label, walk)
  if (found !== undefined) return found
  const fit = walk.fit(additional, property.optional ? walk.reader.checker.getNonNullableType(type) : type, inner)
  if (fit.findings.length > 0 || fit.draft.kind === 'pass') return fit
  return failing('TG4203', `\`${inner.label}\` is an undeclared field that would need a conversion`)
}

/** The fields that only an index signature of the answer declares. */
function travellingUndeclared(additional: Shape, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const label = `${spot.label}[string]`
  const fit = walk.fit(additional, type, { ...spot, label, depth: spot.depth + 1 })
  if (fit.findings.length > 0 || settle(fit.draft).conversion.kind === 'pass') return fit
  return failing('TG4203', `undeclared fields of ${spoken(spot.label, 'the answer')} would need a conversion`)
}

/** With more types than this in its undeclared fields, an answer is better cut down before the codec copies it. */
const mostTypes = 100

/** Keywords under which the result codec drops what is not declared, whatever it is. */
const silent: ReadonlySet<string> = new Set(
  ['type', 'properties', 'required', 'title', 'description', '$comment', 'default', 'examples', 'deprecated'].concat([
    'readOnly',
    'writeOnly',
  ]),
)

/** True when the result codec leaves undeclared fields out instead of refusing, counting or keeping them. */
function dropsUndeclared({ schema }: Shape): boolean {
  return Object.keys(schema).every((keyword) => silent.has(keyword))
}

/**
 * True when an object of this type, with the undeclared fields that are named, can be handed to the codec as it is: a
 * plain object whose undeclared fields are JSON, few, and do not lead back to an object that they are part of.
 */
function isPlainBeside(type: ts.Type, undeclared: readonly string[], reader: TypeReader): boolean {
  const budget = { left: mostTypes }
  return (
    propertiesOf(type, reader).every((property) => isPlainMember(property, reader)) &&
    reader.checker.getIndexInfosOfType(type).every((info) => isPlain(info.type, [type], budget, reader)) &&
    propertiesOf(type, reader)
      .filter(({ name }) => undeclared.includes(name))
      .every((property) => isPlain(property.type(), [type], budget, reader))
  )
}

/** True for object types that the compiler lets stand where an index signature is wanted: those without a name of their own. */
function hasImplicitIndex(type: ts.Type, { ts }: TypeReader): boolean {
  const members = type.isIntersection() ? type.types : [type]
  const literal = ts.SymbolFlags.TypeLiteral | ts.SymbolFlags.ObjectLiteral
  return members.every((member) => ((member.getSymbol()?.flags ?? 0) & literal) !== 0)
}

function isPlainMember(property: ReturnType<typeof propertiesOf>[number], reader: TypeReader): boolean {
  const { Method, GetAccessor, SetAccessor } = reader.ts.SymbolFlags
  const isComputed = (property.symbol.flags & (Method | GetAccessor | SetAccessor)) !== 0
  return !isComputed && !isSymbolNamed(property) && !isHidden(property, reader)
}

function isPlain(type: ts.Type, within: readonly ts.Type[], budget: { left: number }, reader: TypeReader): boolean {
  budget.left -= 1
  const parts = partsOf(type, reader)
  if (budget.left < 0 || parts.any !== undefined || parts.unknown || parts.bigint) return false
  if (parts.deferred.length > 0 || parts.others.length > 0) return false
  return parts.objects.every((object) => {
    if (within.includes(object)) return false
    const inner = [...within, object]
    const { checker } = reader
    if (checker.isArrayType(object) || checker.isTupleType(object)) {
      return typeArgumentsOf(object, reader).every((item) => isPlain(item, inner, budget, reader))
    }
    const isCallable = checker.getSignaturesOfType(object, reader.ts.SignatureKind.Call).length > 0
    if (isCallable || object.isClass() || builtinName(object, reader) !== undefined) return false
    const properties = propertiesOf(object, reader)
    if (!properties.every((property) => isPlainMember(property, reader))) return false
    const indexed = checker.getIndexInfosOfType(object).map((info) => info.type)
    return [...properties.map((property) => property.type()), ...indexed].every((each) =>
      isPlain(each, inner, budget, reader),
    )
  })
}

/**
 * One object type whose field has several literals, for alternatives of the tool that each allow some of them: every
 * value must find an alternative. Undefined where one does not.
 */
export function splitResult(targets: readonly Shape[], object: ts.Type, walk: Walk, spot: Spot): Fit | undefined {
  const objects = targets.filter((target) => target.kind === 'object')
  for (const name of new Set(objects.flatMap(({ fields }) => fields.map((field) => field.name)))) {
    const values = unitValues(object, name, walk.reader)
    if (values === undefined || values.length < 2) continue
    const found = values.map((value) => {
      const allowing = objects.filter((target) => literalValues(target, name, walk.resolve)?.includes(value))
      const fits = allowing.map((target) => outOfObject(allowingAll(target, name, values), object, walk, spot))
      return { value, fit: bestFit(fits) }
    })
    const fits = found.flatMap(({ fit }) => (fit === undefined || faults(fit) > 0 ? [] : [fit]))
    if (fits.length < found.length) continue
    const cases = found.flatMap(({ value, fit }) =>
      fit === undefined ? [] : [{ kinds: [], values: [value], draft: fit.draft }],
    )
    return joinFits({ kind: 'choice', field: name, cases, splitsField: true }, fits)
  }
  return undefined
}

/** The value of the field is known to be allowed, though its type says more. */
function allowingAll(target: ObjectShape, name: string, values: readonly (string | number | boolean)[]): ObjectShape {
  const fields = target.fields.map((field) =>
    field.name === name
      ? { ...field, shape: { kind: 'literals' as const, values, schema: field.shape.schema } }
      : field,
  )
  return { ...target, fields }
}
