import { EventScreen, type ScreenedStream } from './event-screen.js'

type Read = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>

/** How long a server may take to end a stream whose answer has come, in milliseconds: cut off, it would cost the connection. */
const LINGER_MS = 500

/**
 * A stream of events whose answers are taken out and whose messages are within a bound. Where it breaks off and its answer is
 * owed, a failure ends it: the SDK would wait on.
 *
 * @param ended is called once nothing more is read
 */
export function screenedEvents(
  body: ReadableStream<Uint8Array>,
  stream: ScreenedStream,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const screen = new EventScreen(stream)
  return new ReadableStream({
    async pull(controller) {
      let events: readonly string[] = []
      let isOver = false
      // A source that is pulled and gives nothing is not pulled again.
      while (events.length === 0 && !isOver) {
        try {
          const isPastUse = stream.request !== undefined && !screen.isOwed
          const { done, value } = await (isPastUse ? readInTime(reader) : reader.read())
          isOver = done
          events = done ? screen.end() : screen.push(value)
        } catch (error) {
          // Of a stream that is too much to read nothing more is wanted.
          reader.cancel(error).catch(() => undefined)
          isOver = true
          const failure = screen.failure(error)
          events = failure === '' ? [] : [failure]
          // Nobody misses the rest of a stream whose request is over.
          if (stream.request === undefined || screen.isOwed) {
            ended()
            controller.error(error)
            return
          }
        }
      }
      // One by one: the SDK forgets progress that comes in one go with its answer.
      for (const event of events) controller.enqueue(new TextEncoder().encode(event))
      if (!isOver) return
      ended()
      controller.close()
    },
    cancel: (reason) => {
      ended()
      return reader.cancel(reason)
    },
  })
}

/** What is read in time; else the stream has ended. */
async function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Read> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<Read>((resolve) => {
    timer = setTimeout(() => {
      reader.cancel().catch(() => undefined)
      resolve({ done: true, value: undefined })
    }, LINGER_MS)
  })
  try {
    return await Promise.race([reader.read(), late])
  } finally {
    clearTimeout(timer)
  }
}
