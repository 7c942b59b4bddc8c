import type { ProvenanceDetail } from '../../contract/executor.js'
import { isProvenanced, type Provenanced, provenanced } from '../result/provenanced.js'
import type { MetaSource } from '../tool/payload-door.js'
import type { PayloadMap, PayloadWrap, ResultMap, ResultWrap } from './mappers.js'

/** How the method's arguments are made: by a generated transform that may be wrapped, or by a mapper alone. */
export type PayloadSide<Payload, MethodArgs extends readonly unknown[]> =
  | {
      /** Takes the meta for methods that can be cancelled: their arguments carry its signal. */
      readonly payload: (payload: Payload, source: MetaSource) => MethodArgs
      readonly mappers?: { readonly payload?: PayloadWrap<Payload, MethodArgs> } | undefined
    }
  | { readonly payload?: never; readonly mappers: { readonly payload: PayloadMap<Payload, MethodArgs> } }

/** How the tool's result is made: by a generated transform that may be wrapped, or by a mapper alone. */
export type ResultSide<MethodResult, Result> =
  | {
      readonly result: (result: MethodResult) => Result
      readonly mappers?: { readonly result?: ResultWrap<MethodResult, Result> } | undefined
    }
  | { readonly result?: never; readonly mappers: { readonly result: ResultMap<MethodResult, Result> } }

/** One step of a tool. Only mappers and arguments that carry a signal ask for the meta of the call. */
export type Step<Given, Made> = (given: Given, source: MetaSource) => Made | Promise<Made>

/** The step from a payload to the method's arguments. */
export function payloadStep<Payload, MethodArgs extends readonly unknown[]>(
  side: PayloadSide<Payload, MethodArgs>,
): Step<Payload, MethodArgs> {
  if (side.payload === undefined) {
    const map = side.mappers.payload
    return (payload, source) => map(payload, source.meta)
  }
  const transform = side.payload
  const wrap = side.mappers?.payload
  return wrap ? (payload, source) => wrap(payload, source.meta, (inner) => transform(inner, source)) : transform
}

/** The step from what the method answered to the result. */
export function resultStep<MethodResult, Result>(side: ResultSide<MethodResult, Result>): Step<MethodResult, Result> {
  if (side.result === undefined) {
    const map = side.mappers.result
    return (result, source) => map(result, source.meta)
  }
  const transform = side.result
  const wrap = side.mappers?.result
  return wrap ? (result, source) => wrap(result, source.meta, (inner) => transform(inner)) : transform
}

/** A result with what its method said about it; what its mapper said counts before that. */
export function withDetail(result: unknown, detail: ProvenanceDetail): Provenanced {
  return isProvenanced(result)
    ? provenanced(result.value, { ...detail, ...result.detail })
    : provenanced(result, detail)
}
