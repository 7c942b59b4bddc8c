import { isProvenanced, type Provenanced, provenanced } from '../call/provenance.js'
import { isStream, OpenStream } from '../call/streams.js'
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

/** Mappers of a tool whose method returns a stream and whose conversions the generator found. */
export interface StreamMappers<Payload, MethodArgs extends readonly unknown[], Item, Update, Collected, Result>
  extends ToolMappers<Payload, MethodArgs, Collected, Result> {
  /** Called for each item; an item for which it returns `undefined` has no update. */
  readonly update?: WrappingMapper<Item, Update | undefined, Update>
}

/** One conversion: generated and perhaps wrapped, or by a mapper alone. */
type Conversion<Name extends string, From, To, Converted = To> =
  | ({ readonly [N in Name]: (value: From, source: MetaSource) => Converted } & {
      readonly mappers?: { readonly [N in Name]?: WrappingMapper<From, To, Converted> } | undefined
    })
  | ({ readonly [N in Name]?: never } & { readonly mappers: { readonly [N in Name]: Mapper<From, To> } })

/** Calls a method on its owner. */
type MethodCall<MethodArgs extends readonly unknown[], Returned> = (
  args: MethodArgs,
  source: MetaSource,
) => Returned | Provenanced<Returned> | PromiseLike<Returned | Provenanced<Returned>>

type ToolSteps<Payload, MethodArgs extends readonly unknown[], Returned, Result> = {
  readonly call: MethodCall<MethodArgs, Returned>
} & Conversion<'payload', Payload, MethodArgs> &
  Conversion<'result', Returned, Result>

/** The result is made from the list of all items, or from the last one alone. */
type StreamSteps<Payload, MethodArgs extends readonly unknown[], Item, Update, Result> = {
  readonly call: MethodCall<MethodArgs, AsyncIterable<Item>>
} & Conversion<'payload', Payload, MethodArgs> &
  Conversion<'update', Item, Update | undefined, Update> &
  (
    | ({ readonly collect: 'list' } & Conversion<'result', readonly Item[], Result>)
    | ({ readonly collect: 'last' } & Conversion<'result', Item, Result>)
  )

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

/**
 * Joins the steps of one tool whose method returns a stream: each item becomes an update, and the items, or the last one,
 * become the result.
 *
 * @example
 * serviceStream({
 *   payload: (payload: TailPayload): MethodArgs<Client['tail']> => [payload.path],
 *   call: (args) => client.tail(...args),
 *   update: (line): TailUpdate => ({ text: line.text }),
 *   collect: 'list',
 *   result: (lines): TailResult => lines.map((line) => ({ text: line.text })),
 *   mappers: options.mappers?.tail,
 * })
 */
export function serviceStream<Payload, MethodArgs extends readonly unknown[], Item, Update, Result>(
  steps: StreamSteps<Payload, MethodArgs, Item, Update, Result>,
): ServiceTool {
  const { collect } = steps
  const toUpdate = step<Item, Update | undefined>(steps.update, steps.mappers?.update)
  // `any`: the item, or all of them, as `collect` says.
  const toResult = step<any, Result>(steps.result, steps.mappers?.result)
  return {
    ask: methodCall(steps),
    result: (returned, source) => {
      const { value: stream, detail = undefined } = isProvenanced(returned) ? returned : { value: returned }
      if (!isStream(stream)) throw resultBreaksContract('something other than a stream')
      // The method's type says what the items are.
      const updateOf = (item: unknown) => toUpdate(item as Item, source)
      return mappedStream(stream, updateOf, collect, async (items) => {
        if (collect === 'last' && items.length === 0) throw resultBreaksContract('a stream without items')
        const result = await toResult(collect === 'last' ? items[0] : items, source)
        return detail === undefined ? result : withDetail(result, detail)
      })
    },
  }
}

type Step<From, To> = (value: From, source: MetaSource) => To | Promise<To>

/** Returns a conversion with its mapper; the types of the steps require at least one of them. */
function step<From, To>(convert: Step<From, To> | undefined, mapper: WrappingMapper<any, any> | undefined) {
  if (mapper === undefined) return convert as Step<From, To>
  return (value: From, source: MetaSource): To | Promise<To> =>
    mapper(value, source.meta, (inner: From) => convert?.(inner, source))
}

function methodCall<Payload, MethodArgs extends readonly unknown[]>({
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
function withDetail(result: unknown, detail: ProvenanceDetail): Provenanced {
  return isProvenanced(result)
    ? provenanced(result.value, { ...detail, ...result.detail })
    : provenanced(result, detail)
}

/**
 * A method's stream as updates and a result. Not a generator, although it is read as one: it closes the method's stream at
 * once when it is closed, also before the first read and while an item is awaited.
 */
function mappedStream(
  stream: AsyncIterable<unknown>,
  toUpdate: (item: unknown) => unknown,
  collect: 'list' | 'last',
  toResult: (items: readonly unknown[]) => Promise<unknown>,
): AsyncIterable<unknown> {
  const open = new OpenStream(stream)
  let items: unknown[] = []
  const mapped: AsyncIterableIterator<unknown> & { readonly [Symbol.toStringTag]: string } = {
    [Symbol.toStringTag]: 'AsyncGenerator',
    async next() {
      for (;;) {
        const { done, value } = await open.next()
        if (done) return { done, value: await toResult(items) }
        if (collect === 'last') items = []
        items.push(value)
        const update = await toUpdate(value)
        if (update !== undefined) return { done: false, value: update }
      }
    },
    async return() {
      open.close()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => mapped,
  }
  return mapped
}

/** The failure of a result that does not fit what the tool declares. */
export function resultBreaksContract(what: string): ToolFailure {
  return new ToolFailure(`The service answered with ${what}.`, { reason: 'malformed_result' })
}

/** The client type behind an exported `serviceClient<Client>()`: `ClientOf<typeof clients.ordersClient>`. */
export type ClientOf<Placeholder extends { readonly '~client'?: unknown }> = NonNullable<Placeholder['~client']>

/** One signature of a method; what it returns is not yet awaited. */
type Signature<Parameters extends readonly unknown[], Returned> = {
  readonly args: Parameters
  readonly returned: Returned
}

/**
 * The last eight signatures of an overloaded method, the LAST ONE FIRST. With fewer signatures the first one is
 * repeated at the end, because inference aligns overloads at their end.
 */
type Overloads<Method> =
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

/** Distance of an overload from the last one; 0 is the last. */
type FromLast = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7

/**
 * The parameters of a method as a tuple. `Position` selects an overload, counted from the last: `MethodArgs<M>` is the last
 * one, `MethodArgs<M, 1>` the one before it.
 */
export type MethodArgs<Method, Position extends FromLast = 0> = Position extends 0
  ? NonNullable<Method> extends (...args: infer Parameters) => unknown
    ? Parameters
    : never
  : Overloads<Method>[Position]['args']

/** The awaited value that a method returns, without provenance; `Position` as in {@link MethodArgs}. */
export type MethodResult<Method, Position extends FromLast = 0> = Position extends 0
  ? NonNullable<Method> extends (...args: never) => infer Returned
    ? Bare<Awaited<Returned>>
    : never
  : Bare<Awaited<Overloads<Method>[Position]['returned']>>

/** The items of the stream that a method returns; `Position` as in {@link MethodArgs}. */
export type MethodItem<Method, Position extends FromLast = 0> =
  MethodResult<Method, Position> extends AsyncIterable<infer Item> ? Item : never

type Bare<Returned> = Returned extends Provenanced<infer Value> ? Value : Returned
