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
