import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import type { Draft, DraftField } from './draft.js'
import { costOf, type Fit, failing, joinFits, passing, withReasons } from './fit.js'
import { fieldPath, labelBelow, type Matcher, type PairPath } from './matcher.js'
import { matchNames, nearestNames } from './names.js'
import { declares, type Parameter } from './parameters.js'
import { constantFor, fitConstant, intoSlot, isUnchanged, undeclaredInto } from './payload-slot.js'
import { reasons } from './reasons.js'
import { describeShape } from './shapes.js'
import { isSymbolNamed, type Property } from './type-reader.js'

export interface SourceFields {
  readonly fields: readonly ShapeField[]
  readonly additional?: Shape | undefined
  readonly rename: ReadonlyMap<string, string>
  readonly constants: ReadonlyMap<string, Json>
  readonly others?: { readonly alternatives: readonly ts.Type[]; readonly parameters: readonly Parameter[] }
}

/** `identity` is false if the field requires a copy of the object, for example because the method uses another name for the field. */
interface FieldFit {
  readonly draft: DraftField
  readonly fit: Fit
  readonly identity: boolean
}

function constantField(to: string, fit: Fit, constant?: Json): FieldFit {
  const draft: DraftField = { to, conversion: { kind: 'pass' }, presence: 'required' }
  return { draft: constant === undefined ? draft : { ...draft, constant }, fit, identity: false }
}

/** `type` must not be a union or an array. */
export class ObjectTarget {
  readonly #source: SourceFields
  readonly #type: ts.Type
  readonly #properties: readonly Property[]
  readonly #matcher: Matcher
  readonly #path: PairPath
  readonly #index: ts.Type | undefined
  readonly #byName: ReadonlyMap<string, Property>
  readonly #targets: readonly string[]
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
      // Payload types can be interfaces. Unlike object literal types, they are not assignable to an index signature.
      identity: fits.every(({ identity }) => identity) && (this.#index === undefined || additional !== undefined),
    }
    return {
      ...joinFits(draft, [...fits.map(({ fit }) => fit), this.#undeclared()]),
      // A property that gets a constant instead of a payload field makes this object type a worse match.
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
    const { fit, presence, identity } = intoSlot(field, type, optional, path, this.#matcher)
    return { draft: { from, to, conversion: fit.draft, presence }, fit, identity: identity && from === to }
  }

  /** The options `rename` and `constants` apply only to fields of the object at the top level of the arguments. */
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
    // An object without declared fields accepts any fields.
    const fit = this.#byName.size === 0 ? slot.fit : withReasons(slot.fit, remark)
    return { ...slot, fit: { ...fit, used: fit.used - 1 } }
  }

  /** A field that another parameter or alternative declares must not match the index signature of this object by mistake. */
  #declaredElsewhere(field: ShapeField, to: string): Fit | undefined {
    const { alternatives, parameters } = this.#source.others ?? { alternatives: [], parameters: [] }
    const { reader } = this.#matcher
    const path = fieldPath(this.#path, field.name, to, field.name)
    const owner = parameters.find((parameter) => declares(parameter, to, reader))
    if (owner !== undefined) return failing(reasons.declaredElsewhere(path.label, owner.name))
    return alternatives
      .flatMap((alternative) => reader.properties(alternative).filter(({ name }) => name === to))
      .map((property) => intoSlot(field, property.type(), property.optional, path, this.#matcher).fit)
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
    // `used: 2` cancels the `-2` for constants in `fit`, because the design sets this constant.
    return constantField(name, { ...fitConstant(name, value, type, this.#path, this.#matcher), used: 2 }, value)
  }

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
      ...(this.#isTop && { field: name, setTo: constantFor(type, this.#matcher.reader) }),
    }
    return constantField(name, failing(reasons.fieldWithoutSource(label, reader.describe(type), details)))
  }

  /** An undeclared payload field can have the name of a declared property, and must then match the type of this property too. */
  #undeclared(): Fit {
    const { additional } = this.#source
    const what = this.#matcher.named(this.#path)
    if (additional === undefined) return passing
    if (this.#index === undefined) return failing(reasons.takesNoUndeclared(what))
    const label = `${this.#path.label}[${describeShape(additional)}]`
    const fit = this.#matcher.fit(additional, this.#index, { ...this.#path, label, depth: this.#path.depth + 1 })
    if (costOf(fit) > 0) return fit
    const declared = this.#unfilled.flatMap((name) => this.#byName.get(name) ?? [])
    const refused = undeclaredInto(declared, additional, fit.draft, this.#path, this.#matcher)
    return refused ?? (isUnchanged(fit.draft) ? fit : failing(reasons.undeclaredConverted(what)))
  }
}
