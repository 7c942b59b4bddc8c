import type { BoundTool } from './bound-tools.js'
import { ignoreErrors } from './telemetry.js'
import type { Abortable } from './timers.js'
import { peek, ToolFailure } from './tool-failure.js'

export function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && typeof peek(result, Symbol.asyncIterator) === 'function'
}

interface Source<Item> {
  next(): PromiseLike<IteratorResult<Item, unknown>>
  return?(): unknown
}

/** Supports only one reader. */
export class OpenStream<Item> {
  readonly #source: Source<Item>
  /**
   * Determines the result of the tool:
   * - `returned`: the return value of the stream
   * - `items`: the array of all items
   * - `perhaps returned`: the return value, or the array of all items if the return value is `undefined`
   */
  readonly #result: 'returned' | 'perhaps returned' | 'items'
  #closed = false

  constructor(stream: AsyncIterable<Item>) {
    this.#source = sourceOf(stream)
    if (peek(stream, Symbol.toStringTag) === 'AsyncGenerator') this.#result = 'returned'
    else this.#result = typeof peek(stream, 'next') === 'function' ? 'perhaps returned' : 'items'
  }

  get needsItems(): boolean {
    return this.#result !== 'returned'
  }

  async next(): Promise<IteratorResult<Item, unknown>> {
    const step = await this.#source.next()
    if (Object(step) !== step)
      throw new TypeError('A stream must return `{ value }` or `{ done: true }` from `next()`.')
    if (step.done) this.#closed = true
    return step
  }

  resultOf(returned: unknown, items: readonly unknown[]): unknown {
    const isReturned = this.#result === 'returned' || (this.#result === 'perhaps returned' && returned !== undefined)
    return isReturned ? returned : items
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    ignoreErrors(() => Promise.resolve(this.#source.return?.()))
  }
}

/** For a `ReadableStream`, the iterator uses `getReader()`, because a reader can cancel the stream during a read. */
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
 * Waits for the listeners of each update before the next read.
 *
 * @throws errors of the stream and of `emit`; a {@link ToolFailure} if the design does not declare the tool as streaming.
 */
export async function drainStream(
  stream: AsyncIterable<unknown>,
  { tool, limit, request }: StreamedCall,
): Promise<unknown> {
  const open = new OpenStream(stream)
  const items: unknown[] = []
  const release = limit.whenAborted({ abort: () => open.close() })
  try {
    if (tool.updates === undefined) {
      const message = `The tool '${tool.id}' returned a stream, but the design does not declare it as streaming.`
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
