import type { ExecutorRequest, ToolExecutor, UpdateSink } from '../types/registration.js'
import type { Abortable } from './call-group.js'
import type { BoundTool } from './descriptors.js'
import { ignoreErrors } from './events.js'
import { peek, ToolFailure } from './tool-failure.js'

/** Returns whether a result is a stream: a generator or another async iterable. */
export function isStream(answer: unknown): answer is AsyncIterable<unknown> {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    Symbol.asyncIterator in answer &&
    typeof answer[Symbol.asyncIterator] === 'function'
  )
}

/** Used methods of an iterator. */
interface Source<Item> {
  next(): PromiseLike<IteratorResult<Item, unknown>>
  return?(): unknown
}

/** A `ReadableStream`. */
interface Readable<Item> {
  getReader(): { read(): PromiseLike<IteratorResult<Item, unknown>>; cancel(): unknown }
}

/**
 * Meaning of the end of a stream: generators return their result; other iterators can return one; for other
 * iterables, the items are the result.
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

  /** Whether the result may consist of the items. */
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

/** State of a call that is answered by a sink. */
interface Answering {
  resolve(result: unknown): void
  reject(error: unknown): void
}

/** The sink of one call. Its members may be passed on alone, as listeners are. */
function callSink(request: ExecutorRequest, { resolve, reject }: Answering): UpdateSink {
  const { signal } = request.meta
  let ended = false
  const end = (settle: () => void): boolean => {
    if (ended || signal.aborted) return false
    ended = true
    settle()
    return true
  }
  const fail = (error: unknown): boolean => end(() => reject(error))
  return Object.freeze({
    signal,
    emit: (update: unknown) => {
      const told = ended ? Promise.reject(lateUpdate()) : request.emit(update)
      // Sources that call back do not wait for it, and would go on after a fault.
      told.catch(fail)
      return told
    },
    complete: (result: unknown) => end(() => resolve(result)),
    fail,
    close: () => {
      end(() => reject(endless(request)))
    },
  })
}

function endless({ tool }: ExecutorRequest): ToolFailure {
  const message = `The tool '${tool.id}' ended without a result: its sink was neither completed nor failed.`
  return new ToolFailure(message, { reason: 'internal' })
}

/** The call that a stream answers. */
interface StreamedCall {
  readonly tool: BoundTool
  readonly limit: Abortable
  readonly request: { emit(update: unknown): Promise<void> }
}

/**
 * Reads a stream to its end: each item is an update, and the next one is asked for when listeners have room for it. The
 * stream is closed when the call is aborted, when an update is refused, and, unread, when the tool does not stream.
 *
 * @returns what the stream tells as its result, else the list of its items
 * @throws what the stream throws, and what `emit` rejects with.
 */
export async function drainStream(
  stream: AsyncIterable<unknown>,
  { tool, limit, request }: StreamedCall,
): Promise<unknown> {
  const open = new OpenStream(stream)
  const items: unknown[] | undefined = open.needsItems ? [] : undefined
  const release = limit.whenAborted(() => open.close())
  try {
    if (tool.updates === undefined) throw undeclared(tool)
    while (limit.aborted === undefined) {
      const { done, value } = await open.next()
      if (done) return resultOf(open.told(value), items)
      await request.emit(value)
      items?.push(value)
    }
    throw limit.aborted.reason
  } finally {
    release?.()
    open.close()
  }
}

function resultOf(told: { readonly result: unknown } | undefined, items: readonly unknown[] | undefined): unknown {
  return told === undefined ? items : told.result
}

function undeclared({ id }: BoundTool): ToolFailure {
  const message = `The tool '${id}' is not declared as streaming, and it answered with a stream.`
  return new ToolFailure(message, { reason: 'internal' })
}

/** Why an update is refused that comes after the end of its call. */
export function lateUpdate(): ToolFailure {
  return new ToolFailure('The call has ended: it takes no more updates.', { reason: 'cancelled' })
}

/**
 * An executor over sources that call back, such as sockets and emitters. A function that returns nothing leaves its call
 * open until the sink has an end or the call is aborted; where it gives back a promise, the sink must have its end when
 * that is resolved. What the function throws or rejects with fails the call.
 *
 * @example
 * const executor = sinkExecutor((request, sink) => {
 *   const socket = prices.subscribe(request.meta.labels['market'])
 *   sink.signal.addEventListener('abort', () => socket.close())
 *   socket.on('price', (price) => sink.emit(price))
 *   socket.on('end', (last) => sink.complete(last))
 *   socket.on('error', (error) => sink.fail(error))
 * })
 */
export function sinkExecutor(
  run: (request: ExecutorRequest, sink: UpdateSink) => void | PromiseLike<void>,
): ToolExecutor {
  return Object.freeze({
    execute: (request: ExecutorRequest) =>
      new Promise((resolve, reject) => {
        const sink = callSink(request, { resolve, reject })
        try {
          const later = run(request, sink)
          // Nothing but a promise tells when the function is done.
          if (isThenable(later)) later.then(sink.close, sink.fail)
        } catch (error) {
          sink.fail(error)
        }
      }),
  })
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof peek(value, 'then') === 'function'
}
