import type { ts } from 'ts-morph'
import type { Schema, ServiceToolIr, ToolIr } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { type Finding, type Fit, failing, faults, spotAt } from './match.js'
import type { Method } from './method.js'
import { isCallback, parametersOf } from './parameters.js'
import { payloadRules } from './payload.js'
import { type CallBinding, type CallFit, fitCall } from './payload-call.js'
import { resultRules } from './result.js'
import { listOf, partsOf, unionOf } from './type-parts.js'
import {
  builtinName,
  describeType,
  isHidden,
  isSymbolNamed,
  propertiesOf,
  type TypeReader,
  typeArgumentsOf,
} from './types.js'
import { type ShapeResolver, shapeResolver, startWalk } from './walk.js'

/** A part of what a method answers, and how it fits what the tool says of it. */
export interface PartFit {
  readonly type: ts.Type
  readonly fit: Fit
}

/** Fit between a method's response and a tool. */
interface AnswerFit {
  readonly result: PartFit
  /** Of each item of a stream; there where the tool streams and the method does. */
  readonly update?: PartFit
}

/** Compares what a signature answers with the result of the tool, and the items of a stream with its updates. */
function fitAnswer(answer: Answer, method: Method, side: ToolSide, reader: TypeReader): AnswerFit {
  const { item } = answer
  const whole = (fit: Fit): AnswerFit => ({ result: { type: valueType(answer.type, side, reader), fit } })
  if (item === undefined || side.streaming === undefined) return whole(fitOnce(answer, method, side, reader))
  if (method.optional.length > 0) {
    return whole(failing('TG4202', 'the method is optional, so that there may be no stream'))
  }
  const { collect, updates } = side.streaming
  const collected = collectedType(item, collect, answer, reader)
  return {
    result: { type: valueType(collected, side, reader), fit: fitCollected(collected, collect, side, reader) },
    update: { type: item, fit: fitShape(updates, item, 'item', side, reader) },
  }
}

/** Returns the type that the result is made from: the array of all items, or the last item. */
function collectedType(item: ts.Type, collect: 'list' | 'last', { type }: Answer, reader: TypeReader): ts.Type {
  return collect === 'last' ? item : listOf(item, type, reader)
}

/** Returns how the collected items of a stream fit the tool's result. */
function fitCollected(type: ts.Type, collect: 'list' | 'last', side: ToolSide, reader: TypeReader): Fit {
  return fitValue(type, collect === 'last' ? 'item' : 'items', side, reader)
}

function fitOnce(answer: Answer, method: Method, side: ToolSide, reader: TypeReader): Fit {
  if (answer.item !== undefined && !isValueToo(answer, reader)) return undeclared
  const fit = fitValue(answer.type, '', side, reader)
  if (answer.item !== undefined && fit.findings.some(({ weight }) => weight === 'hard')) {
    return { ...fit, findings: [...fit.findings, ...undeclared.findings] }
  }
  return method.optional.length > 0 ? maybeMissing(fit) : fit
}

const undeclared = failing('TG4211', 'the method answers with a stream, and the tool is not declared as streaming')

/** Returns whether an iterable type has fields of its own, such as a page of a list. */
function isValueToo({ type, isPromise }: Answer, reader: TypeReader): boolean {
  if (!isPromise || builtinName(type, reader) !== undefined) return false
  return propertiesOf(type, reader).some(
    (property) => !isSymbolNamed(property) && !isHidden(property, reader) && !isMethod(property.type(), reader),
  )
}

function isMethod(type: ts.Type, { checker, ts }: TypeReader): boolean {
  return checker.getSignaturesOfType(type, ts.SignatureKind.Call).length > 0
}

