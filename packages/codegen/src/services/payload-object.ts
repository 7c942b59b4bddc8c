import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import { flatLiteral } from '../text.js'
import {
  about,
  type Finding,
  type Fit,
  failing,
  faults,
  fieldSpot,
  joinFits,
  mistaken,
  noted,
  passing,
  type Spot,
  spoken,
  type Walk,
} from './match.js'
import { matchNames, nearestNames } from './match-fields.js'
import { declares, type Parameter } from './parameters.js'
import type { Draft, DraftField, FieldConversion } from './plan.js'
import { describeShape, isPresent, shapeOfValue, withoutNull } from './shape-views.js'
import { hasNonLiterals, partsOf } from './type-parts.js'
import { describeType, isHidden, isSymbolNamed, type PropertyView, propertiesOf } from './types.js'

/** Fields of a payload on their way into an object of the method. */
export interface SourceFields {
  readonly fields: readonly ShapeField[]
  /** The values of undeclared fields. */
  readonly additional?: Shape
  /** Payload field → method field. */
  readonly rename: ReadonlyMap<string, string>
  /** Method field → constant. */
  readonly constants: ReadonlyMap<string, Json>
  /** The other objects of the method that may declare a field; default: none. */
  readonly others?: OtherObjects
}

/** Objects beside the one into which fields are put. */
interface OtherObjects {
  /** Alternatives of the same union. */
  readonly alternatives: readonly ts.Type[]
  /** Other parameters of the method. */
  readonly parameters: readonly Parameter[]
}

/** The source without anything the binding says. */
export function plainSource(shape: Shape & { readonly kind: 'object' }): SourceFields {
  const { fields, additional } = shape
  return { fields, ...(additional === undefined ? {} : { additional }), rename: new Map(), constants: new Map() }
}

/** One field's draft with what was found about it; `identity` when nothing changes at this node. */
interface FieldFit {
  readonly draft: DraftField
  readonly fit: Fit
  readonly identity: boolean
}

/** Puts fields into one object type (no union, no array). */
export function intoObject(source: SourceFields, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const { checker, ts } = walk.reader
  const properties = propertiesOf(type, walk.reader)
  const index = checker.getIndexInfosOfType(type).find(({ keyType }) => (keyType.flags & ts.TypeFlags.String) !== 0)
  if (properties.length === 0 && index === undefined) return intoEmpty(source, type, walk, spot)
  const hidden = properties.find((property) => isHidden(property, walk.reader))
  if (hidden !== undefined) {
    const owner = describeType(type, walk.reader)
    return failing('TG4111', `${owner} has private members, so that no plain object is one`)
  }

  const byName = new Map(properties.filter((each) => !isSymbolNamed(each)).map((each) => [each.name, each]))
  const targets = [...byName.keys()].filter((name) => !source.constants.has(name))
  const names = source.fields.map(({ name }) => name)
  const pairs = matchNames(names, targets, source.rename)
  const filled = new Set([...pairs.values(), ...source.constants.keys()])
  const unfilled = targets.filter((name) => !filled.has(name))
  const fits: FieldFit[] = []
  for (const field of source.fields) {
    const property = byName.get(pairs.get(field.name) ?? '')
    if (property !== undefined) fits.push(intoProperty(field, property, walk, spot))
    else if (index === undefined) fits.push(unused(field, unfilled, source, spot))
    else
      fits.push(
        intoIndex(
          field,
          source.rename.get(field.name) ?? field.name,
          { type, index: index.type, byName, unfilled, others: source.others },
          walk,
          spot,
        ),
      )
  }
  for (const [name, value] of source.constants) {
    fits.push(fromConstant(name, value, byName.get(name)?.type() ?? index?.type, targets, walk, spot))
  }
  const spare = names.filter((name) => !pairs.has(name))
  for (const property of properties) {
    if (filled.has(property.name) || property.optional) continue
    fits.push(fromNothing(property, spare, walk, spot))
  }
  const rest = intoRest(
    source,
    index?.type,
    unfilled.flatMap((name) => byName.get(name) ?? []),
    walk,
    spot,
  )
  return {
    ...joinFits(
      {
        kind: 'object',
        fields: fits.filter(({ fit }) => faults(fit) === 0).map(({ draft }) => draft),
        rest: source.additional !== undefined,
        // An interface has no implicit index signature; an object literal has.
        identity: fits.every(({ identity }) => identity) && (index === undefined || source.additional !== undefined),
      },
      [...fits.map(({ fit }) => fit), rest],
    ),
    used: fits.reduce((sum, { fit, draft }) => sum + fit.used + weightOf(draft), 0),
  }
}

