import type { ts } from 'ts-morph'
import type { Schema, ServiceToolIr, ToolIr } from '../ir/types.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import type { Method } from './client.js'
import { costOf, type Fit, failing, startPath, withReasons } from './matcher.js'
import { PayloadMatcher } from './payload.js'
import { type CallBinding, type CallFit, fitCall } from './payload-call.js'
import { reasons } from './reasons.js'
import { ResultMatcher } from './result.js'
import { Shapes } from './shapes.js'
import { isCallback, parametersOf, type Response, responseOf } from './signature-parts.js'
import type { TypeReader } from './type-reader.js'

/** The shapes of a tool and the design's options for its binding. */
export interface ToolShapes {
  readonly payload: Shape
  readonly result: Shape
  readonly shapes: Shapes
  readonly binding: CallBinding
  readonly response: ServiceToolIr['result']
  /** Present where the tool streams. */
  readonly streaming?: { readonly updates: Shape; readonly collect: 'list' | 'last' }
}

/** @param defs the definitions of the tool's toolset */
export function toolShapes(tool: ToolIr, bound: ServiceToolIr, defs: Readonly<Record<string, Schema>>): ToolShapes {
  const { collect = 'list' } = bound
  return {
    payload: shapeOf(tool.payload, defs),
    result: shapeOf(tool.result, defs),
    shapes: new Shapes(defs),
    binding: { rename: new Map(Object.entries(bound.rename)), constants: new Map(Object.entries(bound.constants)) },
    response: bound.result,
    ...(tool.updates !== undefined && { streaming: { updates: shapeOf(tool.updates, defs), collect } }),
  }
}

/** A part of a method's response and its comparison with the tool. */
export interface PartFit {
  readonly type: ts.Type
  readonly fit: Fit
}

/** One signature and its comparison with the tool. */
export interface Candidate {
  readonly signature: ts.Signature
  readonly fromLast: number
  readonly response: Response
  readonly call: CallFit
  readonly result: PartFit
  /** Of each item of a stream; present where the tool streams and the method does. */
  readonly update?: PartFit
}

/** A change of the binding with which the result would fit: another property of the response, or part of a stream. */
export type BindingFix = { readonly wrapper: string } | { readonly collect: 'list' | 'last' }

/** The names under which wrappers keep the value that the caller wants. */
const wrappers: readonly string[] = ['data', 'body', 'result']

/** Compares the signatures of a method with a tool. */
export class SignatureChoice {
  readonly #method: Method
  readonly #tool: ToolShapes
  readonly #reader: TypeReader

  constructor(method: Method, tool: ToolShapes, reader: TypeReader) {
    this.#method = method
    this.#tool = tool
    this.#reader = reader
  }

