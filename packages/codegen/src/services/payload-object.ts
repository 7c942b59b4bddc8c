import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import { flatLiteral } from '../text.js'
import type { Draft, DraftField } from './draft.js'
import {
  costOf,
  type Fit,
  failing,
  fieldPath,
  joinFits,
  labelBelow,
  type Matcher,
  type PairPath,
  passing,
  withReasons,
} from './matcher.js'
import { matchNames, nearestNames } from './names.js'
import { declares, type Parameter } from './parameters.js'
import type { FieldConversion } from './plan.js'
import { reasons } from './reasons.js'
import { describeShape, isPresent, shapeOfValue, withoutNull } from './shapes.js'
import { hasNonLiterals, isSymbolNamed, type Property } from './type-reader.js'

/** Fields of a payload that are put into an object of the method. */
export interface SourceFields {
  readonly fields: readonly ShapeField[]
  /** The values of undeclared fields. */
  readonly additional?: Shape | undefined
  /** Payload field → method field. */
  readonly rename: ReadonlyMap<string, string>
  /** Method field → constant. */
  readonly constants: ReadonlyMap<string, Json>
  /** Other objects of the method that may declare a field: alternatives of the same union, and other parameters. */
  readonly others?: { readonly alternatives: readonly ts.Type[]; readonly parameters: readonly Parameter[] }
}

/** The draft of one field with its reasons; `identity` when nothing changes at this node. */
interface FieldFit {
  readonly draft: DraftField
  readonly fit: Fit
  readonly identity: boolean
}

function dropped(to: string, fit: Fit): FieldFit {
  return { draft: { to, conversion: { kind: 'pass' }, presence: 'required' }, fit, identity: false }
}

/** Puts fields into one object type (no union, no array). */
export function intoObject(source: SourceFields, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const { reader } = matcher
  const properties = reader.properties(type)
  if (properties.length === 0 && reader.stringIndex(type) === undefined) {
    if (reader.isCallable(type)) return failing(reasons.takesOther(matcher.named(path), 'an object', 'a function'))
    const changes = source.rename.size + source.constants.size
    return changes === 0 ? passing : failing(reasons.noFieldsToSet(reader.describe(type)))
  }
  if (properties.some(({ symbol }) => reader.isHidden(symbol))) {
    return failing(reasons.privateMembers(reader.describe(type)))
  }
  return new ObjectTarget(source, type, properties, matcher, path).fit()
}

/** One object type that takes fields of a payload. */
class ObjectTarget {
  readonly #source: SourceFields
  readonly #type: ts.Type
  readonly #properties: readonly Property[]
  readonly #matcher: Matcher
  readonly #path: PairPath
  /** The type of undeclared fields. */
  readonly #index: ts.Type | undefined
  readonly #byName: ReadonlyMap<string, Property>
  /** The names that fields of the payload may fill. */
  readonly #targets: readonly string[]
  /** Payload field → property. */
  readonly #pairs: ReadonlyMap<string, string>
  readonly #filled: ReadonlySet<string>
  readonly #unfilled: readonly string[]

