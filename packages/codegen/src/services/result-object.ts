import type { ts } from 'ts-morph'
import type { Shape, ShapeField } from '../schema/shape.js'
import type { Draft, DraftField } from './draft.js'
import { type Fit, failing, joinFits, withReasons } from './fit.js'
import { hasImplicitIndex, isPlain } from './json-types.js'
import { fieldPath, labelBelow, type Matcher, type PairPath } from './matcher.js'
import { matchNames, nearestNames } from './names.js'
import type { FieldConversion } from './plan.js'
import { reasons } from './reasons.js'
import { settlesToPass } from './settled.js'
import type { ShapeOf } from './shapes.js'
import type { Property } from './type-reader.js'

/** If an object schema contains only these keywords, the result codec can remove undeclared fields. */
const silentKeywords: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'title', 'description', '$comment', 'default', 'examples', 'deprecated'],
  ...['readOnly', 'writeOnly'],
])

interface FieldFit {
  readonly draft?: DraftField
  readonly fit: Fit
  readonly identity: boolean
}

export class ObjectSource {
  readonly #matcher: Matcher

  constructor(matcher: Matcher) {
    this.#matcher = matcher
  }

  fit(shape: ShapeOf<'object'>, type: ts.Type, path: PairPath): Fit {
    const { reader } = this.#matcher
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
      const fit = this.#matcher.fit(additional, index, below)
      const passes = fit.reasons.length > 0 || settlesToPass(fit.draft)
      rest.push(passes ? fit : failing(reasons.undeclaredResultConverted(this.#matcher.named(path))))
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

  #noData(type: ts.Type, label: string): Fit | undefined {
    const { reader } = this.#matcher
    for (const object of reader.parts(type).objects) {
      if (reader.isCallable(object)) return failing(reasons.aMethod(label))
      const then = reader.propertyType(object, 'then')
      if (reader.builtin(object) === 'Promise' || (then !== undefined && reader.isCallable(then))) {
        return failing(reasons.nestedPromise(`\`${label}\``))
      }
    }
    return undefined
  }

  #slot(
    field: ShapeField,
    type: ts.Type,
    optional: boolean,
    path: PairPath,
  ): { readonly fit: Fit; readonly presence: FieldConversion['presence']; readonly identity: boolean } {
    const { reader } = this.#matcher
    const parts = reader.parts(type)
    const isNeeded = field.required && field.default === undefined
    if (parts.open || parts.deferred.length > 0) {
      const presence = isNeeded ? 'required' : 'omit'
      return { fit: this.#matcher.fit(field.shape, type, path), presence, identity: isNeeded || optional }
    }
    const { nullable } = this.#matcher.shapes.withoutNull(field.shape)
    const mayLack = optional || parts.undefined
    const fit = this.#matcher.fit(field.shape, reader.checker.getNonNullableType(type), path)
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

  #undeclared(property: Property, additional: Shape, at: PairPath): Fit {
    const path = fieldPath(at, property.name, property.name, property.name)
    const type = property.type()
    const noData = this.#noData(type, path.label)
    if (noData !== undefined) return noData
    const fit = this.#matcher.fit(
      additional,
      property.optional ? this.#matcher.reader.checker.getNonNullableType(type) : type,
      path,
    )
    if (fit.reasons.length > 0 || fit.draft.kind === 'pass') return fit
    return failing(reasons.undeclaredFieldConverted(path.label))
  }

  /** The codec rejects class instances. `surplus`: the object has undeclared fields that the codec can remove. */
  #identity({ additional, schema }: ShapeOf<'object'>, type: ts.Type, spare: readonly Property[]): boolean | 'surplus' {
    const hasIndex = this.#matcher.reader.stringIndex(type) !== undefined
    if (type.isClass()) return false
    if (additional !== undefined) return hasIndex || hasImplicitIndex(type, this.#matcher.reader)
    if (spare.length === 0 && !hasIndex) return true
    const dropsUndeclared = Object.keys(schema).every((keyword) => silentKeywords.has(keyword))
    return dropsUndeclared && isPlain(type, spare, this.#matcher.reader) ? 'surplus' : false
  }
}
