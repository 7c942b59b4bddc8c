import type { ts } from 'ts-morph'
import type { Schema } from '../ir/types.js'
import type { Method } from './client.js'
import { costOf, type Fit, failing, withReasons } from './fit.js'
import { startPath } from './matcher.js'
import { isCallback, parametersOf } from './parameters.js'
import { PayloadMatcher } from './payload.js'
import { type CallFit, fitCall } from './payload-call.js'
import type { BindingOptions, BoundToolIr } from './plan.js'
import { reasons } from './reasons.js'
import { type Response, responseOf } from './response.js'
import { ResultMatcher } from './result.js'
import type { Shapes } from './shapes.js'
import type { TypeReader } from './type-reader.js'

export interface PartFit {
  readonly type: ts.Type
  readonly fit: Fit
}

export interface Candidate {
  readonly signature: ts.Signature
  readonly fromLast: number
  readonly response: Response
  readonly call: CallFit
  readonly result: PartFit
  readonly update?: PartFit
}

export type BindingFix = { readonly wrapper: string } | { readonly collect: 'list' | 'last' }

const wrappers: readonly string[] = ['data', 'body', 'result']

export class SignatureChoice {
  readonly #method: Method
  readonly #tool: BoundToolIr
  readonly #bound: BindingOptions
  readonly #shapes: Shapes
  readonly #reader: TypeReader

  constructor(method: Method, tool: BoundToolIr, bound: BindingOptions, shapes: Shapes, reader: TypeReader) {
    this.#method = method
    this.#tool = tool
    this.#bound = bound
    this.#shapes = shapes
    this.#reader = reader
  }

  best(): Candidate {
    const usable = this.#withoutCallbacks()
    const streams =
      this.#tool.updates !== undefined
        ? usable.filter((signature) => responseOf(signature, this.#reader).item !== undefined)
        : []
    const rank = ({ item, isPromise }: Response): number => (isPromise ? 2 : item === undefined ? 0 : 1)
    const ranked = (streams.length > 0 ? streams : usable).map((signature) => {
      const candidate = this.#candidate(signature)
      const { call, result, update, response } = candidate
      const parts = [call, result.fit, ...(update === undefined ? [] : [update.fit])]
      return {
        candidate,
        cost: parts.reduce((sum, part) => sum + costOf(part), 0),
        rank: rank(response),
        used: parts.reduce((sum, part) => sum + part.used, 0),
      }
    })
    // The sort is stable, so the first of equal candidates wins.
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
    const { rename, constants } = this.#bound
    const response = responseOf(signature, this.#reader)
    const matcher = new PayloadMatcher(this.#reader, this.#shapes)
    const binding = { rename: new Map(Object.entries(rename)), constants: new Map(Object.entries(constants)) }
    return {
      signature,
      fromLast: signatures.length - 1 - signatures.indexOf(signature),
      response,
      call: fitCall(this.#shapes.read(this.#tool.payload), signature, binding, matcher),
      ...this.#responseFit(response),
    }
  }

  #responseFit(response: Response): Pick<Candidate, 'result' | 'update'> {
    const { item, type } = response
    const { updates } = this.#tool
    const isOptional = this.#method.optional.length > 0
    if (item === undefined || updates === undefined) {
      return { result: { type: this.#valueType(type), fit: this.#fitOnce(response, isOptional) } }
    }
    if (isOptional) return { result: { type: this.#valueType(type), fit: failing(reasons.optionalStream) } }
    const collected = this.#collected(item, this.#bound.collect ?? 'list', response)
    return {
      result: { type: this.#valueType(collected.type), fit: collected.fit },
      update: { type: item, fit: this.#fitShape(updates, item, 'item') },
    }
  }

  #collected(item: ts.Type, collect: 'list' | 'last', { type }: Response): PartFit {
    const source = collect === 'last' ? item : this.#reader.arrayOf(item, type)
    return { type: source, fit: this.#fitValue(source, collect === 'last' ? 'item' : 'items') }
  }

  #fitOnce({ type, item, isPromise }: Response, isOptional: boolean): Fit {
    // An iterable response can also have fields that match the result, such as a page of results that loads further pages.
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
    const { result } = this.#tool
    if (this.#bound.result.from === undefined) return this.#fitShape(result, type, label)
    const data = this.#unwrapped(type, 'data')
    if (data === undefined) return failing(reasons.noData(this.#reader.describe(type)))
    const parts = this.#reader.parts(type)
    if (parts.undefined || parts.null) return failing(reasons.missingWhole(this.#reader.describe(type)))
    return this.#fitShape(result, data, label)
  }

  #fitShape(schema: Schema, type: ts.Type, label: string): Fit {
    return new ResultMatcher(this.#reader, this.#shapes).fit(this.#shapes.read(schema), type, startPath(label))
  }

  #valueType(type: ts.Type): ts.Type {
    return this.#bound.result.from === 'data' ? (this.#unwrapped(type, 'data') ?? type) : type
  }

  #unwrapped(type: ts.Type, name: string): ts.Type | undefined {
    return this.#reader.propertyType(this.#reader.checker.getNonNullableType(type), name)
  }

  fixFor({ update, response }: Candidate): BindingFix | undefined {
    if (update !== undefined) {
      if (response.item === undefined) return undefined
      const collect = this.#bound.collect === 'last' ? 'list' : 'last'
      return costOf(this.#collected(response.item, collect, response).fit) === 0 ? { collect } : undefined
    }
    const [wrapper, ...others] = wrappers.filter((name) => {
      const type = this.#unwrapped(response.type, name)
      if (type === undefined || this.#reader.parts(type).any !== undefined) return false
      return costOf(this.#fitShape(this.#tool.result, type, '')) === 0
    })
    return wrapper === undefined || others.length > 0 ? undefined : { wrapper }
  }
}
