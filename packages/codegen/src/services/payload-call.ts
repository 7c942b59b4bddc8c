import type { ts } from 'ts-morph'
import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import {
  about,
  bestFit,
  type Finding,
  type Fit,
  failing,
  itemSpot,
  joinFits,
  mistaken,
  passing,
  type Spot,
  spotAt,
  type Walk,
} from './match.js'
import { matchNames, nearestNames, wordsOfParameter } from './match-fields.js'
import { declares, isBag, isTrailing, type Parameter, parametersOf } from './parameters.js'
import { fitObject } from './payload.js'
import { constantFits, constantOf, intoSlot } from './payload-object.js'
import type { Draft, DraftField, FieldConversion } from './plan.js'
import { isPresent, withoutNull } from './shape-views.js'
import { hasNonLiterals, partsOf } from './type-parts.js'
import { builtinName, describeType, type TypeReader } from './types.js'
import { kindsOfShape } from './value-kind.js'

/** An argument before its conversion is settled; see `ArgumentPlan`. */
export type ArgumentDraft =
  | { readonly kind: 'field' | 'spread'; readonly field: DraftField }
  | { readonly kind: 'bag'; readonly draft: Draft; readonly signal?: string }
  | { readonly kind: 'signal' }
  | { readonly kind: 'constant'; readonly value: Json }
  | { readonly kind: 'undefined' }

/** Conversion of a payload to the arguments of one signature. */
export interface CallFit {
  readonly args: readonly ArgumentDraft[]
  readonly findings: readonly Finding[]
  readonly used: number
}

/** Binding options of the design for a call. */
export interface CallBinding {
  /** Payload field → method field or parameter. */
  readonly rename: ReadonlyMap<string, string>
  /** Method field or parameter → constant. */
  readonly constants: ReadonlyMap<string, Json>
}

interface Scene {
  readonly root: Shape
  readonly fields: readonly ShapeField[]
  readonly parameters: readonly Parameter[]
  readonly binding: CallBinding
  readonly walk: Walk
}

/** The best way to call a signature with a payload: with each object parameter tried as the one that takes the rest. */
export function fitCall(payload: Shape, signature: ts.Signature, binding: CallBinding, walk: Walk): CallFit {
  const parameters = parametersOf(signature, walk.reader)
  const root = walk.resolve(payload)
  const fields = root.kind === 'object' ? root.fields : []
  const scene = { root, fields, parameters, binding, walk }
  const bags = parameters
    .map((parameter, index) => (isBag(parameter, walk.reader) ? index : -1))
    .filter((at) => at >= 0 && !isNamedAlone(parameters[at], scene))
  // A parameter that steers the call comes last: it takes fields only where nothing else does.
  const ordered = [
    ...(bags.every((at) => isFilledAlone(parameters[at], scene)) ? [undefined] : []),
    ...bags.filter((at) => !steers(parameters[at])),
    ...bags.filter((at) => steers(parameters[at])),
  ]
  const calls = ordered.map((bag) => callWith(bag, scene))
  const best = bestFit(calls.map(({ args: _, ...fit }) => ({ ...fit, draft: { kind: 'pass' } })))
  const found = calls.find(({ findings, used }) => findings === best?.findings && used === best.used)
  return found ?? { args: [], findings: [], used: 0 }
}

/** Without a bag, an object parameter that is required needs a field of its own name, or nothing but a signal. */
function isFilledAlone(parameter: Parameter | undefined, { fields, binding, walk }: Scene): boolean {
  if (parameter === undefined || parameter.optional || binding.constants.has(parameter.name)) return true
  if (partsOf(parameter.type, walk.reader).undefined) return true
  if (signalOption(parameter, walk.reader) !== undefined) return true
  const names = fields.map(({ name }) => name)
  return matchNames(names, [parameter.name], binding.rename, wordsOfParameter).size > 0
}

