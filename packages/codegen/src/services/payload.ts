import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import { flatLiteral } from '../text.js'
import type { Draft, DraftField } from './draft.js'
import { bestFit, costOf, type Fit, failing, fitting, joinFits, passing, withReasons } from './fit.js'
import { fieldPath, itemPath, labelBelow, Matcher, type PairPath } from './matcher.js'
import { matchNames, nearestNames } from './names.js'
import { declares, type Parameter } from './parameters.js'
import type { FieldConversion, ScalarConversion } from './plan.js'
import { reasons } from './reasons.js'
import { settlesToPass } from './settled.js'
import { describeShape, discriminator, formatOf, isPresent, type ShapeOf, shapeOfValue } from './shapes.js'
import { hasNonLiterals, isSymbolNamed, type Property, type TypeParts } from './type-reader.js'

/** Maximum number of values of a field that are tried one by one. */
const maxSplits = 50

/** The formats of strings that a built-in type takes in another form. */
const stringForms: readonly (readonly [format: string, builtin: string, name: ScalarConversion])[] = [
  ['date-time', 'Date', 'dateTimeToDate'],
  ['date', 'Date', 'dateToUtcMidnight'],
  ['base64', 'Uint8Array', 'base64ToBytes'],
  ['uri', 'URL', 'stringToUrl'],
]

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

/** A field that is put into a property or parameter; `identity` when nothing changes at this node. */
interface SlotFit {
  readonly fit: Fit
  readonly presence: FieldConversion['presence']
  readonly identity: boolean
}

/** Compares payloads with the parameters of a method. */
export class PayloadMatcher extends Matcher {
  protected override readonly whole = 'the payload'

  protected override guards(shape: Shape): boolean {
    const { nullable, inner } = this.shapes.withoutNull(shape)
    return nullable && inner !== undefined
  }

  protected override compare(shape: Shape, type: ts.Type, path: PairPath): Fit {
    const parts = this.reader.parts(type)
    if (parts.any === 'unresolved') return failing(reasons.unresolved(this.named(path)))
    if (parts.open || shape.kind === 'never') return passing
    const fit = this.#compareClosed(shape, parts, type, path)
    if (parts.deferred.length === 0) return fit
    if (costOf(fit) === 0 && parts.deferred.every((each) => this.#isFilter(each))) return fit
    // TypeScript chooses the branch by the type argument that it infers from the call, so a branch that fits proves nothing.
    return failing(reasons.typeParameter(this.named(path), this.reader.describe(type)))
  }

  /** Returns true for `T extends C ? T : never`: TypeScript infers `T` from the argument itself. */
  #isFilter(type: ts.Type): boolean {
    if (!('root' in type)) return false
    const { node } = (type as ts.ConditionalType).root
    const isNever = node.falseType.kind === this.reader.ts.SyntaxKind.NeverKeyword
    return node.trueType.getText() === node.checkType.getText() && isNever
  }

  #compareClosed(shape: Shape, parts: TypeParts, type: ts.Type, path: PairPath): Fit {
    const { nullable, inner } = this.shapes.withoutNull(shape)
    if (nullable) {
      if (!parts.null) return failing(reasons.nullable(this.named(path), this.reader.describe(type)))
      if (inner === undefined) return passing
      const fit = this.fit(inner, type, path)
      return { ...fit, draft: { kind: 'nullable', inner: fit.draft, of: 'null' } }
    }
    switch (shape.kind) {
      case 'union':
        return this.#variants(shape, type, path)
      case 'object': {
        const { fields, additional } = shape
        return this.intoObjects({ fields, additional, rename: new Map(), constants: new Map() }, type, path)
      }
      case 'array':
      case 'tuple':
        return this.#list(shape, parts, type, path)
      case 'typed':
        return this.#typed(shape, parts, type, path)
      case 'boolean':
      case 'string':
      case 'number':
      case 'literals':
        return this.#scalar(shape, parts, type, path)
      default:
        return failing(reasons.anyJson(this.named(path), this.reader.describe(type)))
    }
  }

