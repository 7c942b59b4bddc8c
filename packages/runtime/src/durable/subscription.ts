import { untilAborted } from '../call/timers.js'

/**
 * Creates an iterable whose iterators end at once when their reader leaves. The `return` of an async generator would wait for a pending `next`.
 *
 * @param read generator that ends soon after its signal is aborted
 */
export function subscription<Entry>(
  read: (signal: AbortSignal) => AsyncGenerator<Entry, undefined>,
): AsyncIterable<Entry> {
  return { [Symbol.asyncIterator]: () => iteratorOf(read) }
}

function iteratorOf<Entry>(read: (signal: AbortSignal) => AsyncGenerator<Entry, undefined>): AsyncIterator<Entry> {
  const reader = new AbortController()
  const { signal } = reader
  const entries = read(signal)
  const end: IteratorResult<Entry> = { done: true, value: undefined }
  return {
    async next() {
      try {
        return await untilAborted(signal, () => entries.next())
      } catch (error) {
        if (signal.aborted) return end
        throw error
      }
    },
    async return() {
      reader.abort()
      return end
    },
  }
}
