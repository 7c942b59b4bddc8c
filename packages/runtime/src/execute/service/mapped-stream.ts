import { OpenStream } from '../stream/open-stream.js'
import type { Collector } from './collector.js'

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
    const { done, value } = await this.#open.next()
    if (done) return { done, value: await this.#collector.result() }
    this.#collector.add(value)
    return { done: false, value: await this.#update(value) }
  }

  async return(): Promise<IteratorResult<unknown, unknown>> {
    this.#open.close()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
