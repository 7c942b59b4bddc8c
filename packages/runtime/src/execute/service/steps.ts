import type { ProvenanceDetail } from '../../contract/executor.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import { isProvenanced, type Provenanced, provenanced } from '../result/provenanced.js'
import type { PayloadMap, PayloadWrap, ResultMap, ResultWrap } from './mappers.js'

/** How the method's arguments are made: by a generated transform that may be wrapped, or by a mapper alone. */
export type PayloadSide<Payload, MethodArgs extends readonly unknown[]> =
  | {
      readonly payload: (payload: Payload, meta: ToolCallMeta) => MethodArgs
      readonly mappers?: { readonly payload?: PayloadWrap<Payload, MethodArgs> } | undefined
    }
  | { readonly payload?: never; readonly mappers: { readonly payload: PayloadMap<Payload, MethodArgs> } }

/** How the tool's result is made: by a generated transform that may be wrapped, or by a mapper alone. */
export type ResultSide<MethodResult, Result> =
  | {
      readonly result: (result: MethodResult, meta: ToolCallMeta) => Result
      readonly mappers?: { readonly result?: ResultWrap<MethodResult, Result> } | undefined
    }
  | { readonly result?: never; readonly mappers: { readonly result: ResultMap<MethodResult, Result> } }

/** The step from a payload to the method's arguments. */
export function payloadStep<Payload, MethodArgs extends readonly unknown[]>(
  side: PayloadSide<Payload, MethodArgs>,
): PayloadMap<Payload, MethodArgs> {
  if (side.payload === undefined) return side.mappers.payload
  const transform = side.payload
  const wrap = side.mappers?.payload
  return wrap ? (payload, meta) => wrap(payload, meta, (inner) => transform(inner, meta)) : transform
}

/** The step from what the method answered to the result. */
export function resultStep<MethodResult, Result>(
  side: ResultSide<MethodResult, Result>,
): ResultMap<MethodResult, Result> {
  if (side.result === undefined) return side.mappers.result
  const transform = side.result
  const wrap = side.mappers?.result
  return wrap ? (result, meta) => wrap(result, meta, (inner) => transform(inner, meta)) : transform
}

/** A result with what its method said about it; what its mapper said counts before that. */
export function withDetail(result: unknown, detail: ProvenanceDetail): Provenanced {
  return isProvenanced(result)
    ? provenanced(result.value, { ...detail, ...result.detail })
    : provenanced(result, detail)
}