/** A literal that nobody asked for counts against an alternative. */
function weightOf(draft: DraftField): number {
  return draft.from === undefined ? -2 : 1
}

function intoEmpty(source: SourceFields, type: ts.Type, walk: Walk, spot: Spot): Fit {
  if (walk.reader.checker.getSignaturesOfType(type, walk.reader.ts.SignatureKind.Call).length > 0) {
    return failing('TG4103', `${spoken(spot.label, 'the payload')} is an object, the method takes a function`)
  }
  const [renamed] = source.rename
  if (renamed !== undefined || source.constants.size > 0) {
    return failing('TG4008', `${describeType(type, walk.reader)} declares no fields to rename to or to set`)
  }
  return passing
}

function intoProperty(field: ShapeField, property: PropertyView, walk: Walk, spot: Spot): FieldFit {
  const label = spot.label === '' ? field.name : `${spot.label}.${field.name}`
  const inner = fieldSpot(spot, field.name, property.name, field.name)
  const { fit, presence, identity } = intoSlot(field, property.type(), property.optional, walk, { ...inner, label })
  return {
    draft: { from: field.name, to: property.name, conversion: fit.draft, presence },
    fit,
    identity: identity && field.name === property.name,
  }
}

interface IndexedTarget {
  readonly type: ts.Type
  /** The type of undeclared fields. */
  readonly index: ts.Type
  /** The declared ones. */
  readonly byName: ReadonlyMap<string, PropertyView>
  readonly unfilled: readonly string[]
  readonly others: OtherObjects | undefined
}

function intoIndex(
  field: ShapeField,
  to: string,
  { type, index, byName, unfilled, others }: IndexedTarget,
  walk: Walk,
  spot: Spot,
): FieldFit {
  const label = spot.label === '' ? field.name : `${spot.label}.${field.name}`
  const inner = { ...fieldSpot(spot, field.name, to, field.name), label }
  const elsewhere = others && declaredElsewhere(field, to, others, walk, inner)
  if (elsewhere !== undefined) return { draft: dropped(to), fit: elsewhere, identity: false }
  const { fit, presence, identity } = intoSlot(field, index, true, walk, inner)
  const near = nearestNames(field.name, unfilled)
  const sent = spot.label === '' ? to : `${spot.label}.${to}`
  const remark = noted(
    'TG4302',
    `\`${sent}\` is no declared field of ${describeType(type, walk.reader)}; only its index signature accepts it`,
    near,
  )
  // An object that declares no fields at all is meant to take any.
  const findings = byName.size === 0 ? [] : about(remark, atTop(spot, { field: field.name })).findings
  return {
    draft: { from: field.name, to, conversion: fit.draft, presence },
    fit: { ...fit, used: fit.used - 1, findings: [...fit.findings, ...findings] },
    identity: identity && to === field.name,
  }
}

/** Limits findings that `rename` and `constants` can solve to the top-level fields of the payload and its target. */
function atTop(spot: Spot, named: Pick<Finding, 'field' | 'setTo'>): Pick<Finding, 'field' | 'setTo'> {
  return spot.label === '' ? named : {}
}

/** A fault where an object declares the field and cannot take it there: an index signature that does would hide that. */
function declaredElsewhere(
  field: ShapeField,
  to: string,
  { alternatives, parameters }: OtherObjects,
  walk: Walk,
  spot: Spot,
): Fit | undefined {
  const owner = parameters.find((parameter) => declares(parameter, to, walk.reader))
  if (owner !== undefined) {
    const message = `payload field \`${spot.label}\` is declared by the parameter \`${owner.name}\`, and the other fields go to another one`
    return failing('TG4112', message)
  }
  return alternatives
    .flatMap((alternative) => propertiesOf(alternative, walk.reader).filter(({ name }) => name === to))
    .map((property) => intoSlot(field, property.type(), property.optional, walk, spot).fit)
    .find((fit) => faults(fit) > 0)
}