/** A field with the name of the parameter, which may be an object, is that parameter, not an undeclared field of it. */
function isNamedAlone(parameter: Parameter | undefined, { fields, binding, walk }: Scene): boolean {
  if (parameter === undefined) return false
  const names = fields.map(({ name }) => name)
  const [name] = matchNames(names, [parameter.name], binding.rename, wordsOfParameter).keys()
  const field = fields.find((each) => each.name === name)
  if (field === undefined || declares(parameter, field.name, walk.reader)) return false
  const kinds = kindsOfShape(field.shape, walk.resolve)
  return (kinds.length === 0 || kinds.includes('object')) && declaresSome(parameter, walk)
}

/** False for an object that declares no fields: it is meant to take any. */
function declaresSome({ type }: Parameter, { reader }: Walk): boolean {
  return partsOf(type, reader).objects.some((object) => reader.checker.getPropertiesOfType(object).length > 0)
}

function hasIndex({ type }: Parameter, { reader }: Walk): boolean {
  return partsOf(type, reader).objects.some((object) => reader.checker.getIndexInfosOfType(object).length > 0)
}

function steers(parameter: Parameter | undefined): boolean {
  return parameter !== undefined && isTrailing(parameter)
}

function callWith(bag: number | undefined, scene: Scene): CallFit {
  const { fields, parameters, binding, walk, root } = scene
  const names = parameters.filter((_, index) => index !== bag).map(({ name }) => name)
  const open = names.filter((name) => !binding.constants.has(name))
  const matched = matchNames(
    fields.map(({ name }) => name),
    open,
    binding.rename,
    wordsOfParameter,
  )
  const byParameter = new Map<string, ShapeField>()
  for (const field of fields) {
    const parameter = parameters.find(({ name }) => name === matched.get(field.name))
    if (parameter !== undefined && !isTrapped(parameter, field, scene)) byParameter.set(parameter.name, field)
  }
  const positional = new Set([...byParameter.values()].map(({ name }) => name))
  const left = fields.filter(({ name }) => !positional.has(name))
  const constants = new Map([...binding.constants].filter(([name]) => !names.includes(name)))

  const fits: Fit[] = []
  const args = parameters.map((parameter, index): ArgumentDraft => {
    const spot = argumentSpot(parameter.name, index)
    if (index === bag) {
      const fit = intoBag(left, constants, parameter, scene, { ...spot, label: '' })
      fits.push(fit)
      return bagOf(fit.draft, signalKey(parameter, walk.reader))
    }
    const constant = binding.constants.get(parameter.name)
    if (constant !== undefined) {
      fits.push(constantFits(parameter.name, constant, parameter.type, walk, spot))
      return { kind: 'constant', value: constant }
    }
    const field = byParameter.get(parameter.name)
    if (field !== undefined) return intoParameter(field, parameter, walk, spot, fits)
    return withoutSource(parameter, left, walk, fits)
  })
  if (bag === undefined) fits.push(...unusedFields(left, constants, byParameter, scene))
  if (bag === undefined && root.kind !== 'object') {
    fits.push(failing('TG4112', 'the payload is no object and the method takes none', names))
  }
  const written = withoutTail(args)
  for (const [index, { name, exact }] of parameters.entries()) {
    if (exact && written[index]?.kind === 'undefined') fits.push(neverUndefined(name))
  }
  const { findings, used } = joinFits({ kind: 'pass' }, fits)
  return { args: written, findings, used: used + positional.size }
}

function argumentSpot(name: string, index: number): Spot {
  return spotAt(name, [], [{ kind: 'key', name: String(index) }])
}

/** `(request, options?: any)` with a field `options`: it belongs into the object that declares it. */
function isTrapped(parameter: Parameter, field: ShapeField, { parameters, walk }: Scene): boolean {
  const isLoose = parameter.optional && partsOf(parameter.type, walk.reader).any !== undefined
  if (!isLoose && !isTrailing(parameter)) return false
  return parameters.some(
    (other) => other !== parameter && isBag(other, walk.reader) && declares(other, field.name, walk.reader),
  )
}

