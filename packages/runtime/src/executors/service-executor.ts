import { type MetaSource, PAYLOAD_DOOR, type PayloadExecutor, type PayloadTool } from '../call/bound-tool.js'
import { isProvenanced, type Provenanced, provenanced } from '../call/provenance.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ProvenanceDetail, ToolExecutor } from '../types/executor.js'
import type { ToolCallMeta } from '../types/tool.js'

/**
 * An executor over a service client: the tools by their names within the toolset.
 *
 * @param toolset the toolset's name, for the message when a tool is asked for that the executor does not have
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
    async execute(request) {
      const tool = byName.get(request.tool.name)
      if (!tool) throw new Error(`the executor of toolset '${toolset}' has no tool '${request.tool.name}'`)
      return tool.result(await tool.ask(await request.payload(), request), request)
    },
    [PAYLOAD_DOOR]: (name) => byName.get(name),
  } satisfies PayloadExecutor)
}

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

/**
 * Makes a method's arguments where the generator could not. The payload is decoded, its server-owned fields are filled.
 * A method that can be cancelled is given `meta.signal` by the mapper.
 */
export type PayloadMap<in Payload, out MethodArgs extends readonly unknown[]> = (
  payload: Payload,
  meta: ToolCallMeta,
) => MethodArgs | Promise<MethodArgs>

/** Changes what the generated transform makes of a payload: `(payload, meta, next) => next(payload)` changes nothing. */
export type PayloadWrap<Payload, MethodArgs extends readonly unknown[]> = (
  payload: Payload,
  meta: ToolCallMeta,
  next: (payload: Payload) => MethodArgs,
) => MethodArgs | Promise<MethodArgs>

/** Makes the tool's result of what a method answered where the generator could not. */
export type ResultMap<in MethodResult, out Result> = (
  result: MethodResult,
  meta: ToolCallMeta,
) => Result | Promise<Result>

/** Changes what the generated transform makes of a method's answer. */
export type ResultWrap<MethodResult, Result> = (
  result: MethodResult,
  meta: ToolCallMeta,
  next: (result: MethodResult) => Result,
) => Result | Promise<Result>

/** Makes an update of an item of a stream where the generator could not; `undefined`: the item is no update. */
export type UpdateMap<in Item, out Update> = (
  item: Item,
  meta: ToolCallMeta,
) => Update | undefined | Promise<Update | undefined>

/** Changes what the generated transform makes of an item of a stream; `undefined`: the item is no update. */
export type UpdateWrap<Item, Update> = (
  item: Item,
  meta: ToolCallMeta,
  next: (item: Item) => Update,
) => Update | undefined | Promise<Update | undefined>

/** The mappers of a tool for which the generator found both transforms: each may be wrapped. */
export interface ToolMappers<Payload, MethodArgs extends readonly unknown[], MethodResult, Result> {
  readonly payload?: PayloadWrap<Payload, MethodArgs>
  readonly result?: ResultWrap<MethodResult, Result>
}

/** The mappers of a tool whose method streams and for which the generator found all transforms: each may be wrapped. */
export interface StreamMappers<Payload, MethodArgs extends readonly unknown[], Item, Update, Collected, Result>
  extends ToolMappers<Payload, MethodArgs, Collected, Result> {
  /** Of each item; one for which `undefined` is made is no update. */
  readonly update?: UpdateWrap<Item, Update>
}

/**
 * The client type behind an exported `serviceClient<Client>()`: `ClientOf<typeof clients.ordersClient>`.
 */
export type ClientOf<Placeholder extends { readonly '~client'?: unknown }> = NonNullable<Placeholder['~client']>

/** One signature of a method: its parameters as a tuple and what it returns, not yet awaited. */
export interface Signature<Parameters extends readonly unknown[], Returned> {
  readonly args: Parameters
  readonly returned: Returned
}

/**
 * The last eight signatures of an overloaded method, the LAST ONE FIRST. With fewer signatures the first one is
 * repeated at the end, because inference aligns overloads at their end.
 */
export type Overloads8<Method> =
  NonNullable<Method> extends {
    (...args: infer A7): infer R7
    (...args: infer A6): infer R6
    (...args: infer A5): infer R5
    (...args: infer A4): infer R4
    (...args: infer A3): infer R3
    (...args: infer A2): infer R2
    (...args: infer A1): infer R1
    (...args: infer A0): infer R0
  }
    ? readonly [
        Signature<A0, R0>,
        Signature<A1, R1>,
        Signature<A2, R2>,
        Signature<A3, R3>,
        Signature<A4, R4>,
        Signature<A5, R5>,
        Signature<A6, R6>,
        Signature<A7, R7>,
      ]
    : never

/** How far an overload stands from the last one; 0 is the last. */
export type FromLast = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7

/**
 * The parameters of a method as a tuple. `Position` picks an overload, counted from the last: `Args<M>` is the last
 * one, `Args<M, 1>` the one before it.
 */
export type Args<Method, Position extends FromLast = 0> = Position extends 0
  ? NonNullable<Method> extends (...args: infer Parameters) => unknown
    ? Parameters
    : never
  : Overloads8<Method>[Position]['args']

/** What a method answers, awaited and without what it says about it; `Position` as in {@link Args}. */
export type Result<Method, Position extends FromLast = 0> = Position extends 0
  ? NonNullable<Method> extends (...args: never) => infer Returned
    ? Bare<Awaited<Returned>>
    : never
  : Bare<Awaited<Overloads8<Method>[Position]['returned']>>

/** What a method that answers with a stream answers with item by item; `Position` as in {@link Args}. */
export type StreamItem<Method, Position extends FromLast = 0> =
  Result<Method, Position> extends AsyncIterable<infer Item> ? Item : never

/** A result without what its method said about it: transforms and mappers see the bare value. */
type Bare<Returned> = Returned extends Provenanced<infer Value> ? Value : Returned

/** An argument passed the codec and still cannot be turned into what the method takes. */
export function unusableArgument(what: string): ToolFailure {
  return new ToolFailure(`${what} in the arguments cannot be used by the service.`, { action: 'correct_call' })
}

/** The service answered with something that the declared result cannot carry. */
export function resultBreaksContract(what: string): ToolFailure {
  return new ToolFailure(`The service answered with ${what}.`, { reason: 'malformed_result' })
}