function unused(field: ShapeField, unfilled: readonly string[], source: SourceFields, spot: Spot): FieldFit {
  const target = source.rename.get(field.name)
  const label = spot.label === '' ? field.name : `${spot.label}.${field.name}`
  const fit =
    target === undefined
      ? about(
          failing(
            'TG4112',
            `payload field \`${label}\` is used by no field of the method`,
            nearestNames(field.name, unfilled),
          ),
          atTop(spot, { field: field.name }),
        )
      : mistaken(
          'TG4007',
          `\`${field.name}\` is renamed to \`${target}\`, which the method does not have`,
          { of: 'rename', entry: field.name, side: 'value' },
          nearestNames(target, unfilled),
        )
  return { draft: dropped(field.name), fit, identity: false }
}

function dropped(to: string): DraftField {
  return { to, conversion: { kind: 'pass' }, presence: 'required' }
}

function fromConstant(
  name: string,
  value: Json,
  type: ts.Type | undefined,
  targets: readonly string[],
  walk: Walk,
  spot: Spot,
): FieldFit {
  const draft: DraftField = { to: name, constant: value, conversion: { kind: 'pass' }, presence: 'required' }
  if (type === undefined) {
    const part = { of: 'constants', entry: name, side: 'name' } as const
    const message = `the method has no field \`${name}\` to set`
    return { draft, fit: mistaken('TG4008', message, part, nearestNames(name, targets)), identity: false }
  }
  const fit = constantFits(name, value, type, walk, spot)
  // The two that `weightOf` takes away are for literals that nobody asked for.
  return { draft, fit: { ...fit, used: 2 }, identity: false }
}

/** A required property without a source: the only value it can have, else a fault. */
function fromNothing(property: PropertyView, spare: readonly string[], walk: Walk, spot: Spot): FieldFit {
  const { reader } = walk
  const type = property.type()
  const parts = partsOf(type, reader)
  const [only] = parts.literals
  const isUnit =
    parts.literals.length === 1 &&
    !hasNonLiterals(parts) &&
    !(parts.any || parts.unknown || parts.string || parts.number || parts.boolean || parts.bigint)
  if (only !== undefined && isUnit && !only.isEnumMember && !parts.null && !parts.undefined) {
    const draft: DraftField = {
      to: property.name,
      constant: only.value,
      conversion: { kind: 'pass' },
      presence: 'required',
    }
    return { draft, fit: passing, identity: false }
  }
  const label = spot.label === '' ? property.name : `${spot.label}.${property.name}`
  const isFunction = parts.objects.some(
    (object) => reader.checker.getSignaturesOfType(object, reader.ts.SignatureKind.Call).length > 0,
  )
  const fit =
    isFunction || isSymbolNamed(property)
      ? failing(
          'TG4111',
          `the method takes an object with the function \`${isSymbolNamed(property) ? 'of a symbol' : label}\``,
        )
      : about(
          failing(
            'TG4101',
            `required method field \`${label}: ${describeType(type, reader)}\` has no source`,
            nearestNames(property.name, spare),
          ),
          atTop(spot, { field: property.name, ...constantOf(type, walk) }),
        )
  return { draft: dropped(property.name), fit, identity: false }
}

/** Undeclared fields travel along only into an index signature, and may have the name of a field that is declared. */
function intoRest(
  source: SourceFields,
  index: ts.Type | undefined,
  declared: readonly PropertyView[],
  walk: Walk,
  spot: Spot,
): Fit {
  if (source.additional === undefined) return passing
  if (index === undefined) {
    return failing('TG4112', `${spoken(spot.label, 'the payload')} takes undeclared fields, the method does not`)
  }
  const label = `${spot.label}[${describeShape(source.additional)}]`
  const fit = walk.fit(source.additional, index, { ...spot, label, depth: spot.depth + 1 })
  if (faults(fit) > 0) return fit
  const refused = undeclaredInto(declared, source.additional, fit.draft, walk, spot)
  if (refused !== undefined) return refused
  if (isUnchanged(fit)) return fit
  return failing('TG4103', `undeclared fields of ${spoken(spot.label, 'the payload')} would need a conversion`)
}