  constructor(source: SourceFields, type: ts.Type, properties: readonly Property[], matcher: Matcher, path: PairPath) {
    this.#source = source
    this.#type = type
    this.#properties = properties
    this.#matcher = matcher
    this.#path = path
    this.#index = matcher.reader.stringIndex(type)
    this.#byName = new Map(properties.filter((each) => !isSymbolNamed(each)).map((each) => [each.name, each]))
    this.#targets = [...this.#byName.keys()].filter((name) => !source.constants.has(name))
    this.#pairs = matchNames(
      source.fields.map(({ name }) => name),
      this.#targets,
      source.rename,
    )
    this.#filled = new Set([...this.#pairs.values(), ...source.constants.keys()])
    this.#unfilled = this.#targets.filter((name) => !this.#filled.has(name))
  }

  fit(): Fit {
    const { fields, constants, additional } = this.#source
    const fits = [
      ...fields.map((field) => this.#field(field)),
      ...[...constants].map(([name, value]) => this.#constant(name, value)),
      ...this.#properties.flatMap((property) =>
        this.#filled.has(property.name) || property.optional ? [] : [this.#missing(property)],
      ),
    ]
    const draft: Draft = {
      kind: 'object',
      fields: fits.filter(({ fit }) => costOf(fit) === 0).map((each) => each.draft),
      rest: additional !== undefined,
      // An interface has no implicit index signature; an object literal has.
      identity: fits.every(({ identity }) => identity) && (this.#index === undefined || additional !== undefined),
    }
    return {
      ...joinFits(draft, [...fits.map(({ fit }) => fit), this.#undeclared()]),
      // A literal that nobody asked for counts against an alternative.
      used: fits.reduce((sum, { fit, draft: { from } }) => sum + fit.used + (from === undefined ? -2 : 1), 0),
    }
  }

  #field(field: ShapeField): FieldFit {
    const property = this.#byName.get(this.#pairs.get(field.name) ?? '')
    if (property === undefined)
      return this.#index === undefined ? this.#unused(field) : this.#intoIndex(field, this.#index)
    const path = fieldPath(this.#path, field.name, property.name, field.name)
    const { fit, presence, identity } = intoSlot(field, property.type(), property.optional, this.#matcher, path)
    return {
      draft: { from: field.name, to: property.name, conversion: fit.draft, presence },
      fit,
      identity: identity && field.name === property.name,
    }
  }

  /** `rename` and `constants` can name the fields of the payload and of the object that takes them, no deeper ones. */
  get #isTop(): boolean {
    return this.#path.label === ''
  }

  #intoIndex(field: ShapeField, index: ts.Type): FieldFit {
    const to = this.#source.rename.get(field.name) ?? field.name
    const path = fieldPath(this.#path, field.name, to, field.name)
    const elsewhere = this.#declaredElsewhere(field, to, path)
    if (elsewhere !== undefined) return dropped(to, elsewhere)
    const { fit, presence, identity } = intoSlot(field, index, true, this.#matcher, path)
    const remark = reasons.onlyIndex(labelBelow(this.#path, to), this.#matcher.reader.describe(this.#type), {
      near: nearestNames(field.name, this.#unfilled),
      field: this.#isTop ? field.name : undefined,
    })
    return {
      draft: { from: field.name, to, conversion: fit.draft, presence },
      // An object that declares no fields at all is meant to take any.
      fit: { ...(this.#byName.size === 0 ? fit : withReasons(fit, remark)), used: fit.used - 1 },
      identity: identity && to === field.name,
    }
  }

  /** Fails where another object declares the field and cannot take it: an index signature that does would hide that. */
  #declaredElsewhere(field: ShapeField, to: string, path: PairPath): Fit | undefined {
    const { alternatives, parameters } = this.#source.others ?? { alternatives: [], parameters: [] }
    const { reader } = this.#matcher
    const owner = parameters.find((parameter) => declares(parameter, to, reader))
    if (owner !== undefined) return failing(reasons.declaredElsewhere(path.label, owner.name))
    return alternatives
      .flatMap((alternative) => reader.properties(alternative).filter(({ name }) => name === to))
      .map((property) => intoSlot(field, property.type(), property.optional, this.#matcher, path).fit)
      .find((fit) => costOf(fit) > 0)
  }

  #unused({ name }: ShapeField): FieldFit {
    const target = this.#source.rename.get(name)
    const near = nearestNames(target ?? name, this.#unfilled)
    if (target !== undefined) return dropped(name, failing(reasons.renamedTo(name, target, near)))
    const details = { near, field: this.#isTop ? name : undefined }
    return dropped(name, failing(reasons.unusedField(labelBelow(this.#path, name), 'field', details)))
  }

  #constant(name: string, value: Json): FieldFit {
    const draft: DraftField = { to: name, constant: value, conversion: { kind: 'pass' }, presence: 'required' }
    const type = this.#byName.get(name)?.type() ?? this.#index
    if (type === undefined) {
      const fit = failing(reasons.noFieldToSet(name, nearestNames(name, this.#targets), 'field'))
      return { draft, fit, identity: false }
    }
    // The two that the sum takes away are for literals that nobody asked for.
    return { draft, fit: { ...constantFits(name, value, type, this.#matcher, this.#path), used: 2 }, identity: false }
  }

  /** A required property without a source: the only value it can have, else a failure. */
  #missing(property: Property): FieldFit {
    const { reader } = this.#matcher
    const type = property.type()
    const [only, ...others] = reader.literalValues(type) ?? []
    if (only !== undefined && others.length === 0) {
      const draft: DraftField = {
        to: property.name,
        constant: only,
        conversion: { kind: 'pass' },
        presence: 'required',
      }
      return { draft, fit: passing, identity: false }
    }
    const label = labelBelow(this.#path, property.name)
    if (isSymbolNamed(property) || reader.parts(type).objects.some((object) => reader.isCallable(object))) {
      return dropped(property.name, failing(reasons.requiredFunction(isSymbolNamed(property) ? 'of a symbol' : label)))
    }
    const spare = this.#source.fields.map(({ name }) => name).filter((name) => !this.#pairs.has(name))
    const details = {
      near: nearestNames(property.name, spare),
      ...(this.#isTop && { field: property.name, setTo: constantFor(type, this.#matcher) }),
    }
    return dropped(property.name, failing(reasons.fieldWithoutSource(label, reader.describe(type), details)))
  }

  /** Undeclared fields only go into an index signature, and may have the name of a field that is declared. */
  #undeclared(): Fit {
    const { additional } = this.#source
    const what = this.#matcher.named(this.#path)
    if (additional === undefined) return passing
    if (this.#index === undefined) return failing(reasons.takesNoUndeclared(what))
    const label = `${this.#path.label}[${describeShape(additional)}]`
    const fit = this.#matcher.fit(additional, this.#index, { ...this.#path, label, depth: this.#path.depth + 1 })
    if (costOf(fit) > 0) return fit
    const declared = this.#unfilled.flatMap((name) => this.#byName.get(name) ?? [])
    const refused = undeclaredInto(declared, additional, fit.draft, this.#matcher, this.#path)
    return refused ?? (isUnchanged(fit.draft) ? fit : failing(reasons.undeclaredConverted(what)))
  }
}

/**
 * Returns a failure for the first declared field that the value of an undeclared one of its name would not fit.
 *
 * @param draft the conversion of undeclared values
 */
export function undeclaredInto(
  declared: readonly Property[],
  additional: Shape,
  draft: Draft,
  matcher: Matcher,
  path: PairPath,
): Fit | undefined {
  const conversion = JSON.stringify(draft)
  return declared
    .map((property) => {
      const label = labelBelow(path, property.name)
      const fit = matcher.fit(additional, property.type(), { ...path, label, depth: path.depth + 1 })
      if (costOf(fit) > 0 || JSON.stringify(fit.draft) === conversion) return fit
      return failing(reasons.undeclaredOfName(property.name))
    })
    .find((fit) => costOf(fit) > 0)
}

/** Compares a constant of the binding with its target type: it is written as it is, without a conversion. */
export function constantFits(name: string, value: Json, type: ts.Type, matcher: Matcher, path: PairPath): Fit {
  const fit = matcher.fit(shapeOfValue(value), type, fieldPath(path, name, name, name))
  if (costOf(fit) === 0 && isUnchanged(fit.draft)) return passing
  return failing(reasons.constant(name, matcher.reader.describe(type)))
}

/** Returns true when a draft changes nothing but, perhaps, copies an array. */
function isUnchanged(draft: Draft): boolean {
  if (draft.kind === 'object')
    return draft.identity !== false && draft.fields.every((each) => isUnchanged(each.conversion))
  return draft.kind === 'pass' || (draft.kind === 'array' && draft.from === draft.to)
}

/** Returns a constant that a required field could be set to, for a hint: only where its type has few values. */
export function constantFor(type: ts.Type, { reader }: Matcher): string | undefined {
  const parts = reader.parts(type)
  if (parts.open || hasNonLiterals(parts) || parts.string || parts.number || parts.bigint) return undefined
  const [literal] = parts.literals
  const value = parts.boolean ? true : literal?.isEnumMember === false ? literal.value : undefined
  return value === undefined ? undefined : flatLiteral(value)
}

/** Puts a field into a property or parameter that may itself be left out. */
export function intoSlot(
  field: ShapeField,
  type: ts.Type,
  optional: boolean,
  matcher: Matcher,
  path: PairPath,
): { readonly fit: Fit; readonly presence: FieldConversion['presence']; readonly identity: boolean } {
  const { reader } = matcher
  const parts = reader.parts(type)
  const takesUndefined = parts.undefined || parts.open
  const { nullable, inner } = withoutNull(matcher.resolve(field.shape), (shape) => matcher.resolve(shape))
  const mayLack = !isPresent(field)
  const dropsNull = nullable && !parts.null && !parts.open
  if (dropsNull && (inner === undefined || !(optional || takesUndefined))) {
    const fit = failing(reasons.nullable(`\`${path.label}\``, reader.describe(type)))
    return { fit, presence: 'required', identity: false }
  }
  if (mayLack && !optional && !takesUndefined) {
    return { fit: failing(reasons.optional(path.label, reader.describe(type))), presence: 'required', identity: false }
  }
  const fit = matcher.fit(dropsNull && inner !== undefined ? inner : field.shape, type, path)
  if (dropsNull) return { fit, presence: optional ? 'omitNull' : 'undefinedNull', identity: false }
  if (!mayLack) return { fit, presence: 'required', identity: true }
  return { fit, presence: optional ? 'omit' : 'undefined', identity: optional }
}
