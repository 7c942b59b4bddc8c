import { type BoundedLine, BoundedLines } from './bounded-lines.js'
import { BROKEN_OFF, ownAnswer } from './own-answer.js'

/** How an address is asked: the global `fetch` is one. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * A `fetch` whose answers hold no message beyond a limit: an error answer takes its place. Where a stream of events breaks
 * off before the answer that was asked for, and cannot be resumed, an error answer ends it: the SDK would wait on.
 */
export function boundedFetch(own: Fetch, maxMessageBytes: number): Fetch {
  return async (url, init) => {
    const response = await own(url, init)
    const { body, status, statusText, headers } = response
    const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (body === null || !response.ok || (type !== 'text/event-stream' && type !== 'application/json')) return response
    const lines = new BoundedLines(maxMessageBytes)
    const bounded =
      type === 'application/json'
        ? boundedJson(body, lines)
        : boundedEvents(
            body,
            lines,
            new AnswerWatch(requestId(init?.method === 'POST' ? init.body : undefined), maxMessageBytes),
          )
    const answer = new Response(bounded, { status, statusText, headers })
    // Redirects are followed by address.
    Object.defineProperty(answer, 'url', { value: response.url })
    return answer
  }
}

/** The id of the one request that a body holds. */
function requestId(body: unknown): number | string | undefined {
  if (typeof body !== 'string') return undefined
  const { method, id }: { method?: unknown; id?: unknown } = JSON.parse(body)
  return typeof method === 'string' && (typeof id === 'number' || typeof id === 'string') ? id : undefined
}

/** A body of JSON counts as one line, whatever lines it has. */
function boundedJson(body: ReadableStream<Uint8Array>, lines: BoundedLines): ReadableStream<Uint8Array> {
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk) => {
        lines.push(chunk.map((byte) => (byte === 10 ? 32 : byte)))
      },
      flush: (controller) => {
        const line = lines.end()
        if (line.kind === 'line') controller.enqueue(line.bytes)
        else if (line.answer !== undefined) controller.enqueue(bytesOf(line.answer))
        else controller.error(new TypeError('the answer is longer than a message may be'))
      },
    }),
  )
}

function boundedEvents(
  body: ReadableStream<Uint8Array>,
  lines: BoundedLines,
  watch: AnswerWatch,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (!done) {
          for (const line of lines.push(value)) controller.enqueue(watch.pass(line))
          return
        }
        if (!lines.isEmpty) controller.enqueue(watch.pass(lines.end()))
      } catch (error) {
        // Of a stream that is too much to read nothing more is wanted.
        reader.cancel(error).catch(() => undefined)
        if (!watch.isOwed) {
          controller.error(error)
          return
        }
      }
      if (watch.isOwed) controller.enqueue(bytesOf(watch.brokenOff))
      controller.close()
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Whether the answer to a request has passed. */
class AnswerWatch {
  readonly #id: number | string | undefined
  readonly #limit: number
  #answered = false
  #resumable = false
  /** How long the event is that is being read: it may have many lines. */
  #length = 0

  constructor(id: number | string | undefined, limit: number) {
    this.#id = id
    this.#limit = limit
  }

  get isOwed(): boolean {
    return this.#id !== undefined && !this.#answered && !this.#resumable
  }

  get brokenOff(): string {
    return `\n\ndata: ${ownAnswer(this.#id ?? '', 'the answer broke off', BROKEN_OFF)}\n\n`
  }

  pass(line: BoundedLine): Uint8Array {
    if (line.kind === 'too_long') {
      if (line.answer === undefined) throw new TypeError('an event is longer than a message may be')
      this.#answered = true
      return bytesOf(`data: ${line.answer}\n`)
    }
    this.#length = line.bytes.length === 0 ? 0 : this.#length + line.bytes.length
    // `data: ` and a carriage return are not part of the message.
    if (this.#length > this.#limit + 8) throw new TypeError('an event is longer than a message may be')
    const text = new TextDecoder().decode(line.bytes)
    if (/^id: ?\S/.test(text)) this.#resumable = true
    // An answer is the only message with this id that is no request of the server.
    if (text.startsWith('data:') && text.includes(`"id":${JSON.stringify(this.#id)}`) && !text.includes('"method":')) {
      this.#answered = true
    }
    return bytesOf(`${text}\n`)
  }
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
