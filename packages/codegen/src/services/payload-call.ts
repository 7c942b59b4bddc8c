import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import type { Draft, DraftField } from './draft.js'
import { bestFit, type Fit, failing, joinFits, passing } from './fit.js'
import { itemPath, type PairPath, startPath } from './matcher.js'
import { matchNames, nearestNames, wordsOfParameter } from './names.js'
import {
  declares,
  isBag,
  isSignal,
  isTrailing,
  type Parameter,
  parametersOf,
  signalKey,
  signalOption,
} from './parameters.js'
import type { PayloadMatcher } from './payload.js'
import type { SourceFields } from './payload-object.js'
import { constantFor, fitConstant, intoSlot } from './payload-slot.js'
import type { Reason } from './reason.js'
import { reasons } from './reasons.js'
import { isPresent } from './shapes.js'

export type ArgumentDraft =
  | { readonly kind: 'field' | 'spread'; readonly field: DraftField }
  | { readonly kind: 'bag'; readonly draft: Draft; readonly signal?: string }
  | { readonly kind: 'signal' }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'undefined' }

export interface CallFit {
  readonly args: readonly ArgumentDraft[]
  readonly reasons: readonly Reason[]
  readonly used: number
}

export interface CallBinding {
  /** By payload field: parameter or property of the method. */
  readonly rename: ReadonlyMap<string, string>
  readonly constants: ReadonlyMap<string, Json>
}

const absent: ArgumentDraft = { kind: 'undefined' }

/** Payload fields without a parameter of the same name become properties of one object parameter, such as `request`. */
export function fitCall(
  payload: Shape,
  signature: ts.Signature,
  binding: CallBinding,
  matcher: PayloadMatcher,
): CallFit {
  const call = new CallMatch(matcher.shapes.resolve(payload), parametersOf(signature, matcher.reader), binding, matcher)
  return bestFit(call.bags().map((bag) => call.withBag(bag))) ?? { args: [], reasons: [], used: 0 }
}

class CallMatch {
  readonly #payload: Shape
  readonly #fields: readonly ShapeField[]
  readonly #parameters: readonly Parameter[]
  readonly #binding: CallBinding
  readonly #matcher: PayloadMatcher

  constructor(payload: Shape, parameters: readonly Parameter[], binding: CallBinding, matcher: PayloadMatcher) {
    this.#payload = payload
    this.#fields = payload.kind === 'object' ? payload.fields : []
    this.#parameters = parameters
    this.#binding = binding
    this.#matcher = matcher
  }

