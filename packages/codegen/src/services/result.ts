import type { ts } from 'ts-morph'
import type { Shape, ShapeField } from '../schema/shape.js'
import { type Draft, type DraftCase, type DraftField, isDateToText } from './draft.js'
import { mergeDrafts } from './draft-merge.js'
import { bestFit, costOf, type Fit, failing, fitting, joinFits, passing, withReasons } from './fit.js'
import { fieldPath, itemPath, labelBelow, Matcher, type PairPath } from './matcher.js'
import { matchNames, nearestNames } from './names.js'
import type { FieldConversion, ScalarConversion, ValueKind } from './plan.js'
import { reasons } from './reasons.js'
import { Settled, settlesToPass } from './settled.js'
import { describeShape, discriminator, formatOf, type ShapeOf } from './shapes.js'
import { type BuiltinName, isSymbolNamed, type LiteralPart, type Property, type TypeParts } from './type-reader.js'

interface Alternative {
  readonly fit: Fit
  readonly kind: ValueKind
  readonly object?: ts.Type
}

interface FieldFit {
  /** Absent when nothing is written. */
  readonly draft?: DraftField
  readonly fit: Fit
  readonly identity: boolean
}

/** Compares what a method returns with the results of a tool. */
export class ResultMatcher extends Matcher {
  protected override readonly whole = 'the answer'

  protected override guards(_: Shape, type: ts.Type): boolean {
    const parts = this.reader.parts(type)
    return parts.null || parts.undefined
  }

  protected override compare(shape: Shape, type: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const parts = reader.parts(type)
    const what = this.named(path)
    if (parts.any === 'unresolved') return failing(reasons.unresolved(what))
    if (shape.kind === 'unknown') return this.#anything(type, path)
    if (parts.open) return failing(reasons.untyped(what, parts.unknown ? 'unknown' : 'any'))
    if (parts.deferred.length > 0) return failing(reasons.deferredResponse(what, reader.describe(type)))
    const { nullable, inner } = this.shapes.withoutNull(shape)
    const onlyNull = (of: ts.Type): Fit => failing(reasons.returnsOther(what, reader.describe(of), 'null'))
    if (!parts.null && !parts.undefined) {
      return inner === undefined ? onlyNull(type) : this.#compareParts(inner, parts, type, path)
    }
    const bare = reader.checker.getNonNullableType(type)
    const isNothing = (bare.flags & reader.ts.TypeFlags.Never) !== 0
    if (nullable && isNothing) return parts.undefined ? fitting({ kind: 'null' }) : passing
    if (nullable && inner === undefined) return onlyNull(bare)
    if (inner === undefined || isNothing) return differ(reader.describe(type), shape, what)
    const fit = this.fit(inner, bare, path)
    if (nullable) {
      const draft: Draft = parts.undefined
        ? { kind: 'orNull', inner: fit.draft }
        : { kind: 'nullable', inner: fit.draft, of: 'null' }
      return { ...fit, draft }
    }
    const doubt = parts.undefined ? reasons.maybeUndefined : reasons.maybeNull
    const of = !parts.undefined ? 'null' : parts.null ? 'both' : 'undefined'
    const draft: Draft = { kind: 'nullable', inner: fit.draft, of }
    return withReasons({ ...fit, draft }, doubt(what, reader.describe(type)))
  }

