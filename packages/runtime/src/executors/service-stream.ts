import { isProvenanced } from '../call/provenance.js'
import { isStream, OpenStream } from '../call/streams.js'
import {
  type Conversion,
  type MethodCall,
  methodCall,
  resultBreaksContract,
  type ServiceTool,
  step,
  type ToolMappers,
  type WrappingMapper,
  withDetail,
} from './service-executor.js'
/** Optional mappers (functions of the application that convert values) for a streaming tool whose conversions are all generated. */
export interface StreamMappers<Payload, MethodArgs extends readonly unknown[], Item, Update, Collected, Result>
  extends ToolMappers<Payload, MethodArgs, Collected, Result> {
  /** Converts an item of the stream to an update. Returns `undefined` for no update. */
  readonly update?: WrappingMapper<Item, Update | undefined, Update>
}

type StreamSteps<Payload, MethodArgs extends readonly unknown[], Item, Update, Result> = {
  readonly call: MethodCall<MethodArgs, AsyncIterable<Item>>
} & Conversion<'payload', Payload, MethodArgs> &
  Conversion<'update', Item, Update | undefined, Update> &
  (
    | ({ readonly collect: 'list' } & Conversion<'result', readonly Item[], Result>)
    | ({ readonly collect: 'last' } & Conversion<'result', Item, Result>)
  )

/**
 * Combines the steps of a tool whose method returns a stream. Each item of the stream becomes an update. The result of the tool is created from
 * all items, or from the last item.
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
  // `any`: one item or all items, depending on `collect`.
  const toResult = step<any, Result>(steps.result, steps.mappers?.result)
  return {
    ask: methodCall(steps),
    result: (returned, source) => {
      const stream = isProvenanced(returned) ? returned.value : returned
      if (!isStream(stream)) throw resultBreaksContract('a value that is not a stream')
      const updateOf = (item: unknown) => toUpdate(item as Item, source)
      return mappedStream(stream, updateOf, collect, async (items) => {
        if (collect === 'last' && items.length === 0) throw resultBreaksContract('a stream without items')
        const result = await toResult(collect === 'last' ? items[0] : items, source)
        return isProvenanced(returned) ? withDetail(result, returned) : result
      })
    },
  }
}

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
    // In an async generator, `return` would wait for a pending `next`, and would close the stream too late.
    async return() {
      open.close()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => mapped,
  }
  return mapped
}