  /** Every variant of the payload must find its target. */
  #variants(shape: ShapeOf<'union'>, type: ts.Type, path: PairPath): Fit {
    const { shapes } = this
    const objects = shape.variants.map((each) => shapes.resolve(each)).filter((variant) => variant.kind === 'object')
    const names = objects[0]?.fields.map(({ name }) => name) ?? []
    const valuesOf = (variant: Shape, name: string): readonly Json[] | undefined => shapes.literalValues(variant, name)
    const field = shape.discriminator ?? discriminator(names, objects, valuesOf)
    const fits = shape.variants.map((each) => this.fit(each, type, { ...path, nameable: false, depth: path.depth + 1 }))
    const cases = shape.variants.map((variant, index) => ({
      kinds: shapes.kindsOf(variant),
      values: (field === undefined ? undefined : valuesOf(shapes.resolve(variant), field)) ?? [],
      draft: (fits[index] ?? passing).draft,
    }))
    return joinFits({ kind: 'choice', field, cases, splitsField: false }, fits)
  }

  /** Compares fields with a type that may be a union: chooses the alternative that is proven and uses most of them. */
  intoObjects(source: SourceFields, type: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const targets = reader.parts(type).objects.filter((object) => !reader.isList(object))
    const at = targets.length > 1 ? { ...path, nameable: false } : path
    const best = bestFit(targets.map((target) => this.#intoTarget(source, target, targets, at)))
    if (best === undefined) return failing(reasons.takesOther(this.named(path), 'an object', reader.describe(type)))
    if (costOf(best) === 0 || targets.length < 2) return best
    return this.#splitByField(source, targets, at) ?? best
  }

  /** Tries one alternative of a union: the others may declare a field that this one only accepts. */
  #intoTarget(plain: SourceFields, target: ts.Type, targets: readonly ts.Type[], path: PairPath): Fit {
    const { reader } = this
    const builtin = reader.builtin(target)
    const { additional, fields, constants } = plain
    const isRecord = fields.length === 0 && additional !== undefined
    if (builtin === 'Map' && isRecord) {
      const [keys, values] = reader.typeArguments(target)
      if (keys === undefined || values === undefined) return passing
      const { string, open } = reader.parts(keys)
      if (!string && !open) return failing(reasons.takesOtherKeys(this.named(path), reader.describe(target)))
      const fit = this.fit(additional, values, { ...itemPath(path, 'record'), nameable: false })
      return { ...fit, draft: { kind: 'record', values: fit.draft, from: 'record', to: 'map' } }
    }
    if (builtin !== undefined) {
      return failing(reasons.takesOther(this.named(path), 'an object', reader.describe(target)))
    }
    const index = reader.stringIndex(target)
    const properties = reader.properties(target)
    if (index !== undefined && isRecord && constants.size === 0 && properties.every(({ optional }) => optional)) {
      const fit = this.fit(additional, index, itemPath(path, 'record'))
      const refused = this.undeclaredInto(properties, additional, fit.draft, path)
      return refused ?? { ...fit, draft: { kind: 'record', values: fit.draft, from: 'record', to: 'record' } }
    }
    if (properties.length === 0 && index === undefined) {
      if (reader.isCallable(target)) return failing(reasons.takesOther(this.named(path), 'an object', 'a function'))
      const changes = plain.rename.size + constants.size
      return changes === 0 ? passing : failing(reasons.noFieldsToSet(reader.describe(target)))
    }
    if (properties.some(({ symbol }) => reader.isHidden(symbol))) {
      return failing(reasons.privateMembers(reader.describe(target)))
    }
    const alternatives = targets.filter(
      (other) => other !== target && reader.builtin(other) === undefined && !this.#isExcluded(other, fields),
    )
    const source = { ...plain, others: { parameters: plain.others?.parameters ?? [], alternatives } }
    return new ObjectTarget(source, target, properties, this, path).fit()
  }

  /** Returns true for an alternative with a literal that a field of the payload never has. */
  #isExcluded(alternative: ts.Type, fields: readonly ShapeField[]): boolean {
    return fields.some((field) => {
      const shape = this.shapes.resolve(field.shape)
      const values = shape.kind === 'literals' ? this.reader.literalsOf(alternative, field.name) : undefined
      return shape.kind === 'literals' && values !== undefined && !values.some((each) => shape.values.includes(each))
    })
  }

  /** `role: 'system' | 'user'` into one alternative for each role: proven value by value. */
  #splitByField(source: SourceFields, targets: readonly ts.Type[], path: PairPath): Fit | undefined {
    for (const field of source.fields) {
      const shape = this.shapes.resolve(field.shape)
      if (!field.required || shape.kind !== 'literals') continue
      if (shape.values.length < 2 || shape.values.length > maxSplits) continue
      const fits = shape.values.map((value) => {
        const narrowed = { ...field, shape: { ...shape, values: [value] } }
        const one = { ...source, fields: source.fields.map((each) => (each === field ? narrowed : each)) }
        const best = bestFit(targets.map((target) => this.#intoTarget(one, target, targets, path)))
        return best ?? failing(reasons.fitsNoAlternative(path.label))
      })
      if (fits.some((fit) => costOf(fit) > 0)) continue
      const cases = fits.map(({ draft }, index) => ({ kinds: [], values: shape.values.slice(index, index + 1), draft }))
      return joinFits({ kind: 'choice', field: field.name, cases, splitsField: true }, fits)
    }
    return undefined
  }

  /** A date, a bigint or bytes of a payload go as they are, else as the text that says the same. */
  #typed({ type }: ShapeOf<'typed'>, parts: TypeParts, target: ts.Type, path: PairPath): Fit {
    const builtins = parts.objects.map((object) => this.reader.builtin(object))
    // A text could be of any encoding, so that bytes have no other form.
    if (type === 'bigint' ? parts.bigint : builtins.includes(type)) return passing
    if (type === 'Date' && parts.string) return fitting({ kind: 'scalar', name: 'dateToDateTime' })
    if (type === 'bigint' && parts.string) return fitting({ kind: 'scalar', name: 'bigintToString' })
    return failing(reasons.takesOther(this.named(path), type, this.reader.describe(target)))
  }

  /** Compares a string, number, boolean or literal of a payload with its target type. */
  #scalar(
    shape: ShapeOf<'boolean' | 'string' | 'number' | 'literals'>,
    parts: TypeParts,
    type: ts.Type,
    { label }: PairPath,
  ): Fit {
    const takes = (): string => this.reader.describe(type)
    const narrower = (): Fit => failing(reasons.narrower(label, describeShape(shape), takes()))
    const { kind } = shape
    if (kind === 'literals') return this.#literals(shape.values, parts) ?? narrower()
    if (parts[kind]) return passing
    if (kind === 'number' && parts.bigint && shape.integer) return fitting({ kind: 'scalar', name: 'integerToBigint' })
    if (kind === 'string') {
      const builtins = parts.objects.map((object) => this.reader.builtin(object))
      const form = stringForms.find(
        ([format, name]) => format === formatOf(shape) && builtins.some((each) => each === name),
      )
      if (form !== undefined) return fitting({ kind: 'scalar', name: form[2] })
      if (parts.brands.includes('string')) return failing(reasons.branded(label, takes()))
      if (builtins.includes('Date')) return failing(reasons.dateOfOtherFormat(label))
      if (parts.templates.length > 0) return narrower()
    }
    if (parts.literals.some(({ value }) => typeof value === kind)) return narrower()
    return failing(reasons.takesOther(`\`${label}\``, describeShape(shape), takes()))
  }

  /** Every value must be accepted; members of a string enum need a cast. */
  #literals(values: readonly Json[], parts: TypeParts): Fit | undefined {
    const { checker } = this.reader
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
            const literal = checker.getStringLiteralType(value)
            if (parts.templates.some((template) => checker.isTypeAssignableTo(literal, template))) return 'pass'
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
  #list(shape: ShapeOf<'array' | 'tuple'>, parts: TypeParts, type: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const best = bestFit(
      parts.objects.flatMap((target) => {
        if (reader.checker.isTupleType(target)) return [this.#intoTuple(shape, target, path)]
        const isSet = reader.builtin(target) === 'Set'
        const [item] = isSet || reader.checker.isArrayType(target) ? reader.typeArguments(target) : []
        if (item === undefined) return []
        // The payload's arrays are readonly: one that may be changed must be a copy.
        const identity = target.getSymbol()?.name === 'ReadonlyArray'
        const draft = { kind: 'array', from: 'array', to: isSet ? 'set' : 'array', identity } as const
        const inner = { ...itemPath(path, 'array'), nameable: path.nameable && !isSet }
        if (shape.kind === 'array') {
          const fit = this.fit(shape.items, item, inner)
          return [{ ...fit, draft: { ...draft, items: fit.draft } }]
        }
        const items = [...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])]
        const fits = items.map((each) => this.fit(each, item, inner))
        return [wholeTuple({ ...draft, items: { kind: 'pass' } }, fits, path)]
      }),
    )
    if (best !== undefined) return best
    const takes = reader.describe(type)
    const isIterable = parts.objects.some((object) =>
      /Iterable|Iterator|ArrayLike/.test(object.getSymbol()?.name ?? ''),
    )
    if (isIterable) return failing(reasons.takesIterable(path.label, takes))
    return failing(reasons.takesOther(this.named(path), describeShape(shape), takes))
  }

  #intoTuple(shape: ShapeOf<'array' | 'tuple'>, target: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const items = reader.typeArguments(target)
    const isExact = shape.kind === 'tuple' && shape.rest === undefined && shape.required === shape.items.length
    if (!isExact || shape.items.length !== items.length) {
      return failing(reasons.takesTuple(path.label, describeShape(shape), reader.describe(target)))
    }
    const fits = this.itemFits(shape.items, items, path)
    const identity = reader.tuple(target)?.readonly === true
    return wholeTuple({ kind: 'array', items: { kind: 'pass' }, from: 'array', to: 'array', identity }, fits, path)
  }

  /** Puts a field into a property or parameter that may itself be left out. */
  intoSlot(field: ShapeField, type: ts.Type, optional: boolean, path: PairPath): SlotFit {
    const parts = this.reader.parts(type)
    const takesUndefined = parts.undefined || parts.open
    const { nullable, inner } = this.shapes.withoutNull(field.shape)
    const mayLack = !isPresent(field)
    const dropsNull = nullable && !parts.null && !parts.open
    if (dropsNull && (inner === undefined || !(optional || takesUndefined))) {
      const fit = failing(reasons.nullable(`\`${path.label}\``, this.reader.describe(type)))
      return { fit, presence: 'required', identity: false }
    }
    if (mayLack && !optional && !takesUndefined) {
      const fit = failing(reasons.optional(path.label, this.reader.describe(type)))
      return { fit, presence: 'required', identity: false }
    }
    const fit = this.fit(dropsNull && inner !== undefined ? inner : field.shape, type, path)
    if (dropsNull) return { fit, presence: optional ? 'omitNull' : 'undefinedNull', identity: false }
    if (!mayLack) return { fit, presence: 'required', identity: true }
    return { fit, presence: optional ? 'omit' : 'undefined', identity: optional }
  }

  /**
   * Returns a failure for the first declared field that the value of an undeclared one of its name would not fit.
   *
   * @param draft the conversion of undeclared values
   */
  undeclaredInto(declared: readonly Property[], additional: Shape, draft: Draft, path: PairPath): Fit | undefined {
    const conversion = JSON.stringify(draft)
    return declared
      .map((property) => {
        const label = labelBelow(path, property.name)
        const fit = this.fit(additional, property.type(), { ...path, label, depth: path.depth + 1 })
        if (costOf(fit) > 0 || JSON.stringify(fit.draft) === conversion) return fit
        return failing(reasons.undeclaredOfName(property.name))
      })
      .find((fit) => costOf(fit) > 0)
  }

  /** Compares a constant of the binding with its target type: it is written as it is, without a conversion. */
  constant(name: string, value: Json, type: ts.Type, path: PairPath): Fit {
    const fit = this.fit(shapeOfValue(value), type, fieldPath(path, name, name, name))
    if (costOf(fit) === 0 && isUnchanged(fit.draft)) return passing
    return failing(reasons.constant(name, this.reader.describe(type)))
  }

  /** Returns a constant that a required field could be set to, for a hint: only where its type has few values. */
  constantFor(type: ts.Type): string | undefined {
    const parts = this.reader.parts(type)
    if (parts.open || hasNonLiterals(parts) || parts.string || parts.number || parts.bigint) return undefined
    const [literal] = parts.literals
    const value = parts.boolean ? true : literal?.isEnumMember === false ? literal.value : undefined
    return value === undefined ? undefined : flatLiteral(value)
  }
}

