import type { BoundTool } from './bound-tools.js'
import { ignoreErrors } from './telemetry.js'
import type { Abortable } from './timers.js'
import { peek, ToolFailure } from './tool-failure.js'

/** Returns whether a result is a stream: a generator or another async iterable. */
export function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && typeof peek(result, Symbol.asyncIterator) === 'function'
}

interface Source<Item> {
  next(): PromiseLike<IteratorResult<Item, unknown>>
  return?(): unknown
}

/** A stream that is read by one reader. */
export class OpenStream<Item> {
  readonly #source: Source<Item>
  /** Generators return their result; other iterators can return one; for other iterables, the items are the result. */
  readonly #result: 'returned' | 'perhaps returned' | 'items'
  #closed = false

  /** @throws what the stream throws, for example if it has another reader. */
  constructor(stream: AsyncIterable<Item>) {
    this.#source = sourceOf(stream)
    if (peek(stream, Symbol.toStringTag) === 'AsyncGenerator') this.#result = 'returned'
    else this.#result = typeof peek(stream, 'next') === 'function' ? 'perhaps returned' : 'items'
  }

  /** True if the result may consist of the items. */
  get needsItems(): boolean {
    return this.#result !== 'returned'
  }

  async next(): Promise<IteratorResult<Item, unknown>> {
    const step = await this.#source.next()
    if (Object(step) !== step) throw new TypeError('a stream gave neither an item nor its end')
    if (step.done) this.#closed = true
    return step
  }

  /** The result of a stream that has ended. @param returned value of its end */
  resultOf(returned: unknown, items: readonly unknown[]): unknown {
    const isReturned = this.#result === 'returned' || (this.#result === 'perhaps returned' && returned !== undefined)
    return isReturned ? returned : items
  }

  /** Ends the reading: the stream starts its own end at once; nobody waits for it, and its errors are ignored. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    ignoreErrors(() => Promise.resolve(this.#source.return?.()))
  }
}

/** Unlike an iterator, the reader of a `ReadableStream` can be cancelled while it waits for an item. */
function sourceOf<Item>(stream: AsyncIterable<Item> & { readonly getReader?: unknown }): Source<Item> {
  if (typeof peek(stream, 'getReader') !== 'function') return stream[Symbol.asyncIterator]()
  const reader = (stream as unknown as ReadableStream<Item>).getReader()
  return { next: () => reader.read() as Promise<IteratorResult<Item, unknown>>, return: () => reader.cancel() }
}

interface StreamedCall {
  readonly tool: BoundTool
  readonly limit: Abortable
  readonly request: { emit(update: unknown): Promise<void> }
}

/**
 * Reads a stream to its end: each item is an update, and the next one is requested when listeners have room for it. The
 * stream is closed when the call is aborted, when an update is rejected, and, unread, when the tool does not stream.
 *
 * @returns the result that the stream returns, else the list of its items
 * @throws what the stream throws, and what `emit` rejects with.
 */
export async function drainStream(
  stream: AsyncIterable<unknown>,
  { tool, limit, request }: StreamedCall,
): Promise<unknown> {
  const open = new OpenStream(stream)
  const items: unknown[] = []
  const release = limit.whenAborted(() => open.close())
  try {
    if (tool.updates === undefined) {
      const message = `The tool '${tool.id}' is not declared as streaming, and it answered with a stream.`
      throw new ToolFailure(message, { reason: 'internal' })
    }
    while (limit.aborted === undefined) {
      const { done, value } = await open.next()
      if (done) return open.resultOf(value, items)
      await request.emit(value)
      if (open.needsItems) items.push(value)
    }
    throw limit.aborted.reason
  } finally {
    release?.()
    open.close()
  }
}