  /**
   * Returns the signature to call: without a required callback, with a stream where the tool streams, of least cost, a
   * promise rather than a stream rather than a bare value, then with the most fields used, then the first.
   */
  best(): Candidate {
    const usable = this.#withoutCallbacks()
    const streams = this.#tool.streaming
      ? usable.filter((signature) => responseOf(signature, this.#reader).item !== undefined)
      : []
    const candidates = (streams.length > 0 ? streams : usable).map((signature) => this.#candidate(signature))
    const rank = ({ item, isPromise }: Response): number => (isPromise ? 2 : item === undefined ? 0 : 1)
    const ranked = candidates.map((candidate) => {
      const { call, result, update, response } = candidate
      const parts = [call, result.fit, ...(update === undefined ? [] : [update.fit])]
      return {
        candidate,
        cost: parts.reduce((sum, part) => sum + costOf(part), 0),
        rank: rank(response),
        used: parts.reduce((sum, part) => sum + part.used, 0),
      }
    })
    // The sort is stable: of equals, the first stays first.
    const [best] = ranked.sort((a, b) => a.cost - b.cost || b.rank - a.rank || b.used - a.used)
    if (best === undefined) throw new Error('A method must have a signature.')
    return best.candidate
  }

  #withoutCallbacks(): readonly ts.Signature[] {
    const { signatures } = this.#method
    const returning = signatures.filter(
      (signature) =>
        !responseOf(signature, this.#reader).isVoid &&
        !parametersOf(signature, this.#reader).some((each) => !each.optional && isCallback(each, this.#reader)),
    )
    return returning.length > 0 ? returning : signatures
  }

  #candidate(signature: ts.Signature): Candidate {
    const { signatures } = this.#method
    const { payload, binding, shapes } = this.#tool
    const response = responseOf(signature, this.#reader)
    const matcher = new PayloadMatcher(this.#reader, shapes)
    return {
      signature,
      fromLast: signatures.length - 1 - signatures.indexOf(signature),
      response,
      call: fitCall(payload, signature, binding, matcher),
      ...this.#responseFit(response),
    }
  }

  /** Compares a response with the result of the tool, and the items of a stream with its updates. */
  #responseFit(response: Response): Pick<Candidate, 'result' | 'update'> {
    const { item } = response
    const { streaming } = this.#tool
    const isOptional = this.#method.optional.length > 0
    if (item === undefined || streaming === undefined || isOptional) {
      const isStream = item !== undefined && streaming !== undefined
      const fit = isStream ? failing(reasons.optionalStream) : this.#fitOnce(response, isOptional)
      return { result: { type: this.#valueType(response.type), fit } }
    }
    const collected = this.#collected(item, streaming.collect, response)
    return {
      result: { type: this.#valueType(collected.type), fit: collected.fit },
      update: { type: item, fit: this.#fitShape(streaming.updates, item, 'item') },
    }
  }

  /** Compares the source of a streaming tool's result: the list of all items, or the last one. */
  #collected(item: ts.Type, collect: 'list' | 'last', { type }: Response): PartFit {
    const source = collect === 'last' ? item : this.#reader.arrayOf(item, type)
    return { type: source, fit: this.#fitValue(source, collect === 'last' ? 'item' : 'items') }
  }

  #fitOnce({ type, item, isPromise }: Response, isOptional: boolean): Fit {
    // An iterable may have fields of its own, such as a page of a list.
    const isValue = (): boolean =>
      isPromise &&
      this.#reader.builtin(type) === undefined &&
      this.#reader.visibleProperties(type).some((property) => !this.#reader.isCallable(property.type()))
    if (item !== undefined && !isValue()) return failing(reasons.undeclaredStream)
    const fit = this.#fitValue(type, '')
    if (item !== undefined && fit.reasons.some(({ weight }) => weight === 'hard')) {
      return withReasons(fit, reasons.undeclaredStream)
    }
    if (!isOptional) return fit
    return withReasons(
      { ...fit, draft: { kind: 'nullable', inner: fit.draft, of: 'undefined' } },
      reasons.optionalMethod,
    )
  }

  #fitValue(type: ts.Type, label: string): Fit {
    const { result, response } = this.#tool
    if (response.from === undefined) return this.#fitShape(result, type, label)
    const data = this.#unwrapped(type, 'data')
    if (data === undefined) return failing(reasons.noData(this.#reader.describe(type)))
    const parts = this.#reader.parts(type)
    if (parts.undefined || parts.null) return failing(reasons.missingWhole(this.#reader.describe(type)))
    return this.#fitShape(result, data, label)
  }

  #fitShape(shape: Shape, type: ts.Type, label: string): Fit {
    return new ResultMatcher(this.#reader, this.#tool.shapes).fit(shape, type, startPath(label))
  }

  /** Returns the type that is compared with the tool: `.data` where the binding takes it out. */
  #valueType(type: ts.Type): ts.Type {
    return this.#tool.response.from === 'data' ? (this.#unwrapped(type, 'data') ?? type) : type
  }

  #unwrapped(type: ts.Type, name: string): ts.Type | undefined {
    return this.#reader.propertyType(this.#reader.checker.getNonNullableType(type), name)
  }

  /** Returns the change with which the result would fit, for a hint; undefined when none or several would work. */
  fixFor({ update, response }: Candidate): BindingFix | undefined {
    const { streaming, result } = this.#tool
    if (update !== undefined) {
      if (response.item === undefined || streaming === undefined) return undefined
      const collect = streaming.collect === 'list' ? 'last' : 'list'
      return costOf(this.#collected(response.item, collect, response).fit) === 0 ? { collect } : undefined
    }
    const [wrapper, ...others] = wrappers.filter((name) => {
      const type = this.#unwrapped(response.type, name)
      if (type === undefined || this.#reader.parts(type).any !== undefined) return false
      return costOf(this.#fitShape(result, type, '')) === 0
    })
    return wrapper === undefined || others.length > 0 ? undefined : { wrapper }
  }
}