/** Joins the items of a tuple, none of which may be converted. */
function wholeTuple(draft: Draft, fits: readonly Fit[], { label }: PairPath): Fit {
  const isWhole = fits.every((fit) => costOf(fit) > 0 || settlesToPass(fit.draft))
  return isWhole ? joinFits(draft, fits) : failing(reasons.tupleConverted(label))
}

/** Returns true when a draft changes nothing but, perhaps, copies an array. */
function isUnchanged(draft: Draft): boolean {
  if (draft.kind === 'object') {
    return draft.identity !== false && draft.fields.every((each) => isUnchanged(each.conversion))
  }
  return draft.kind === 'pass' || (draft.kind === 'array' && draft.from === draft.to)
}

/** The draft of one field with its reasons; `identity` when nothing changes at this node. */
interface FieldFit {
  readonly draft: DraftField
  readonly fit: Fit
  readonly identity: boolean
}

/** A field that is set to a constant, or one that cannot be filled. */
function constantField(to: string, fit: Fit, constant?: Json): FieldFit {
  const draft: DraftField = { to, conversion: { kind: 'pass' }, presence: 'required' }
  return { draft: constant === undefined ? draft : { ...draft, constant }, fit, identity: false }
}

/** One object type that takes fields of a payload: no union, no array. */
class ObjectTarget {
  readonly #source: SourceFields
  readonly #type: ts.Type
  readonly #properties: readonly Property[]
  readonly #matcher: PayloadMatcher
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

