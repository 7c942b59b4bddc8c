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

/** The three steps from a payload to a result. `payload` or `result` is left out where the mapper is required. */
export type ServiceToolSteps<Payload, MethodArgs extends readonly unknown[], MethodResult, Result> = {
  /** Calls the method on its owner. */
  readonly call: (
    args: MethodArgs,
    meta: ToolCallMeta,
  ) => MethodResult | Provenanced<MethodResult> | PromiseLike<MethodResult | Provenanced<MethodResult>>
} & PayloadSide<Payload, MethodArgs> &
  ResultSide<MethodResult, Result>

/** One tool of a service executor. */
export interface ServiceTool {
  run(payload: unknown, meta: ToolCallMeta): Promise<unknown>
}

/**
 * Joins the steps of one tool. A mapper replaces or wraps the generated transform of its side.
 *
 * @example
 * serviceTool({
 *   payload: (payload: GetOrderPayload): Args<Client['fetchOrder']> => [{ orderId: payload.order_id }],
 *   call: (args) => client.fetchOrder(...args),
 *   result: (order): GetOrderResult => ({ id: order.id }),
 *   mappers: options.mappers?.getOrder,
 * })
 */
export function serviceTool<Payload, MethodArgs extends readonly unknown[], MethodResult, Result>(
  steps: ServiceToolSteps<Payload, MethodArgs, MethodResult, Result>,
): ServiceTool {
  const { call } = steps
  const toArguments = payloadStep<Payload, MethodArgs>(steps)
  const toResult = resultStep<MethodResult, Result>(steps)
  return {
    async run(payload, meta) {
      // The codec of this very tool decoded the payload; its type ends at the executor's generic border.
      const given = toArguments(payload as Payload, meta)
      // Generated transforms answer at once: nothing is waited for then.
      const args = Array.isArray(given) ? given : await given
      const answer: MethodResult | Provenanced<MethodResult> = await call(args, meta)
      // The generated transform and the mapper see what the method answered, not what it said about it.
      if (!isProvenanced(answer)) return toResult(answer, meta)
      const result: unknown = await toResult(answer.value, meta)
      return isProvenanced(result)
        ? provenanced(result.value, { ...answer.detail, ...result.detail })
        : provenanced(result, answer.detail)
    },
  }
}

function payloadStep<Payload, MethodArgs extends readonly unknown[]>(
  side: PayloadSide<Payload, MethodArgs>,
): PayloadMap<Payload, MethodArgs> {
  if (side.payload === undefined) return side.mappers.payload
  const transform = side.payload
  const wrap = side.mappers?.payload
  return wrap ? (payload, meta) => wrap(payload, meta, (inner) => transform(inner, meta)) : transform
}

function resultStep<MethodResult, Result>(side: ResultSide<MethodResult, Result>): ResultMap<MethodResult, Result> {
  if (side.result === undefined) return side.mappers.result
  const transform = side.result
  const wrap = side.mappers?.result
  return wrap ? (result, meta) => wrap(result, meta, (inner) => transform(inner, meta)) : transform
}
