import { isProvenanced, type Provenanced, provenanced, withContent } from '../call/provenance.js'
import { isToolFailure, ToolFailure } from '../call/tool-failure.js'
import type { ExecutorRequest, MetaSource, ToolExecutor } from '../types/executor.js'
import type { ToolCallMeta } from '../types/tool.js'

/**
 * Creates an executor that calls methods of a service client. Called by generated code.
 *
 * @param toolset name of the toolset, used in error messages
 * @param tools tools of the executor, by tool name
 * @param service name of the client in the design; added as `service` to the provenance (origin and cost) of each call. Default: no name
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
      return tool.result(requireSuccess(await tool.ask(await request.payload(), request)), request)
    },
  })
}

export interface ServiceTool {
  ask(payload: unknown, source: MetaSource): unknown
  result(returned: unknown, source: MetaSource): unknown
}

/**
 * Function that you write for a value that the generator cannot convert.
 *
 * - For a payload: receives the decoded payload with its server-owned fields. Returns the arguments of the method. If
 *   the method accepts an abort signal, pass `meta.signal`.
 * - For a return value: receives the awaited return value of the method. Returns the result of the tool.
 * - For an item of a stream: receives the item. Returns an update, or `undefined` for no update.
 *
 * A mapper can throw a `ToolFailure`. A mapper of a payload or return value can also return a `ToolFailure`.
 *
 * @example
 * const id: Mapper<GetOrderPayload, [string]> = ({ order_id }) => [order_id]
 */
export type Mapper<in From, out To> = (value: From, meta: ToolCallMeta) => Mapped<To>

type Mapped<To> = To | ToolFailure | Promise<To | ToolFailure>

/**
 * Function that you write to change a generated conversion. Its argument `next` is the generated conversion.
 *
 * @example
 * const result: WrappingMapper<Order, OrderResult> = (order, meta, next) => ({ ...next(order), total: 0 })
 */
export type WrappingMapper<From, To, Converted = To> = (
  value: From,
  meta: ToolCallMeta,
  next: (value: From) => Converted,
) => Mapped<To>

/** Optional mappers (functions of the application that convert values) for a tool whose conversions are all generated. */
export interface ToolMappers<Payload, MethodArgs extends readonly unknown[], Returned, Result> {
  readonly payload?: WrappingMapper<Payload, MethodArgs>
  readonly result?: WrappingMapper<Returned, Result>
}

export type Conversion<Name extends string, From, To, Converted = To> =
  | ({ readonly [N in Name]: (value: From, source: MetaSource) => Converted } & {
      readonly mappers?: { readonly [N in Name]?: WrappingMapper<From, To, Converted> } | undefined
    })
  | ({ readonly [N in Name]?: never } & { readonly mappers: { readonly [N in Name]: Mapper<From, To> } })

export type MethodCall<MethodArgs extends readonly unknown[], Returned> = (
  args: MethodArgs,
  source: MetaSource,
) => OfMethod<Returned> | PromiseLike<OfMethod<Returned>>

type OfMethod<Returned> = Returned | ToolFailure | Provenanced<Returned | ToolFailure>

type ToolSteps<Payload, MethodArgs extends readonly unknown[], Returned, Result> = {
  readonly call: MethodCall<MethodArgs, Returned>
} & Conversion<'payload', Payload, MethodArgs> &
  Conversion<'result', Returned, Result>

/**
 * The type `ToolSteps` would also accept this argument of generated code, but TypeScript checks an interface faster than the union types of
 * `ToolSteps`.
 */
interface GeneratedSteps<Payload, MethodArgs extends readonly unknown[], Returned, Result> {
  readonly payload: (value: Payload, source: MetaSource) => MethodArgs
  readonly call: MethodCall<MethodArgs, Returned>
  readonly result: (value: Returned, source: MetaSource) => Result
  readonly mappers?: ToolMappers<Payload, MethodArgs, Returned, Result> | undefined
}

/**
 * Combines the steps of one tool: converts the payload to arguments, calls the method, and converts the return value. A
 * mapper replaces or wraps the generated conversion.
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
  steps: GeneratedSteps<Payload, MethodArgs, Returned, Result>,
): ServiceTool
/** Combines the steps of one tool. In this overload, the application provides a mapper in place of at least one generated conversion. */
export function serviceTool<Payload, MethodArgs extends readonly unknown[], Returned, Result>(
  steps: ToolSteps<Payload, MethodArgs, Returned, Result>,
): ServiceTool
export function serviceTool<Payload, MethodArgs extends readonly unknown[], Returned, Result>(
  steps: ToolSteps<Payload, MethodArgs, Returned, Result>,
): ServiceTool {
  const toResult = step<Returned, Result>(steps.result, steps.mappers?.result)
  return {
    ask: methodCall(steps),
    result: (returned, source) => {
      if (!isProvenanced(returned)) return toResult(returned as Returned, source)
      const result = Promise.resolve(toResult(returned.value as Returned, source))
      return result.then((value) => withDetail(value, returned))
    },
  }
}

type Step<From, To> = (value: From, source: MetaSource) => Mapped<To>

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
    // The codec of this tool decoded the payload, so its type is correct.
    const args = toArguments(decoded as Payload, source)
    // Generated conversions are synchronous and need no `await`.
    if (Array.isArray(args)) return call(args, source)
    return Promise.resolve(args).then((awaited) => call(requireSuccess(awaited), source))
  }
}

function requireSuccess<Value>(value: Value): Exclude<Value, ToolFailure> {
  const inner: unknown = isProvenanced(value) ? value.value : value
  if (inner instanceof Error && isToolFailure(inner)) throw value
  return value as Exclude<Value, ToolFailure>
}

export function withDetail(result: unknown, { detail, content }: Provenanced): Provenanced {
  const described = isProvenanced(result)
    ? provenanced(result, { ...detail, ...result.detail })
    : provenanced(result, detail)
  return content === undefined || described.content !== undefined ? described : withContent(described, content)
}

export function resultBreaksContract(what: string): ToolFailure {
  return new ToolFailure(`The service returned ${what}.`, { reason: 'malformed_result' })
}
