import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape.js'
import { type Draft, type DraftCase, isDateToText } from './draft.js'
import { mergeDrafts } from './draft-merge.js'
import { bestFit, costOf, type Fit, failing, fitting, joinFits, passing, withReasons } from './fit.js'
import { notJson } from './json-types.js'
import { resultList, resultTuple } from './lists.js'
import { itemPath, Matcher, type PairPath } from './matcher.js'
import { reasons } from './reasons.js'
import { ObjectSource } from './result-object.js'
import { differ, resultBuiltin, resultScalars, type ScalarFit } from './scalars.js'
import { settlesToPass } from './settled.js'
import { discriminator, type ShapeOf } from './shapes.js'
import type { TypeParts } from './type-parts.js'

interface Alternative extends ScalarFit {
  readonly object?: ts.Type
}

export class ResultMatcher extends Matcher {
  protected override readonly whole = 'the response'
  readonly #source = new ObjectSource(this)

  protected override guards(_: Shape, type: ts.Type): boolean {
    const parts = this.reader.parts(type)
    return parts.null || parts.undefined
  }

  protected override compare(shape: Shape, type: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const parts = reader.parts(type)
    const what = this.named(path)
    if (parts.any === 'unresolved') return failing(reasons.unresolved(what, reader.describe(type)))
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
    const found = notJson(type, this.reader)
    return found === undefined ? passing : failing(reasons.holdsNoJson(this.named(path), found))
  }

  #compareParts(shape: Shape, parts: TypeParts, type: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const alternatives = withoutSharedLacks(this.#alternatives(shape, parts, path))
    const [first, ...others] = alternatives
    if (first === undefined) return differ(reader.describe(type), shape, this.named(path))
    if (others.length === 0) return first.fit
    const possible = alternatives.filter(({ fit }) => costOf(fit) < 100)
    if (possible.length > 0 && possible.length < alternatives.length) {
      // If only some alternatives match, the result codec can validate the response at run time.
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
    // The runtime function that converts a `Date` to a string also accepts strings.
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
    // Flattens nested unions, because the schema reader does not flatten an inner union with a discriminator.
    const variantsOf = (each: Shape): readonly Shape[] =>
      each.kind === 'union' ? each.variants.flatMap((variant) => variantsOf(this.shapes.resolve(variant))) : [each]
    const targets = variantsOf(shape)
    const perTarget = targets.map((target) => resultScalars(target, parts, this.named(path)))
    const scalars = (perTarget[0] ?? []).map(({ kind }, index) => ({
      kind,
      fit: bestFit(perTarget.flatMap((fits) => fits[index]?.fit ?? [])) ?? passing,
    }))
    const at = parts.objects.length * targets.length > 1 ? { ...path, nameable: false } : path
    // Without a discriminator, an undeclared field could make a second variant of a `oneOf` match.
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

  #targets(targets: readonly Shape[], object: ts.Type, path: PairPath): Fit {
    const best = bestFit(targets.map((target) => this.#target(target, object, path))) ?? passing
    if (costOf(best) === 0 || targets.length < 2) return best
    return this.#splitByField(targets, object, path) ?? best
  }

  #splitByField(targets: readonly Shape[], object: ts.Type, path: PairPath): Fit | undefined {
    const objects = targets.filter((target) => target.kind === 'object')
    for (const name of new Set(objects.flatMap(({ fields }) => fields.map((field) => field.name)))) {
      const values = this.reader.literalsOf(object, name)
      if (values === undefined || values.length < 2) continue
      const fits = values.flatMap((value) => {
        const allowing = objects.filter((target) => this.shapes.literalValues(target, name)?.includes(value))
        const fit = bestFit(allowing.map((target) => this.#source.fit(allowingAll(target, name, values), object, path)))
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
    const scalar = builtin === undefined ? undefined : resultBuiltin(builtin, shape, what)
    if (scalar !== undefined) return scalar
    const differs = (): Fit => differ(reader.describe(object), shape, what)
    if (shape.kind === 'array') return resultList(shape.items, object, path, this) ?? differs()
    if (shape.kind === 'tuple') return resultTuple(shape, object, path, this) ?? differs()
    if (shape.kind !== 'object' || builtin === 'Set' || reader.isList(object)) return differs()
    if (reader.isCallable(object)) return failing(reasons.aFunction(what))
    const record = this.#record(shape, object, builtin === 'Map', path)
    return record ?? (builtin === 'Map' ? differs() : this.#source.fit(shape, object, path))
  }

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
}

function allowingAll(target: ShapeOf<'object'>, name: string, values: readonly (string | number | boolean)[]) {
  const fields = target.fields.map((field) =>
    field.name === name
      ? { ...field, shape: { kind: 'literals' as const, values, schema: field.shape.schema } }
      : field,
  )
  return { ...target, fields }
}

/** An optional result field that one alternative of the response lacks is a mismatch only if all other alternatives lack the field too. */
function withoutSharedLacks(alternatives: readonly Alternative[]): readonly Alternative[] {
  const objects = alternatives.filter(({ kind }) => kind === 'object')
  const isSomewhere = (field: string): boolean =>
    objects.some((other) => !other.fit.reasons.some(({ lacks }) => lacks === field))
  return alternatives.map((alternative) => {
    const left = alternative.fit.reasons.filter(({ lacks }) => lacks === undefined || !isSomewhere(lacks))
    return { ...alternative, fit: { ...alternative.fit, reasons: left } }
  })
}

function sharedDraft(alternatives: readonly Alternative[]): Draft | undefined {
  const isPartial = ({ fit, kind }: Alternative): boolean =>
    kind === 'object' &&
    fit.draft.kind === 'object' &&
    fit.reasons.every(({ code, weight }) => weight !== 'hard' || code === 'TG4200')
  return alternatives.every(isPartial) ? mergeDrafts(alternatives.map(({ fit }) => fit.draft)) : undefined
}

/** The codec can receive the value unconverted if the codec removes the same undeclared fields as the conversion. */
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