function fitValue(type: ts.Type, label: string, side: ToolSide, reader: TypeReader): Fit {
  if (side.answer.from === undefined) return fitShape(side.result, type, label, side, reader)
  const data = unwrapped(type, 'data', reader)
  if (data === undefined) {
    return failing(
      'TG4200',
      `\`result: { from: 'data' }\` asks for \`.data\`, which ${describeType(type, reader)} does not have`,
    )
  }
  const { undefined: isMaybe, null: isNullable } = partsOf(type, reader)
  if (isMaybe || isNullable) {
    return failing('TG4203', `the answer ${describeType(type, reader)} may be missing as a whole`)
  }
  return fitShape(side.result, data, label, side, reader)
}

function fitShape(shape: Shape, type: ts.Type, label: string, side: ToolSide, reader: TypeReader): Fit {
  return startWalk(resultRules, reader, side.shapes).fit(shape, type, spotAt(label))
}

/** Returns the type to compare with the tool: that of `.data` if the binding selects it. */
function valueType(type: ts.Type, side: ToolSide, reader: TypeReader): ts.Type {
  return side.answer.from === 'data' ? (unwrapped(type, 'data', reader) ?? type) : type
}

/** A method that the client may lack answers undefined. */
function maybeMissing(fit: Fit): Fit {
  const soft: Finding = { code: 'TG4202', weight: 'soft', message: 'the method is optional, so that it may not answer' }
  const draft = { kind: 'nullable', inner: fit.draft, of: 'undefined' } as const
  return { ...fit, draft, findings: [...fit.findings, soft] }
}

/** The shapes of a tool and what its binding says. */
export interface ToolSide {
  readonly payload: Shape
  readonly result: Shape
  readonly shapes: ShapeResolver
  readonly binding: CallBinding
  /** See `ServiceToolIr.result`. */
  readonly answer: ServiceToolIr['result']
  /** There where the tool streams. */
  readonly streaming?: { readonly updates: Shape; readonly collect: 'list' | 'last' }
}

/** @param defs the definitions of the tool's toolset */
export function toolSide(tool: ToolIr, bound: ServiceToolIr, defs: Readonly<Record<string, Schema>>): ToolSide {
  const { collect = 'list' } = bound
  return {
    payload: shapeOf(tool.payload, defs),
    result: shapeOf(tool.result, defs),
    shapes: shapeResolver(defs),
    binding: { rename: new Map(Object.entries(bound.rename)), constants: new Map(Object.entries(bound.constants)) },
    answer: bound.result,
    ...(tool.updates === undefined ? {} : { streaming: { updates: shapeOf(tool.updates, defs), collect } }),
  }
}

/** One signature with how the tool fits it. */
export interface Candidate extends AnswerFit {
  readonly signature: ts.Signature
  readonly fromLast: number
  readonly answer: Answer
  readonly call: CallFit
}

/**
 * The signature to call: without a required callback, with a stream where the tool streams, with the fewest faults, a
 * promise rather than a stream rather than a bare value, then with the most fields used, then the first.
 */
export function chooseSignature(method: Method, side: ToolSide, reader: TypeReader): Candidate {
  const usable = withoutCallbacks(method.signatures, reader)
  const streams = side.streaming && usable.filter((signature) => answerOf(signature, reader).item !== undefined)
  const candidates = (streams?.length ? streams : usable).map((signature) =>
    candidateOf(signature, method, side, reader),
  )
  const [first, ...others] = candidates
  if (first === undefined) throw new Error('A method without signatures is no method.')
  return others.reduce((best, each) => (isBetter(each, best) ? each : best), first)
}

function withoutCallbacks(signatures: readonly ts.Signature[], reader: TypeReader): readonly ts.Signature[] {
  const answering = signatures.filter((signature) => {
    const needsCallback = parametersOf(signature, reader).some((each) => !each.optional && isCallback(each, reader))
    return !needsCallback && !answerOf(signature, reader).isVoid
  })
  return answering.length > 0 ? answering : signatures
}

