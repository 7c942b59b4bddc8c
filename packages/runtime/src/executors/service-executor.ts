import { isProvenanced, type Provenanced, provenanced } from '../call/provenance.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ExecutorRequest, MetaSource, ProvenanceDetail, ToolExecutor } from '../types/executor.js'

import type { ToolCallMeta } from '../types/tool.js'

/**
 * Returns an executor over a service client. Generated code calls it.
 *
 * @param toolset the toolset's name, for errors
 * @param tools by name within the toolset
 * @param service the client's name in the design, for the provenance of each call. Default: none
 */
export function serviceExecutor(
  toolset: string,
  tools: Readonly<Record<string, ServiceTool>>,
  service?: string,
): ToolExecutor {
  const byName = new Map(Object.entries(tools))
  return Object.freeze({
    ...(service !== undefined && { service }),
    async execute(request: ExecutorRequest) {
      const tool = byName.get(request.tool.name)
      if (!tool) throw new Error(`the executor of toolset '${toolset}' has no tool '${request.tool.name}'`)
      return tool.result(await tool.ask(await request.payload(), request), request)
    },
  })
}

/** One tool of a service executor. */
export interface ServiceTool {
  /** Converts the payload and calls the method. */
  ask(payload: unknown, source: MetaSource): unknown
  /** Converts what the method returned. */
  result(returned: unknown, source: MetaSource): unknown
}

/**
 * Converts a value where the generator could not.
 *
 * - Of a payload: decoded, with its server-owned fields. Returns the method's arguments, with `meta.signal` if the method can
 *   be cancelled.
 * - Of what a method returned: awaited. Returns the result of the tool.
 * - Of an item of a stream: returns an update, or `undefined` for none.
 *
 * @example
 * const id: Mapper<GetOrderPayload, [string]> = ({ order_id }) => [order_id]
 */
export type Mapper<in From, out To> = (value: From, meta: ToolCallMeta) => To | Promise<To>

/**
 * Changes a conversion that the generator found; `next` is that conversion.
 *
 * @example
 * const result: WrappingMapper<Order, OrderResult> = (order, meta, next) => ({ ...next(order), total: 0 })
 */
export type WrappingMapper<From, To, Converted = To> = (
  value: From,
  meta: ToolCallMeta,
  next: (value: From) => Converted,
) => To | Promise<To>

/** Mappers of a tool whose conversions the generator found. */
export interface ToolMappers<Payload, MethodArgs extends readonly unknown[], Returned, Result> {
  readonly payload?: WrappingMapper<Payload, MethodArgs>
  readonly result?: WrappingMapper<Returned, Result>
}

/** One conversion: generated and perhaps wrapped, or by a mapper alone. */
export type Conversion<Name extends string, From, To, Converted = To> =
  | ({ readonly [N in Name]: (value: From, source: MetaSource) => Converted } & {
      readonly mappers?: { readonly [N in Name]?: WrappingMapper<From, To, Converted> } | undefined
    })
  | ({ readonly [N in Name]?: never } & { readonly mappers: { readonly [N in Name]: Mapper<From, To> } })

/** Calls a method on its owner. */
export type MethodCall<MethodArgs extends readonly unknown[], Returned> = (
  args: MethodArgs,
  source: MetaSource,
) => Returned | Provenanced<Returned> | PromiseLike<Returned | Provenanced<Returned>>

type ToolSteps<Payload, MethodArgs extends readonly unknown[], Returned, Result> = {
  readonly call: MethodCall<MethodArgs, Returned>
} & Conversion<'payload', Payload, MethodArgs> &
  Conversion<'result', Returned, Result>

/**
 * Joins the steps of one tool: payload to arguments, call of the method, what it returned to the result. A mapper replaces or
 * wraps the generated conversion.
 *
 * @example
 * serviceTool({
 *   payload: (payload: GetOrderPayload): MethodArgs<Client['fetchOrder']> => [{ orderId: payload.order_id }],
 *   call: (args) => client.fetchOrder(...args),
 *   result: (order): GetOrderResult => ({ id: order.id }),
 *   mappers: options.mappers?.getOrder,
 * })
 */
export function serviceTool<Payload, MethodArgs extends readonly unknown[], Returned, Result>(
  steps: ToolSteps<Payload, MethodArgs, Returned, Result>,
): ServiceTool {
  const toResult = step<Returned, Result>(steps.result, steps.mappers?.result)
  return {
    ask: methodCall(steps),
    result: (returned, source) => {
      if (!isProvenanced(returned)) return toResult(returned as Returned, source)
      const result = Promise.resolve(toResult(returned.value as Returned, source))
      return result.then((value) => withDetail(value, returned.detail))
    },
  }
}

type Step<From, To> = (value: From, source: MetaSource) => To | Promise<To>

/** Returns a conversion with its mapper; the types of the steps require at least one of them. */
export function step<From, To>(
  convert: Step<From, To> | undefined,
  mapper: WrappingMapper<any, any> | undefined,
): Step<From, To> {
  if (mapper === undefined) return convert as Step<From, To>
  return (value, source) => mapper(value, source.meta, (inner: From) => convert?.(inner, source))
}

export function methodCall<Payload, MethodArgs extends readonly unknown[]>({
  call,
  payload,
  mappers,
}: { readonly call: MethodCall<MethodArgs, unknown> } & Conversion<
  'payload',
  Payload,
  MethodArgs
>): ServiceTool['ask'] {
  const toArguments = step<Payload, MethodArgs>(payload, mappers?.payload)
  return (decoded, source) => {
    // The codec of this very tool decoded the payload.
    const args = toArguments(decoded as Payload, source)
    // Generated conversions are synchronous: nothing is awaited then.
    return Array.isArray(args) ? call(args, source) : Promise.resolve(args).then((awaited) => call(awaited, source))
  }
}

/** Adds what a method said about its result; what the mapper said wins. */
export function withDetail(result: unknown, detail: ProvenanceDetail): Provenanced {
  return isProvenanced(result)
    ? provenanced(result.value, { ...detail, ...result.detail })
    : provenanced(result, detail)
}

/** The failure of a result that does not fit what the tool declares. */
export function resultBreaksContract(what: string): ToolFailure {
  return new ToolFailure(`The service answered with ${what}.`, { reason: 'malformed_result' })
}