function intoBag(
  left: readonly ShapeField[],
  constants: ReadonlyMap<string, Json>,
  parameter: Parameter,
  { root, binding, parameters, walk }: Scene,
  spot: Spot,
): Fit {
  if (root.kind !== 'object') {
    if (binding.rename.size > 0 || constants.size > 0) {
      return failing('TG4007', 'the payload is no plain object, so that nothing in it can be renamed or set')
    }
    return walk.fit(root, parameter.type, spot)
  }
  const { additional } = root
  const rename = new Map([...binding.rename].filter(([from]) => left.some(({ name }) => name === from)))
  const rest = additional === undefined ? {} : { additional }
  const isWhole = left.length === root.fields.length && rename.size === 0 && constants.size === 0
  const others = hasIndex(parameter, walk)
    ? parameters.filter((other) => other !== parameter && isBag(other, walk.reader))
    : []
  if (isWhole && others.length === 0) return walk.fit(root, parameter.type, spot)
  const source = { fields: left, ...rest, rename, constants, others: { alternatives: [], parameters: others } }
  const fit = fitObject(source, parameter.type, walk, spot)
  return left.length === root.fields.length ? fit : { ...fit, draft: partial(fit.draft) }
}

/** The object takes only some of the payload's fields, so that the payload itself can never be it. */
function partial(draft: Draft): Draft {
  if (draft.kind === 'object') return { ...draft, identity: false }
  if (draft.kind !== 'choice') return draft
  return { ...draft, cases: draft.cases.map((each) => ({ ...each, draft: partial(each.draft) })) }
}

function intoParameter(field: ShapeField, parameter: Parameter, walk: Walk, at: Spot, fits: Fit[]): ArgumentDraft {
  const spot = { ...at, label: field.name, from: [{ kind: 'key' as const, name: field.name }] }
  const { any } = partsOf(parameter.type, walk.reader)
  if (any === 'written') {
    fits.push(failing('TG4105', `parameter \`${parameter.name}\` is typed any, so that nothing proves what it takes`))
    return { kind: 'undefined' }
  }
  if (parameter.rest) return intoRest(field, parameter, walk, spot, fits)
  const { fit, presence } = intoSlot(field, parameter.type, parameter.optional, walk, spot)
  fits.push(fit)
  if (parameter.exact && presence.startsWith('omit')) fits.push(neverUndefined(parameter.name))
  return { kind: 'field', field: fieldDraft(field, parameter, fit.draft, presence) }
}

function neverUndefined(name: string): Fit {
  return failing('TG4102', `\`${name}\` is an element of a rest tuple, which may be left out but not be undefined`)
}

function fieldDraft(
  field: ShapeField,
  parameter: Parameter,
  conversion: Draft,
  presence: FieldConversion['presence'],
): DraftField {
  return { from: field.name, to: parameter.name, conversion, presence }
}

/** An array field into a rest parameter: `...ids`. */
function intoRest(field: ShapeField, parameter: Parameter, walk: Walk, spot: Spot, fits: Fit[]): ArgumentDraft {
  const { nullable, inner } = withoutNull(walk.resolve(field.shape), walk.resolve)
  if (inner?.kind !== 'array') {
    fits.push(failing('TG4109', `\`${field.name}\` is no array, but \`...${parameter.name}\` takes several values`))
    return { kind: 'undefined' }
  }
  const fit = walk.fit(inner.items, parameter.type, itemSpot(spot, 'array'))
  fits.push(fit)
  const conversion: Draft = { kind: 'array', items: fit.draft, from: 'array', to: 'array', identity: true }
  const presence = nullable || !isPresent(field) ? 'omitNull' : 'required'
  return { kind: 'spread', field: fieldDraft(field, parameter, conversion, presence) }
}

function withoutSource(parameter: Parameter, left: readonly ShapeField[], walk: Walk, fits: Fit[]): ArgumentDraft {
  const signal = ofSignal(parameter, walk)
  if (signal !== undefined) return signal
  const parts = partsOf(parameter.type, walk.reader)
  if (parameter.optional || (parts.undefined && parts.any === undefined)) return { kind: 'undefined' }
  const [only] = parts.literals
  const isOpen = parts.string || parts.number || parts.boolean || parts.bigint || parts.unknown || parts.null
  if (only !== undefined && parts.literals.length === 1 && !hasNonLiterals(parts) && !isOpen && !only.isEnumMember) {
    fits.push({ ...passing, used: -2 })
    return { kind: 'constant', value: only.value }
  }
  const near = nearestNames(
    parameter.name,
    left.map(({ name }) => name),
  )
  const takes = describeType(parameter.type, walk.reader)
  const fit = failing('TG4101', `required parameter \`${parameter.name}: ${takes}\` has no source`, near)
  fits.push(about(fit, { field: parameter.name, ...constantOf(parameter.type, walk) }))
  return { kind: 'undefined' }
}