  constructor(
    source: SourceFields,
    type: ts.Type,
    properties: readonly Property[],
    matcher: PayloadMatcher,
    path: PairPath,
  ) {
    this.#source = source
    this.#type = type
    this.#properties = properties
    this.#matcher = matcher
    this.#path = path
    this.#index = matcher.reader.stringIndex(type)
    this.#byName = new Map(properties.filter((each) => !isSymbolNamed(each)).map((each) => [each.name, each]))
    this.#targets = [...this.#byName.keys()].filter((name) => !source.constants.has(name))
    const names = source.fields.map(({ name }) => name)
    this.#pairs = matchNames(names, this.#targets, source.rename)
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
    if (property !== undefined) return this.#intoSlot(field, property.name, property.type(), property.optional)
    return this.#index === undefined ? this.#unused(field) : this.#intoIndex(field, this.#index)
  }

  #intoSlot(field: ShapeField, to: string, type: ts.Type, optional: boolean): FieldFit {
    const from = field.name
    const path = fieldPath(this.#path, from, to, from)
    const { fit, presence, identity } = this.#matcher.intoSlot(field, type, optional, path)
    return { draft: { from, to, conversion: fit.draft, presence }, fit, identity: identity && from === to }
  }

  /** `rename` and `constants` can name the fields of the payload and of the object that takes them, no deeper ones. */
  get #isTop(): boolean {
    return this.#path.label === ''
  }

  #intoIndex(field: ShapeField, index: ts.Type): FieldFit {
    const to = this.#source.rename.get(field.name) ?? field.name
    const elsewhere = this.#declaredElsewhere(field, to)
    if (elsewhere !== undefined) return constantField(to, elsewhere)
    const slot = this.#intoSlot(field, to, index, true)
    const remark = reasons.onlyIndex(labelBelow(this.#path, to), this.#matcher.reader.describe(this.#type), {
      near: nearestNames(field.name, this.#unfilled),
      field: this.#isTop ? field.name : undefined,
    })
    // An object that declares no fields at all is meant to take any.
    const fit = this.#byName.size === 0 ? slot.fit : withReasons(slot.fit, remark)
    return { ...slot, fit: { ...fit, used: fit.used - 1 } }
  }

  /** Fails where another object declares the field and cannot take it: an index signature that does would hide that. */
  #declaredElsewhere(field: ShapeField, to: string): Fit | undefined {
    const { alternatives, parameters } = this.#source.others ?? { alternatives: [], parameters: [] }
    const { reader } = this.#matcher
    const path = fieldPath(this.#path, field.name, to, field.name)
    const owner = parameters.find((parameter) => declares(parameter, to, reader))
    if (owner !== undefined) return failing(reasons.declaredElsewhere(path.label, owner.name))
    return alternatives
      .flatMap((alternative) => reader.properties(alternative).filter(({ name }) => name === to))
      .map((property) => this.#matcher.intoSlot(field, property.type(), property.optional, path).fit)
      .find((fit) => costOf(fit) > 0)
  }

  #unused({ name }: ShapeField): FieldFit {
    const target = this.#source.rename.get(name)
    const near = nearestNames(target ?? name, this.#unfilled)
    if (target !== undefined) return constantField(name, failing(reasons.renamedTo(name, target, near)))
    const details = { near, field: this.#isTop ? name : undefined }
    return constantField(name, failing(reasons.unusedField(labelBelow(this.#path, name), 'field', details)))
  }

  #constant(name: string, value: Json): FieldFit {
    const type = this.#byName.get(name)?.type() ?? this.#index
    if (type === undefined) {
      return constantField(name, failing(reasons.noFieldToSet(name, nearestNames(name, this.#targets), 'field')), value)
    }
    // The two that the sum takes away are for literals that nobody asked for.
    return constantField(name, { ...this.#matcher.constant(name, value, type, this.#path), used: 2 }, value)
  }

  /** A required property without a source: the only value it can have, else a failure. */
  #missing(property: Property): FieldFit {
    const { reader } = this.#matcher
    const { name } = property
    const type = property.type()
    const [only, ...others] = reader.literalValues(type) ?? []
    if (only !== undefined && others.length === 0) return constantField(name, passing, only)
    const label = labelBelow(this.#path, name)
    if (isSymbolNamed(property) || reader.parts(type).objects.some((object) => reader.isCallable(object))) {
      return constantField(name, failing(reasons.requiredFunction(isSymbolNamed(property) ? 'of a symbol' : label)))
    }
    const spare = this.#source.fields.map((field) => field.name).filter((field) => !this.#pairs.has(field))
    const details = {
      near: nearestNames(name, spare),
      ...(this.#isTop && { field: name, setTo: this.#matcher.constantFor(type) }),
    }
    return constantField(name, failing(reasons.fieldWithoutSource(label, reader.describe(type), details)))
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
    const refused = this.#matcher.undeclaredInto(declared, additional, fit.draft, this.#path)
    return refused ?? (isUnchanged(fit.draft) ? fit : failing(reasons.undeclaredConverted(what)))
  }
}