function candidateOf(signature: ts.Signature, method: Method, side: ToolSide, reader: TypeReader): Candidate {
  const answer = answerOf(signature, reader)
  const call = fitCall(side.payload, signature, side.binding, startWalk(payloadRules, reader, side.shapes))
  return {
    signature,
    fromLast: method.signatures.length - 1 - method.signatures.indexOf(signature),
    answer,
    call,
    ...fitAnswer(answer, method, side, reader),
  }
}

function isBetter(a: Candidate, b: Candidate): boolean {
  const difference = faultsOf(a) - faultsOf(b)
  if (difference !== 0) return difference < 0
  const kinds = rank(b.answer) - rank(a.answer)
  if (kinds !== 0) return kinds < 0
  return usedBy(a) > usedBy(b)
}

function faultsOf({ call, ...parts }: Candidate): number {
  return faults({ ...call, draft: { kind: 'pass' } }) + fitsOf(parts).reduce((sum, fit) => sum + faults(fit), 0)
}

function usedBy({ call, ...parts }: Candidate): number {
  return fitsOf(parts).reduce((sum, { used }) => sum + used, call.used)
}

function fitsOf({ result, update }: AnswerFit): readonly Fit[] {
  return update === undefined ? [result.fit] : [result.fit, update.fit]
}

function rank({ item, isPromise }: Answer): number {
  if (isPromise) return 2
  return item === undefined ? 0 : 1
}

/** Alternative that would fit: a field of the response, or another part of a stream. */
export type BindingFix = { readonly wrapper: string } | { readonly collect: 'list' | 'last' }

/** The names under which wrappers keep what the caller wants. */
const wrappers: readonly string[] = ['data', 'body', 'result']

/** The change with which the result would fit, for a hint; undefined when none or several would do. */
export function fixThatFits(candidate: Candidate, side: ToolSide, reader: TypeReader): BindingFix | undefined {
  const { update, answer } = candidate
  if (update !== undefined) return otherPart(candidate, side, reader)
  const found = wrappers.filter((name) => {
    const type = unwrapped(answer.type, name, reader)
    if (type === undefined || partsOf(type, reader).any !== undefined) return false
    return faults(startWalk(resultRules, reader, side.shapes).fit(side.result, type, spotAt(''))) === 0
  })
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? undefined : { wrapper: only }
}

function otherPart({ answer }: Candidate, side: ToolSide, reader: TypeReader): BindingFix | undefined {
  const { item } = answer
  if (item === undefined || side.streaming === undefined) return undefined
  const collect = side.streaming.collect === 'list' ? 'last' : 'list'
  const fit = fitCollected(collectedType(item, collect, answer, reader), collect, side, reader)
  return faults(fit) === 0 ? { collect } : undefined
}

/** Response type of a signature. */
interface Answer {
  /** Awaited, and without what the method says about it (`Provenanced`). */
  readonly type: ts.Type
  /** Item type of a stream. */
  readonly item: ts.Type | undefined
  /** A promise or another thenable. */
  readonly isPromise: boolean
  /** Can be awaited but is no `Promise` of the language, or a promise of another thenable. */
  readonly isThenable: boolean
  /** Declared without a value. */
  readonly isVoid: boolean
}

/** Reads what a signature answers: thenables are awaited, an async iterable is a stream. */
export function answerOf(signature: ts.Signature, reader: TypeReader): Answer {
  const { checker, ts } = reader
  const returned = signature.getReturnType()
  const awaited = checker.getAwaitedType(returned) ?? returned
  const isPromise = awaited !== returned
  const isVoid = (returned.flags & ts.TypeFlags.VoidLike) !== 0
  const isThenable = isPromise && !returnsPromise(returned, reader)
  const type = bareType(awaited, reader)
  return { type, item: streamItem(type, reader), isPromise, isThenable, isVoid }
}

function returnsPromise(type: ts.Type, reader: TypeReader): boolean {
  if (type.isUnion()) return type.types.every((each) => returnsPromise(each, reader) || !isAwaited(each, reader))
  return (
    builtinName(type, reader) === 'Promise' &&
    !typeArgumentsOf(type, reader).some((each) => holdsThenable(each, reader))
  )
}