  /** `undefined` means a call without an object parameter that receives several payload fields. */
  bags(): readonly (Parameter | undefined)[] {
    const bags = this.#parameters.filter(
      (parameter) => isBag(parameter, this.#matcher.reader) && !this.#isNamedAlone(parameter),
    )
    return [
      ...(bags.every((parameter) => this.#isFilledAlone(parameter)) ? [undefined] : []),
      ...bags.filter((parameter) => !isTrailing(parameter)),
      ...bags.filter((parameter) => isTrailing(parameter)),
    ]
  }

  #fieldOf(parameter: Parameter): ShapeField | undefined {
    const names = this.#fields.map(({ name }) => name)
    const [name] = matchNames(names, [parameter.name], this.#binding.rename, wordsOfParameter).keys()
    return this.#fields.find((each) => each.name === name)
  }

  #isFilledAlone(parameter: Parameter): boolean {
    if (parameter.optional || this.#binding.constants.has(parameter.name)) return true
    if (this.#matcher.reader.parts(parameter.type).undefined) return true
    return signalOption(parameter, this.#matcher.reader) !== undefined || this.#fieldOf(parameter) !== undefined
  }

  /** If the payload field has the name of the object parameter, the value of the field is the whole argument, and not a property of the argument. */
  #isNamedAlone(parameter: Parameter): boolean {
    const { reader } = this.#matcher
    const field = this.#fieldOf(parameter)
    if (field === undefined || declares(parameter, field.name, reader)) return false
    const kinds = this.#matcher.shapes.kindsOf(field.shape)
    // An object type without declared fields accepts any field.
    const declaresSome = reader.parts(parameter.type).objects.some((object) => reader.properties(object).length > 0)
    return (kinds.length === 0 || kinds.includes('object')) && declaresSome
  }

  withBag(bag: Parameter | undefined): CallFit {
    const { rename, constants } = this.#binding
    const names = this.#parameters.filter((parameter) => parameter !== bag).map(({ name }) => name)
    const matched = matchNames(
      this.#fields.map(({ name }) => name),
      names.filter((name) => !constants.has(name)),
      rename,
      wordsOfParameter,
    )
    const byParameter = new Map<string, ShapeField>()
    for (const field of this.#fields) {
      const parameter = this.#parameters.find(({ name }) => name === matched.get(field.name))
      if (parameter !== undefined && !this.#isTrapped(parameter, field)) byParameter.set(parameter.name, field)
    }
    const positional = new Set(byParameter.values())
    const left = this.#fields.filter((field) => !positional.has(field))
    const ofBag = new Map([...constants].filter(([name]) => !names.includes(name)))

    const fits: Fit[] = []
    const args = this.#parameters.map((parameter, index): ArgumentDraft => {
      const path = startPath(parameter.name, [{ kind: 'key', name: String(index) }])
      if (parameter === bag) {
        const fit = this.#intoBag(left, ofBag, parameter, { ...path, label: '' })
        fits.push(fit)
        return bagOf(fit.draft, signalKey(parameter, this.#matcher.reader))
      }
      const value = constants.get(parameter.name)
      if (value !== undefined) {
        fits.push(fitConstant(parameter.name, value, parameter.type, path, this.#matcher))
        return { kind: 'constant', value }
      }
      const field = byParameter.get(parameter.name)
      return field === undefined
        ? this.#withoutSource(parameter, left, fits)
        : this.#intoParameter(field, parameter, path, fits)
    })
    if (bag === undefined) {
      fits.push(...this.#unused(left, ofBag, byParameter))
      if (this.#payload.kind !== 'object') fits.push(failing(reasons.noObject(names)))
    }
    // Omits trailing arguments that are undefined.
    const written = args.slice(0, args.findLastIndex(({ kind }) => kind !== 'undefined') + 1)
    for (const [index, { name, exact }] of this.#parameters.entries()) {
      if (exact && written[index] === absent) fits.push(failing(reasons.exactParameter(name)))
    }
    const joined = joinFits({ kind: 'pass' }, fits)
    return { args: written, reasons: joined.reasons, used: joined.used + positional.size }
  }

  /**
   * A payload field can have the name of a parameter only by chance. For example, `options` in `(request: Request, options?: any)`, if `Request` has
   * a property `options`.
   */
  #isTrapped(parameter: Parameter, field: ShapeField): boolean {
    const { reader } = this.#matcher
    const isLoose = parameter.optional && reader.parts(parameter.type).any !== undefined
    if (!isLoose && !isTrailing(parameter)) return false
    return this.#parameters.some(
      (other) => other !== parameter && isBag(other, reader) && declares(other, field.name, reader),
    )
  }

  #intoBag(
    left: readonly ShapeField[],
    constants: ReadonlyMap<string, Json>,
    parameter: Parameter,
    path: PairPath,
  ): Fit {
    const payload = this.#payload
    const { reader } = this.#matcher
    if (payload.kind !== 'object') {
      const isChanged = this.#binding.rename.size > 0 || constants.size > 0
      return isChanged ? failing(reasons.notRenameable) : this.#matcher.fit(payload, parameter.type, path)
    }
    const rename = new Map([...this.#binding.rename].filter(([from]) => left.some(({ name }) => name === from)))
    const takesAny = reader
      .parts(parameter.type)
      .objects.some((object) => reader.checker.getIndexInfosOfType(object).length > 0)
    const parameters = takesAny ? this.#parameters.filter((other) => other !== parameter && isBag(other, reader)) : []
    const isComplete = left.length === payload.fields.length
    if (isComplete && rename.size === 0 && constants.size === 0 && parameters.length === 0) {
      return this.#matcher.fit(payload, parameter.type, path)
    }
    const { additional } = payload
    const source: SourceFields = {
      fields: left,
      additional,
      rename,
      constants,
      others: { alternatives: [], parameters },
    }
    const fit = this.#matcher.intoObjects(source, parameter.type, path)
    return isComplete ? fit : { ...fit, draft: partial(fit.draft) }
  }

  #intoParameter(field: ShapeField, parameter: Parameter, at: PairPath, fits: Fit[]): ArgumentDraft {
    const path: PairPath = { ...at, label: field.name, from: [{ kind: 'key', name: field.name }] }
    if (this.#matcher.reader.parts(parameter.type).any === 'written') {
      fits.push(failing(reasons.anyParameter(parameter.name)))
      return absent
    }
    const draft = { from: field.name, to: parameter.name }
    if (!parameter.rest) {
      const { fit, presence } = intoSlot(field, parameter.type, parameter.optional, path, this.#matcher)
      fits.push(fit)
      if (parameter.exact && presence.startsWith('omit')) fits.push(failing(reasons.exactParameter(parameter.name)))
      return { kind: 'field', field: { ...draft, conversion: fit.draft, presence } }
    }
    // An array field for a rest parameter: `...ids`.
    const { nullable, inner } = this.#matcher.shapes.withoutNull(field.shape)
    if (inner?.kind !== 'array') {
      fits.push(failing(reasons.takesSeveral(field.name, parameter.name)))
      return absent
    }
    const fit = this.#matcher.fit(inner.items, parameter.type, itemPath(path, 'array'))
    fits.push(fit)
    const conversion: Draft = { kind: 'array', items: fit.draft, from: 'array', to: 'array', identity: true }
    const presence = nullable || !isPresent(field) ? 'omitNull' : 'required'
    return { kind: 'spread', field: { ...draft, conversion, presence } }
  }

  #withoutSource(parameter: Parameter, left: readonly ShapeField[], fits: Fit[]): ArgumentDraft {
    const { reader } = this.#matcher
    const { name, type, exact, optional } = parameter
    // Later elements of a rest tuple cannot follow an omitted one.
    if (!exact || !optional) {
      if (isSignal(parameter, reader)) return { kind: 'signal' }
      const key = signalOption(parameter, this.#matcher.reader)
      if (key !== undefined) return bagOf({ kind: 'object', fields: [], rest: false, identity: false }, key)
    }
    const parts = reader.parts(type)
    if (optional || (parts.undefined && parts.any === undefined)) return absent
    const [only, ...others] = reader.literalValues(type) ?? []
    if (only !== undefined && others.length === 0) {
      fits.push({ ...passing, used: -2 })
      return { kind: 'constant', value: only }
    }
    const near = nearestNames(
      name,
      left.map((field) => field.name),
    )
    const setTo = constantFor(type, this.#matcher.reader)
    fits.push(failing(reasons.parameterWithoutSource(name, reader.describe(type), near, setTo)))
    return absent
  }

  #unused(
    left: readonly ShapeField[],
    constants: ReadonlyMap<string, Json>,
    byParameter: ReadonlyMap<string, ShapeField>,
  ): readonly Fit[] {
    const free = this.#parameters.map(({ name }) => name).filter((name) => !byParameter.has(name))
    const near = (name: string): readonly string[] => nearestNames(name, free)
    return [
      ...left.map(({ name }) => {
        const target = this.#binding.rename.get(name)
        if (target !== undefined) return failing(reasons.renamedTo(name, target, near(target)))
        return failing(reasons.unusedField(name, 'parameter', { near: near(name), field: name }))
      }),
      ...[...constants.keys()].map((name) => failing(reasons.noFieldToSet(name, near(name), 'parameter or field'))),
    ]
  }
}

/** The conversion must copy the object, because the object receives only some payload fields. */
function partial(draft: Draft): Draft {
  if (draft.kind === 'object') return { ...draft, identity: false }
  if (draft.kind !== 'choice') return draft
  return { ...draft, cases: draft.cases.map((each) => ({ ...each, draft: partial(each.draft) })) }
}

function bagOf(draft: Draft, signal: string | undefined): ArgumentDraft {
  const isFilled = draft.kind === 'object' && draft.fields.some(({ to }) => to === signal)
  return { kind: 'bag', draft, ...(signal !== undefined && !isFilled && { signal }) }
}
