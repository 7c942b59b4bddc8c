import { isProvenanced, type Provenanced } from '../result/provenanced.js'
import type { MetaSource, PayloadTool } from '../tool/payload-door.js'
import { type PayloadSide, payloadStep, type ResultSide, resultStep, withDetail } from './steps.js'

/** The three steps from a payload to a result. `payload` or `result` is left out where the mapper is required. */
export type ServiceToolSteps<Payload, MethodArgs extends readonly unknown[], MethodResult, Result> = {
  /** Calls the method on its owner. */
  readonly call: (
    args: MethodArgs,
    source: MetaSource,
  ) => MethodResult | Provenanced<MethodResult> | PromiseLike<MethodResult | Provenanced<MethodResult>>
} & PayloadSide<Payload, MethodArgs> &
  ResultSide<MethodResult, Result>

/** One tool of a service executor. */
export interface ServiceTool extends PayloadTool {}

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
  // The generated transform and the mapper see what the method answered, not what it said about it.
  const resultOf = async ({ value, detail }: Provenanced<MethodResult>, source: MetaSource): Promise<unknown> =>
    withDetail(await toResult(value, source), detail)
  return {
    ask: (payload, source) => {
      // The codec of this very tool decoded the payload; its type ends at the executor's generic border.
      const given = toArguments(payload as Payload, source)
      // Generated transforms answer at once: nothing is waited for then.
      return Array.isArray(given) ? call(given, source) : Promise.resolve(given).then((args) => call(args, source))
    },
    result: (answer, source) => {
      // What the method answered, awaited: its type ended at the same border.
      const answered = answer as MethodResult | Provenanced<MethodResult>
      return isProvenanced(answered) ? resultOf(answered, source) : toResult(answered, source)
    },
  }
}