/** Returns the argument for a parameter that can receive the cancellation signal. */
function ofSignal(parameter: Parameter, { reader }: Walk): ArgumentDraft | undefined {
  // Before an element of a rest tuple that is left out, no later one can be given.
  if (parameter.exact && parameter.optional) return undefined
  if (isSignal(parameter, reader)) return { kind: 'signal' }
  const key = signalOption(parameter, reader)
  return key === undefined ? undefined : bagOf(noFields, key)
}

const noFields: Draft = { kind: 'object', fields: [], rest: false, identity: false }

function bagOf(draft: Draft, signal: string | undefined): ArgumentDraft {
  const isGiven = draft.kind === 'object' && draft.fields.some(({ to }) => to === signal)
  return { kind: 'bag', draft, ...(signal !== undefined && !isGiven && { signal }) }
}

function unusedFields(
  left: readonly ShapeField[],
  constants: ReadonlyMap<string, Json>,
  byParameter: ReadonlyMap<string, ShapeField>,
  { parameters, binding }: Scene,
): readonly Fit[] {
  const free = parameters.map(({ name }) => name).filter((name) => !byParameter.has(name))
  const fields = left.map(({ name }) => {
    const target = binding.rename.get(name)
    return target === undefined
      ? about(
          failing(
            'TG4112',
            `payload field \`${name}\` is used by no parameter of the method`,
            nearestNames(name, free),
          ),
          { field: name },
        )
      : mistaken(
          'TG4007',
          `\`${name}\` is renamed to \`${target}\`, which the method does not have`,
          { of: 'rename', entry: name, side: 'value' },
          nearestNames(target, free),
        )
  })
  const unknown = [...constants.keys()].map((name) =>
    mistaken(
      'TG4008',
      `the method has no parameter or field \`${name}\` to set`,
      { of: 'constants', entry: name, side: 'name' },
      nearestNames(name, free),
    ),
  )
  return [...fields, ...unknown]
}

/** Arguments that are left out at the end need not be written. */
function withoutTail(args: readonly ArgumentDraft[]): readonly ArgumentDraft[] {
  const last = args.findLastIndex(({ kind }) => kind !== 'undefined')
  return args.slice(0, last + 1)
}

/** The names under which methods take the signal that cancels them. */
const names: ReadonlySet<string> = new Set(['signal', 'abortSignal'])

/** True for `signal?: AbortSignal` as a parameter of its own. */
function isSignal(parameter: Parameter, reader: TypeReader): boolean {
  return !parameter.rest && names.has(parameter.name) && takesSignal(parameter.type, reader)
}

/** The key under which an object takes a signal; undefined where it takes none, or where only one of its variants may. */
function signalKey(parameter: Parameter, reader: TypeReader): string | undefined {
  const [object, ...others] = isBag(parameter, reader) ? partsOf(parameter.type, reader).objects : []
  if (object === undefined || others.length > 0) return undefined
  const { checker } = reader
  return checker
    .getPropertiesOfType(object)
    .find((property) => names.has(property.name) && takesSignal(checker.getTypeOfSymbol(property), reader))?.name
}

/** The key under which an object takes a signal, where it needs nothing else: `options?: { signal?: AbortSignal }`. */
function signalOption(parameter: Parameter, reader: TypeReader): string | undefined {
  const key = signalKey(parameter, reader)
  const properties = partsOf(parameter.type, reader).objects.flatMap((each) => reader.checker.getPropertiesOfType(each))
  const isFree = (property: ts.Symbol): boolean => (property.flags & reader.ts.SymbolFlags.Optional) !== 0
  return properties.every((property) => property.name === key || isFree(property)) ? key : undefined
}

function takesSignal(type: ts.Type, reader: TypeReader): boolean {
  return partsOf(type, reader).objects.some(
    (object) => object.getSymbol()?.name === 'AbortSignal' && builtinName(object, reader) !== undefined,
  )
}