  #anything(type: ts.Type, path: PairPath): Fit {
    const found = this.reader.notJson(type)
    return found === undefined ? passing : failing(reasons.holdsNoJson(this.named(path), found))
  }

  /** Every alternative of the response must fit the tool's result, and all by the same transform or by a discriminator. */
  #compareParts(shape: Shape, parts: TypeParts, type: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const alternatives = withoutSharedLacks(this.#alternatives(shape, parts, path))
    const [first, ...others] = alternatives
    if (first === undefined) return differ(reader.describe(type), shape, this.named(path))
    if (others.length === 0) return first.fit
    const possible = alternatives.filter(({ fit }) => costOf(fit) < 100)
    if (possible.length > 0 && possible.length < alternatives.length) {
      // Where some alternatives fit as they are, the result codec can decide at run time.
      const draft = sharedDraft(alternatives)
      if (draft !== undefined || possible.every(({ fit }) => keepsBytes(fit.draft))) {
        return failing(reasons.onlySomeFit(this.named(path), reader.describe(type)), draft)
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

  #alternatives(shape: Shape, parts: TypeParts, path: PairPath): readonly Alternative[] {
    // A union keeps another one inside where that has a discriminator.
    const variantsOf = (each: Shape): readonly Shape[] =>
      each.kind === 'union' ? each.variants.flatMap((variant) => variantsOf(this.shapes.resolve(variant))) : [each]
    const targets = variantsOf(shape)
    const perTarget = targets.map((target) => fitScalars(target, parts, this.named(path)))
    const scalars = (perTarget[0] ?? []).map(({ kind }, index) => ({
      kind,
      fit: bestFit(perTarget.flatMap((fits) => fits[index]?.fit ?? [])) ?? passing,
    }))
    const at = parts.objects.length * targets.length > 1 ? { ...path, nameable: false } : path
    // Without a discriminator, an undeclared field may make a second variant of a `oneOf` match.
    const choosesOne =
      shape.kind === 'union' && shape.discriminator === undefined && Object.hasOwn(shape.schema, 'oneOf')
    const objects = parts.objects.map((object) => {
      const fit = this.#targets(targets, object, at)
      const { draft } = fit
      const isSurplus = choosesOne && draft.kind === 'object' && draft.identity === 'surplus'
      return {
        object,
        kind: this.reader.kindOfObject(object),
        fit: isSurplus ? { ...fit, draft: { ...draft, identity: false } } : fit,
      }
    })
    return [...scalars, ...objects]
  }

  /** Compares one object type of the response with the alternatives of the tool. */
  #targets(targets: readonly Shape[], object: ts.Type, path: PairPath): Fit {
    const best = bestFit(targets.map((target) => this.#target(target, object, path))) ?? passing
    if (costOf(best) === 0 || targets.length < 2) return best
    return this.#splitByField(targets, object, path) ?? best
  }

  /**
   * Compares one object type whose field has several literals with alternatives of the tool that each allow some of them:
   * every value must find an alternative. Undefined where one does not.
   */
  #splitByField(targets: readonly Shape[], object: ts.Type, path: PairPath): Fit | undefined {
    const objects = targets.filter((target) => target.kind === 'object')
    for (const name of new Set(objects.flatMap(({ fields }) => fields.map((field) => field.name)))) {
      const values = this.reader.literalsOf(object, name)
      if (values === undefined || values.length < 2) continue
      const fits = values.flatMap((value) => {
        const allowing = objects.filter((target) => this.shapes.literalValues(target, name)?.includes(value))
        const fit = bestFit(allowing.map((target) => this.#object(allowingAll(target, name, values), object, path)))
        return fit === undefined || costOf(fit) > 0 ? [] : [fit]
      })
      if (fits.length < values.length) continue
      const cases = fits.map(({ draft }, index) => ({ kinds: [], values: values.slice(index, index + 1), draft }))
      return joinFits({ kind: 'choice', field: name, cases, splitsField: true }, fits)
    }
    return undefined
  }

  #target(shape: Shape, object: ts.Type, path: PairPath): Fit {
    const { reader } = this
    if (shape.kind === 'unknown') return this.#anything(object, path)
    const what = this.named(path)
    const builtin = reader.builtin(object)
    const scalar = builtin === undefined ? undefined : fitBuiltin(builtin, shape, what)
    if (scalar !== undefined) return scalar
    const differs = (): Fit => differ(reader.describe(object), shape, what)
    if (shape.kind === 'array') return this.#items(shape.items, object, path) ?? differs()
    if (shape.kind === 'tuple') return this.#tuple(shape, object, path) ?? differs()
    if (shape.kind !== 'object' || builtin === 'Set' || reader.isList(object)) return differs()
    if (reader.isCallable(object)) return failing(reasons.aFunction(what))
    const record = this.#record(shape, object, builtin === 'Map', path)
    return record ?? (builtin === 'Map' ? differs() : this.#object(shape, object, path))
  }

  /** Compares a record of the tool with a Map or an index signature; undefined where the type is neither. */
  #record({ additional, fields }: ShapeOf<'object'>, object: ts.Type, isMap: boolean, path: PairPath): Fit | undefined {
    const { reader } = this
    if (additional === undefined || fields.length > 0) return undefined
    const [keys, mapped] = isMap ? reader.typeArguments(object) : []
    if (isMap && (keys === undefined || (keys.flags & reader.ts.TypeFlags.StringLike) === 0)) return undefined
    const isPlain = !isMap && reader.properties(object).length === 0
    const values = isPlain ? reader.stringIndex(object) : mapped
    if (values === undefined) return undefined
    const inner = itemPath(path, 'record')
    const fit = this.fit(additional, values, isMap ? { ...inner, nameable: false } : inner)
    return { ...fit, draft: { kind: 'record', values: fit.draft, from: isMap ? 'map' : 'record', to: 'record' } }
  }

  /** Compares a list of the tool with an array, a tuple, a Set or a type that extends Array; undefined for any other. */
  #items(items: Shape, object: ts.Type, path: PairPath): Fit | undefined {
    const { reader } = this
    const { checker } = reader
    const inner = itemPath(path, 'array')
    if (checker.isTupleType(object)) {
      const fits = reader.typeArguments(object).map((item) => this.fit(items, item, inner))
      const [first] = fits
      if (first === undefined) return passing
      const [text, ...texts] = fits.map(({ draft }) => JSON.stringify(new Settled(draft).conversion))
      if (texts.some((each) => each !== text)) return failing(reasons.tupleItemsDiffer(path.label))
      return joinFits({ kind: 'array', items: first.draft, from: 'array', to: 'array', identity: true }, fits)
    }
    const isSet = reader.builtin(object) === 'Set'
    const bases = object.isClassOrInterface() ? checker.getBaseTypes(object) : []
    const list = isSet || checker.isArrayType(object) ? object : bases.find((base) => checker.isArrayType(base))
    const [item] = list === undefined ? [] : reader.typeArguments(list)
    if (item === undefined) return undefined
    const fit = this.fit(items, item, isSet ? { ...inner, nameable: false } : inner)
    const from = isSet ? 'set' : 'array'
    return { ...fit, draft: { kind: 'array', items: fit.draft, from, to: 'array', identity: !isSet } }
  }

  /** Compares a tuple of the tool with a tuple of the same length, item by item without conversions. */
  #tuple(shape: ShapeOf<'tuple'>, object: ts.Type, path: PairPath): Fit | undefined {
    const sources = this.reader.typeArguments(object)
    if (!this.reader.checker.isTupleType(object) || sources.length !== shape.items.length) return undefined
    const fits = this.itemFits(shape.items, sources, path)
    const passes = fits.every((fit) => settlesToPass(fit.draft))
    return passes ? joinFits({ kind: 'pass' }, fits) : failing(reasons.resultTupleConverted(path.label))
  }

  /** Takes the tool's fields out of one object type of the method's response. */
  #object(shape: ShapeOf<'object'>, type: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const { additional } = shape
    const byName = new Map(reader.visibleProperties(type).map((property) => [property.name, property]))
    const index = reader.stringIndex(type)
    const names = shape.fields.map(({ name }) => name)
    const pairs = matchNames([...byName.keys()], names)
    const sources = new Map([...pairs].map(([source, field]) => [field, source]))
    const spare = [...byName.values()].filter(({ name }) => !pairs.has(name))
    const spareNames = spare.map(({ name }) => name)
    const fits = shape.fields.map((field): FieldFit => {
      const property = byName.get(sources.get(field.name) ?? '')
      if (property !== undefined) return this.#fromProperty(field, property, path)
      if (index !== undefined) return this.#fromIndex(field, index, path)
      const lack = field.required ? reasons.lackingField : reasons.neverPresent
      const near = nearestNames(field.name, spareNames)
      return { fit: failing(lack(labelBelow(path, field.name), reader.describe(type), near)), identity: false }
    })
    const rest = additional === undefined ? [] : spare.map((property) => this.#undeclared(property, additional, path))
    if (index !== undefined && additional !== undefined) {
      const below = { ...path, label: `${path.label}[string]`, depth: path.depth + 1 }
      const fit = this.fit(additional, index, below)
      const passes = fit.reasons.length > 0 || settlesToPass(fit.draft)
      rest.push(passes ? fit : failing(reasons.undeclaredResultConverted(this.named(path))))
    }
    const draft: Draft = {
      kind: 'object',
      fields: fits.flatMap((each) => each.draft ?? []),
      rest: additional !== undefined,
      identity: fits.every(({ identity }) => identity) && this.#identity(shape, type, spare),
    }
    return {
      ...joinFits(draft, [...fits.map(({ fit }) => fit), ...rest]),
      used: fits.reduce((sum, { fit, draft: made }) => sum + fit.used + (made === undefined ? 0 : 1), 0),
    }
  }

  #fromProperty(field: ShapeField, property: Property, at: PairPath): FieldFit {
    const path = fieldPath(at, property.name, field.name, field.name)
    const noData = this.#noData(property.type(), path.label)
    if (noData !== undefined) return { fit: noData, identity: false }
    const { fit, presence, identity } = this.#slot(field, property.type(), property.optional, path)
    return {
      draft: { from: property.name, to: field.name, conversion: fit.draft, presence },
      fit,
      identity: identity && property.name === field.name,
    }
  }

  /** Fails for a property that is a function or a promise. */
  #noData(type: ts.Type, label: string): Fit | undefined {
    const { reader } = this
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
  #slot(
    field: ShapeField,
    type: ts.Type,
    optional: boolean,
    path: PairPath,
  ): { readonly fit: Fit; readonly presence: FieldConversion['presence']; readonly identity: boolean } {
    const { reader } = this
    const parts = reader.parts(type)
    const isNeeded = field.required && field.default === undefined
    if (parts.open || parts.deferred.length > 0) {
      const presence = isNeeded ? 'required' : 'omit'
      return { fit: this.fit(field.shape, type, path), presence, identity: isNeeded || optional }
    }
    const { nullable } = this.shapes.withoutNull(field.shape)
    const mayLack = optional || parts.undefined
    const fit = this.fit(field.shape, reader.checker.getNonNullableType(type), path)
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
    const doubted = around(!mayLack ? 'null' : parts.null ? 'both' : 'undefined')
    return {
      fit: withReasons(doubted, doubt(path.label, reader.describe(type))),
      presence: mayLack ? 'undefined' : 'required',
      identity: true,
    }
  }

  #fromIndex(field: ShapeField, type: ts.Type, at: PairPath): FieldFit {
    const path = fieldPath(at, field.name, field.name, field.name)
    const { fit, presence } = this.#slot({ ...field, required: false }, type, true, path)
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
  #undeclared(property: Property, additional: Shape, at: PairPath): Fit {
    const path = fieldPath(at, property.name, property.name, property.name)
    const type = property.type()
    const noData = this.#noData(type, path.label)
    if (noData !== undefined) return noData
    const fit = this.fit(additional, property.optional ? this.reader.checker.getNonNullableType(type) : type, path)
    if (fit.reasons.length > 0 || fit.draft.kind === 'pass') return fit
    return failing(reasons.undeclaredFieldConverted(path.label))
  }

  /**
   * Decides if the object itself could be the result. `surplus`: the codec drops its undeclared fields instead of
   * refusing, counting or keeping them. The codec takes no instance of a class.
   */
  #identity({ additional, schema }: ShapeOf<'object'>, type: ts.Type, spare: readonly Property[]): boolean | 'surplus' {
    const hasIndex = this.reader.stringIndex(type) !== undefined
    if (type.isClass()) return false
    if (additional !== undefined) return hasIndex || this.#hasImplicitIndex(type)
    if (spare.length === 0 && !hasIndex) return true
    const dropsUndeclared = Object.keys(schema).every((keyword) => silentKeywords.has(keyword))
    return dropsUndeclared && this.#isPlain(type, spare) ? 'surplus' : false
  }

  /** Returns true for types without a name of their own: the compiler accepts them for an index signature. */
  #hasImplicitIndex(type: ts.Type): boolean {
    const { SymbolFlags } = this.reader.ts
    const members = type.isIntersection() ? type.types : [type]
    const literal = SymbolFlags.TypeLiteral | SymbolFlags.ObjectLiteral
    return members.every((member) => ((member.getSymbol()?.flags ?? 0) & literal) !== 0)
  }

  /**
   * Returns true when an object of this type, with its undeclared fields, can be handed to the codec as it is: a plain
   * object whose undeclared fields are JSON, few, and do not lead back to an object that they are part of.
   */
  #isPlain(type: ts.Type, undeclaredFields: readonly Property[]): boolean {
    const { reader } = this
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
        return [...properties.map((property) => property.type()), ...indexed(object)].every((one) =>
          isPlain(one, inner),
        )
      })
    }
    return (
      reader.properties(type).every(isPlainMember) &&
      [...indexed(type), ...undeclaredFields.map((property) => property.type())].every((each) => isPlain(each, [type]))
    )
  }
}

/** Keywords under which the result codec drops every undeclared field. */
const silentKeywords: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'title', 'description', '$comment', 'default', 'examples', 'deprecated'],
  ...['readOnly', 'writeOnly'],
])

/** Maximum number of types in undeclared fields: a larger response is better reduced before the codec copies it. */
const maxSurplusTypes = 100

/** Widens a field to all its values: the value is allowed in this alternative, though its type says more. */
function allowingAll(target: ShapeOf<'object'>, name: string, values: readonly (string | number | boolean)[]) {
  const fields = target.fields.map((field) =>
    field.name === name
      ? { ...field, shape: { kind: 'literals' as const, values, schema: field.shape.schema } }
      : field,
  )
  return { ...target, fields }
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

/** Compares the scalars of a type with one variant of the tool's result (no union, no null), kind by kind. */
function fitScalars(shape: Shape, parts: TypeParts, what: string): readonly Alternative[] {
  const fits: Alternative[] = []
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
