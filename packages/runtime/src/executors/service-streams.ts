import type { MetaSource } from '../call/bound-tool.js'
import { isProvenanced, type Provenanced } from '../call/provenance.js'
import { isStream, OpenStream } from '../call/streams.js'
import type { ProvenanceDetail } from '../types/executor.js'
import {
  type PayloadSide,
  payloadStep,
  type ResultSide,
  resultBreaksContract,
  resultStep,
  type ServiceTool,
  type Step,
  type UpdateMap,
  type UpdateWrap,
  withDetail,
} from './service-executor.js'

/** How an update is made of an item: by a generated transform that may be wrapped, or by a mapper alone. */
type UpdateSide<Item, Update> =
  | {
      readonly update: (item: Item) => Update
      readonly mappers?: { readonly update?: UpdateWrap<Item, Update> } | undefined
    }
  | { readonly update?: never; readonly mappers: { readonly update: UpdateMap<Item, Update> } }

/** What the result is made of: the list of all items, or the last one alone. */
type CollectSide<Item, Result> =
  | ({ readonly collect: 'list' } & ResultSide<readonly Item[], Result>)
  | ({ readonly collect: 'last' } & ResultSide<Item, Result>)

/**
 * The steps from a payload over updates to a result. `payload`, `update` or `result` is left out where the mapper is
 * required.
 */
export type ServiceStreamSteps<Payload, MethodArgs extends readonly unknown[], Item, Update, Result> = {
  /** Calls the method on its owner. */
  readonly call: (
    args: MethodArgs,
    source: MetaSource,
  ) =>
    | AsyncIterable<Item>
    | Provenanced<AsyncIterable<Item>>
    | PromiseLike<AsyncIterable<Item> | Provenanced<AsyncIterable<Item>>>
} & PayloadSide<Payload, MethodArgs> &
  UpdateSide<Item, Update> &
  CollectSide<Item, Result>

/**
 * Joins the steps of one tool whose method answers with a stream: each item becomes an update, and the items, or the last
 * one, become the result. A mapper replaces or wraps the generated transform of its side.
 *
 * @example
 * serviceStream({
 *   payload: (payload: TailPayload): Args<Client['tail']> => [payload.path],
 *   call: (args) => client.tail(...args),
 *   update: (line): TailUpdate => ({ text: line.text }),
 *   collect: 'list',
 *   result: (lines): TailResult => lines.map((line) => ({ text: line.text })),
 *   mappers: options.mappers?.tail,
 * })
 */
export function serviceStream<Payload, MethodArgs extends readonly unknown[], Item, Update, Result>(
  steps: ServiceStreamSteps<Payload, MethodArgs, Item, Update, Result>,
): ServiceTool {
  const { call } = steps
  const toArguments = payloadStep<Payload, MethodArgs>(steps)
  const toUpdate = updateStep<Item, Update>(steps)
  const newCollector = collectStep<Item, Result>(steps)
  return {
    ask: async (payload, source) => {
      // The codec of this very tool decoded the payload; its type ends at the executor's generic border.
      const args = await toArguments(payload as Payload, source)
      return call(args, source)
    },
    result: (answered, source) => {
      // What the method answered, awaited: its type ended at the same border.
      const answer = answered as AsyncIterable<Item> | Provenanced<AsyncIterable<Item>>
      const { value: stream, detail } = isProvenanced(answer) ? answer : { value: answer, detail: undefined }
      if (!isStream(stream)) throw resultBreaksContract('something other than a stream')
      const collector = newCollector(source)
      return new MappedStream(
        stream,
        (item) => toUpdate(item, source),
        detail ? detailed(collector, detail) : collector,
      )
    },
  }
}

function updateStep<Item, Update>(side: UpdateSide<Item, Update>): Step<Item, Update | undefined> {
  if (side.update === undefined) {
    const map = side.mappers.update
    return (item, source) => map(item, source.meta)
  }
  const transform = side.update
  const wrap = side.mappers?.update
  return wrap ? (item, source) => wrap(item, source.meta, (inner) => transform(inner)) : transform
}

function collectStep<Item, Result>(side: CollectSide<Item, Result>): (source: MetaSource) => Collector<Item> {
  if (side.collect === 'last') {
    const toResult = resultStep<Item, Result>(side)
    return (source) => lastCollector((item) => toResult(item, source))
  }
  const toResult = resultStep<readonly Item[], Result>(side)
  return (source) => listCollector((items) => toResult(items, source))
}

/** A collector whose result carries what the method said about its stream. */
function detailed<Item>(collector: Collector<Item>, detail: ProvenanceDetail): Collector<Item> {
  return {
    add: (item) => collector.add(item),
    result: async () => withDetail(await collector.result(), detail),
  }
}

/**
 * A method's stream as updates and a result. Not a generator, although it is read as one: the method's stream is closed
 * at once when this one is, also before anybody has read of it and while an item is waited for.
 */
export class MappedStream<Item> implements AsyncIterableIterator<unknown> {
  readonly [Symbol.toStringTag] = 'AsyncGenerator'
  readonly #open: OpenStream<Item>
  readonly #update: (item: Item) => unknown
  readonly #collector: Collector<Item>

  constructor(stream: AsyncIterable<Item>, update: (item: Item) => unknown, collector: Collector<Item>) {
    this.#open = new OpenStream(stream)
    this.#update = update
    this.#collector = collector
  }

  async next(): Promise<IteratorResult<unknown, unknown>> {
    for (;;) {
      const { done, value } = await this.#open.next()
      if (done) return { done, value: await this.#collector.result() }
      this.#collector.add(value)
      const update = await this.#update(value)
      // A mapper may make no update of an item.
      if (update !== undefined) return { done: false, value: update }
    }
  }

  async return(): Promise<IteratorResult<unknown, unknown>> {
    this.#open.close()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}

/** Makes a result of the items of a stream. */
interface Collector<Item> {
  add(item: Item): void
  /** Asked once, after the last item. */
  result(): unknown
}

/** Makes it of all items. */
function listCollector<Item>(toResult: (items: readonly Item[]) => unknown): Collector<Item> {
  const items: Item[] = []
  return {
    add: (item) => {
      items.push(item)
    },
    result: () => toResult(items),
  }
}

/** Makes it of the last item; a stream without any breaks what the tool declares. */
export function lastCollector<Item>(toResult: (item: Item) => unknown): Collector<Item> {
  let last: { readonly item: Item } | undefined
  return {
    add: (item) => {
      last = { item }
    },
    result: () => {
      if (last === undefined) throw resultBreaksContract('a stream without items')
      return toResult(last.item)
    },
  }
}