/** True for a type with an alternative that has a method `then`: TypeScript awaits it as well. */
function holdsThenable(type: ts.Type, { checker }: TypeReader): boolean {
  const alternatives = type.isUnion() ? type.types : [type]
  return alternatives.some((each) => checker.getPropertyOfType(each, 'then') !== undefined)
}

function isAwaited(type: ts.Type, { checker }: TypeReader): boolean {
  return checker.getAwaitedType(type) !== type
}

/** The type of `.data`, for bindings that unwrap it; undefined when there is none. */
function unwrapped(type: ts.Type, name: string, { checker }: TypeReader): ts.Type | undefined {
  const property = checker.getPropertyOfType(checker.getNonNullableType(type), name)
  return property === undefined ? undefined : checker.getTypeOfSymbol(property)
}

/**
 * A type without the runtime's `Provenanced` around it: `Order` of `Provenanced<Order>`, and likewise for each
 * alternative of a union. The runtime takes the wrapper off before a transform or a mapper sees the answer.
 */
function bareType(type: ts.Type, reader: TypeReader): ts.Type {
  const alternatives = type.isUnion() ? type.types : [type]
  const inner = alternatives.map((each) => wrappedType(each, reader))
  if (inner.every((value) => value === undefined)) return type
  return unionOf([...new Set(inner.map((value, index) => value ?? alternatives[index] ?? type))], type, reader)
}

/** The value of a `Provenanced`; undefined for any other type. A user's type of the same name lacks the mark. */
function wrappedType(type: ts.Type, { checker }: TypeReader): ts.Type | undefined {
  if (type.getSymbol()?.name !== 'Provenanced') return undefined
  const isMarked = checker
    .getPropertiesOfType(type)
    .some(({ escapedName }) => /^__@MARK(?:@|$)/.test(escapedName.toString()))
  const value = isMarked ? checker.getPropertyOfType(type, 'value') : undefined
  return value === undefined ? undefined : checker.getTypeOfSymbol(value)
}

/** Returns the item type of an async iterable (generator, `ReadableStream`, class of a package), or `undefined`. */
function streamItem(type: ts.Type, reader: TypeReader): ts.Type | undefined {
  const iterator = returnedBy(type, (name) => name.startsWith('__@asyncIterator'), reader)
  const step = iterator && returnedBy(iterator, (name) => name === 'next', reader)
  const awaited = step && reader.checker.getAwaitedType(step)
  if (awaited === undefined) return undefined
  const steps = awaited.isUnion() ? awaited.types : [awaited]
  const items = steps.flatMap((each) => {
    const value = isEnd(each, reader) ? undefined : propertyType(each, 'value', reader)
    return value === undefined ? [] : [value]
  })
  return items.length === 0 ? undefined : unionOf([...new Set(items)], type, reader)
}

/** Returns the name of a method's return type. */
function returnedBy(
  owner: ts.Type,
  isNamed: (name: string) => boolean,
  { checker, ts }: TypeReader,
): ts.Type | undefined {
  const method = checker.getPropertiesOfType(owner).find(({ escapedName }) => isNamed(escapedName.toString()))
  const type = method && checker.getTypeOfSymbol(method)
  return type && checker.getSignaturesOfType(type, ts.SignatureKind.Call)[0]?.getReturnType()
}

/** The last step, whose value is no item: `{ done: true }`. */
function isEnd(step: ts.Type, reader: TypeReader): boolean {
  const done = propertyType(step, 'done', reader)
  return done !== undefined && reader.checker.typeToString(done) === 'true'
}

function propertyType(owner: ts.Type, name: string, { checker }: TypeReader): ts.Type | undefined {
  const property = checker.getPropertyOfType(owner, name)
  return property && checker.getTypeOfSymbol(property)
}