/**
 * The first declared field that the value of an undeclared one of its name would not fit.
 *
 * @param draft how undeclared values are converted
 */
export function undeclaredInto(
  declared: readonly PropertyView[],
  additional: Shape,
  draft: Draft,
  walk: Walk,
  spot: Spot,
): Fit | undefined {
  const conversion = JSON.stringify(draft)
  return declared
    .map((property) => {
      const label = spot.label === '' ? property.name : `${spot.label}.${property.name}`
      const fit = walk.fit(additional, property.type(), { ...spot, label, depth: spot.depth + 1 })
      if (faults(fit) > 0 || JSON.stringify(fit.draft) === conversion) return fit
      return failing('TG4103', `undeclared fields called \`${property.name}\` would need a conversion of their own`)
    })
    .find((fit) => faults(fit) > 0)
}

/** A constant of the binding against the type it goes to: it is written as it is, without a conversion. */
export function constantFits(name: string, value: Json, type: ts.Type, walk: Walk, spot: Spot): Fit {
  const fit = walk.fit(shapeOfValue(value), type, fieldSpot(spot, name, name, name))
  if (faults(fit) === 0 && isUnchanged(fit)) return passing
  const message = `the constant of \`${name}\` is no ${describeType(type, walk.reader)}`
  return mistaken('TG4009', message, { of: 'constants', entry: name, side: 'value' })
}

/** True when a fit changes nothing but, perhaps, copies an array. */
function isUnchanged({ draft }: Fit): boolean {
  if (draft.kind === 'object') {
    return draft.identity && draft.fields.every((field) => isUnchanged({ ...passing, draft: field.conversion }))
  }
  return draft.kind === 'pass' || (draft.kind === 'array' && draft.from === draft.to)
}

/** A constant that a required field could be set to, for a hint: only where its type has few values. */
export function constantOf(type: ts.Type, { reader }: Walk): { readonly setTo?: string } {
  const parts = partsOf(type, reader)
  if (hasNonLiterals(parts) || parts.string || parts.number || parts.bigint) return {}
  const [literal] = parts.literals
  const value = parts.boolean ? true : literal?.isEnumMember === false ? literal.value : undefined
  return value === undefined || parts.any !== undefined || parts.unknown ? {} : { setTo: flatLiteral(value) }
}

/** A field on its way into a property or parameter that may itself be left out. */
export function intoSlot(
  field: ShapeField,
  type: ts.Type,
  optional: boolean,
  walk: Walk,
  spot: Spot,
): { readonly fit: Fit; readonly presence: FieldConversion['presence']; readonly identity: boolean } {
  const { reader, resolve } = walk
  const parts = partsOf(type, reader)
  const takesAny = parts.any !== undefined || parts.unknown
  const takesUndefined = parts.undefined || takesAny
  const { nullable, inner } = withoutNull(resolve(field.shape), resolve)
  const mayLack = !isPresent(field)
  const dropsNull = nullable && !parts.null && !takesAny
  if (dropsNull && (inner === undefined || !(optional || takesUndefined))) {
    const fit = failing('TG4104', `\`${spot.label}\` may be null, the method takes ${describeType(type, reader)}`)
    return { fit, presence: 'required', identity: false }
  }
  if (mayLack && !optional && !takesUndefined) {
    const takes = describeType(type, reader)
    const fit = failing('TG4102', `\`${spot.label}\` is optional in the tool, the method requires it (${takes})`)
    return { fit, presence: 'required', identity: false }
  }
  const whole = walk.fit(dropsNull && inner !== undefined ? inner : field.shape, type, spot)
  if (dropsNull) return { fit: whole, presence: optional ? 'omitNull' : 'undefinedNull', identity: false }
  if (!mayLack) return { fit: whole, presence: 'required', identity: true }
  return { fit: whole, presence: optional ? 'omit' : 'undefined', identity: optional }
}
