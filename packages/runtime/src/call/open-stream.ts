import { ignoreErrors } from './telemetry.js'
import { peek } from './tool-failure.js'

/** Whether a tool answers with a stream: a generator, or anything else that is iterated over asynchronously. */
export function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    Symbol.asyncIterator in answer &&
    typeof answer[Symbol.asyncIterator] === 'function'
  )
}

/** What of an iterator is used. */
interface Source<Item> {
  next(): PromiseLike<IteratorResult<Item, unknown>>
  return?(): unknown
}

/** A `ReadableStream`. */
interface Readable<Item> {
  getReader(): { read(): PromiseLike<IteratorResult<Item, unknown>>; cancel(): unknown }
}

/**
 * What the end of a stream says: a generator tells its result; an iterator may, where it is more than `undefined`; of
 * anything else that can be iterated over, the items are all there is.
 */
type Ending = 'told' | 'maybe told' | 'items'

/** A stream that is read by one reader. */
export class OpenStream<Item> {
  readonly #source: Source<Item>
  readonly #ending: Ending
  #closed = false

  /** @throws what the stream throws, such as one that somebody else reads. */
  constructor(stream: AsyncIterable<Item>) {
    this.#source = sourceOf(stream)
    this.#ending = endingOf(stream)
  }

  /** Whether the result may be in the items. */
  get needsItems(): boolean {
    return this.#ending !== 'told'
  }

  /** The next item, or the end. */
  async next(): Promise<IteratorResult<Item, unknown>> {
    const step = await this.#source.next()
    if (Object(step) !== step) throw new TypeError('a stream gave neither an item nor its end')
    if (step.done) this.#closed = true
    return step
  }

  /** The result of a stream that has come to its end, where it tells one. */
  told(last: unknown): { readonly result: unknown } | undefined {
    if (this.#ending === 'items') return undefined
    return this.#ending === 'told' || last !== undefined ? { result: last } : undefined
  }

  /** Nobody reads on: what the stream does at its end is begun at once, and neither waited for nor heard. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    ignoreErrors(() => Promise.resolve(this.#source.return?.()))
  }
}

/** A reader of one's own where there is one: it can be cancelled while it waits for an item, an iterator cannot. */
function sourceOf<Item>(stream: AsyncIterable<Item>): Source<Item> {
  if (!isReadable(stream)) return stream[Symbol.asyncIterator]()
  const reader = stream.getReader()
  return { next: () => reader.read(), return: () => reader.cancel() }
}

function endingOf(stream: AsyncIterable<unknown>): Ending {
  if (peek(stream, Symbol.toStringTag) === 'AsyncGenerator') return 'told'
  return typeof peek(stream, 'next') === 'function' ? 'maybe told' : 'items'
}

function isReadable<Item>(stream: AsyncIterable<Item> | Readable<Item>): stream is Readable<Item> {
  return typeof peek(stream, 'getReader') === 'function'
}
