import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import { bestFit, costOf, type Fit, failing, joinFits, passing } from './fit.js'
import { payloadList } from './lists.js'
import { itemPath, Matcher, type PairPath } from './matcher.js'
import { ObjectTarget, type SourceFields } from './payload-object.js'
import { undeclaredInto } from './payload-slot.js'
import { reasons } from './reasons.js'
import { payloadScalar, payloadTyped } from './scalars.js'
import { discriminator, type ShapeOf } from './shapes.js'
import type { TypeParts } from './type-parts.js'

const maxSplits = 50

export class PayloadMatcher extends Matcher {
  protected override readonly whole = 'the payload'

  protected override guards(shape: Shape): boolean {
    const { nullable, inner } = this.shapes.withoutNull(shape)
    return nullable && inner !== undefined
  }

  protected override compare(shape: Shape, type: ts.Type, path: PairPath): Fit {
    const parts = this.reader.parts(type)
    if (parts.any === 'unresolved') return failing(reasons.unresolved(this.named(path), this.reader.describe(type)))
    if (parts.open || shape.kind === 'never') return passing
    const fit = this.#compareClosed(shape, parts, type, path)
    if (parts.deferred.length === 0) return fit
    if (costOf(fit) === 0 && parts.deferred.every((each) => this.#isFilter(each))) return fit
    // TypeScript selects the branch of a conditional type after it infers the type argument, so a matching branch proves nothing.
    return failing(reasons.typeParameter(this.named(path), this.reader.describe(type)))
  }

  /** A type of the form `T extends C ? T : never` accepts or rejects an argument, but does not change the type of the argument. */
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
        return payloadList(shape, parts, type, path, this)
      case 'typed':
        return payloadTyped(shape, parts, type, this.named(path), this.reader)
      case 'boolean':
      case 'string':
      case 'number':
      case 'literals':
        return payloadScalar(shape, parts, type, path.label, this.reader)
      default:
        return failing(reasons.anyJson(this.named(path), this.reader.describe(type)))
    }
  }

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

  intoObjects(source: SourceFields, type: ts.Type, path: PairPath): Fit {
    const { reader } = this
    const targets = reader.parts(type).objects.filter((object) => !reader.isList(object))
    const at = targets.length > 1 ? { ...path, nameable: false } : path
    const best = bestFit(targets.map((target) => this.#intoTarget(source, target, targets, at)))
    if (best === undefined) return failing(reasons.takesOther(this.named(path), 'an object', reader.describe(type)))
    if (costOf(best) === 0 || targets.length < 2) return best
    return this.#splitByField(source, targets, at) ?? best
  }

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
      const refused = undeclaredInto(properties, additional, fit.draft, path, this)
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

  #isExcluded(alternative: ts.Type, fields: readonly ShapeField[]): boolean {
    return fields.some((field) => {
      const shape = this.shapes.resolve(field.shape)
      const values = shape.kind === 'literals' ? this.reader.literalsOf(alternative, field.name) : undefined
      return shape.kind === 'literals' && values !== undefined && !values.some((each) => shape.values.includes(each))
    })
  }

  /** Each value of a field such as `role: 'system' | 'user'` can match a different alternative of a union. */
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
}
