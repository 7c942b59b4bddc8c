import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { McpCallError } from '../executors/mcp-call-error.js'
import { type BoundedLine, BoundedLines } from './bounded-lines.js'
import {
  type Answer,
  brokenAnswer,
  isAnswer,
  type OpenRequests,
  ownAnswer,
  readMessage,
  readValue,
  tooLarge,
} from './messages.js'

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

/** Whose stream of events it is. */
interface ScreenedStream {
  readonly requests: OpenRequests
  readonly maxMessageBytes: number
  /** The request that the stream answers; absent for one that belongs to none. */
  readonly request: RequestId | undefined
}

/** Reads a stream of events and writes it again, with a stand-in for each answer. */
class EventScreen {
  readonly #stream: ScreenedStream
  readonly #lines: EventLines
  /** The event that is being read: its lines but for the data, and that. */
  #fields: string[] = []
  #data: string[] = []
  #length = 0
  /** The rest of an event of which a part was too long. */
  #isSkipping = false
  #lastEventId: string | undefined
  #garbage: { readonly cause: unknown } | undefined

  constructor(stream: ScreenedStream) {
    this.#stream = stream
    this.#lines = new EventLines(stream.maxMessageBytes)
  }

  /** Whether the answer that the stream is for has not come, and somebody waits for it. */
  get isOwed(): boolean {
    const { request, requests } = this.#stream
    return request !== undefined && requests.has(request)
  }

  /**
   * The events that these bytes end.
   *
   * @throws {TypeError} where a message was too long of which nobody knows whom it answers.
   */
  push(chunk: Uint8Array): readonly string[] {
    return written(this.#lines.push(chunk).map((line) => this.#take(line)))
  }

  /** What is left at the end of the stream, with a failure where the answer is owed and the stream cannot be taken up again. */
  end(): readonly string[] {
    const rest = this.#lines.end()
    const taken = rest === undefined ? '' : this.#take(rest)
    // An event that broke off in the middle says nothing.
    const last = this.#data.length > 0 && readMessage(this.#data.join('\n')).kind === 'message' ? this.#event() : ''
    return written([taken, last, this.failure()])
  }

  /** The failure of the request, where the answer is owed and the stream cannot be taken up again. */
  failure(cause?: unknown): string {
    const { request, requests } = this.#stream
    if (request === undefined || !this.isOwed) return ''
    if (this.#garbage !== undefined) return this.#answer(ownAnswer(request, brokenAnswer(this.#garbage.cause)))
    if (this.#lastEventId !== undefined) {
      requests.mayResume(this.#lastEventId, request)
      return ''
    }
    return this.#answer(ownAnswer(request, new McpCallError('closed', 'the answer broke off', { cause })))
  }

  #take(line: BoundedLine): string {
    if (line.kind === 'too_long') return this.#tooLong(line.id)
    if (line.bytes.length === 0) return this.#event()
    if (this.#isSkipping) return ''
    const text = new TextDecoder().decode(line.bytes)
    if (text.startsWith(':')) return ''
    const isData = text === 'data' || text.startsWith('data:')
    const kept = isData ? text.slice('data:'.length).replace(/^ /, '') : text
    this.#length += line.bytes.length - (text.length - kept.length)
    if (this.#length > this.#stream.maxMessageBytes) return this.#tooLong(undefined)
    if (isData) this.#data.push(kept)
    else this.#fields.push(kept)
    return ''
  }

  #event(): string {
    const [fields, data] = [this.#fields, this.#data]
    const isSkipped = this.#isSkipping
    this.#begin(false)
    if (isSkipped || (fields.length === 0 && data.length === 0)) return ''
    if (data.length > 0) this.#lastEventId = field(fields, 'id') || this.#lastEventId
    const event = (texts: readonly string[]): string =>
      `${[...fields, ...texts.map((text) => `data: ${text}`)].join('\n')}\n\n`
    const type = field(fields, 'event') ?? ''
    if (data.every((text) => text === '') || (type !== '' && type !== 'message')) return event(data)
    const read = readMessage(data.join('\n'))
    const answer = read.kind === 'message' ? read.message : read.answer
    if (read.kind === 'garbage') this.#garbage = { cause: read.cause }
    return answer !== undefined && isAnswer(answer) ? event([this.#stream.requests.answer(answer)]) : event(data)
  }

  #tooLong(id: number | undefined): string {
    const { request, maxMessageBytes } = this.#stream
    this.#begin(true)
    const answered = id ?? request
    if (answered === undefined) throw new TypeError('an event is longer than a message may be')
    return this.#answer(ownAnswer(answered, tooLarge(maxMessageBytes)))
  }

  #begin(isSkipping: boolean): void {
    this.#fields = []
    this.#data = []
    this.#length = 0
    this.#isSkipping = isSkipping
  }

  #answer(answer: Answer): string {
    return `data: ${this.#stream.requests.answer(answer)}\n\n`
  }
}

function written(events: readonly string[]): readonly string[] {
  return events.filter((event) => event !== '')
}

/** The value of the last field of that name. */
function field(lines: readonly string[], name: string): string | undefined {
  const line = lines.filter((each) => each === name || each.startsWith(`${name}:`)).pop()
  return line?.slice(name.length + 1).replace(/^ /, '')
}

const [LF, CR] = [10, 13]

/** What stands before a message in a line of an event, in bytes. */
const FIELD_NAME = 6

/** Cuts a stream of events into lines, which may end with CR, LF or both. */
class EventLines {
  readonly #lines: BoundedLines
  #endedWithCr = false

  constructor(maxMessageBytes: number) {
    this.#lines = new BoundedLines(maxMessageBytes + FIELD_NAME)
  }

  push(chunk: Uint8Array): readonly BoundedLine[] {
    return this.#lines.push(this.#withLineFeeds(chunk))
  }

  /** What has come since the last line; `undefined` where nothing has. */
  end(): BoundedLine | undefined {
    return this.#lines.isEmpty ? undefined : this.#lines.end()
  }

  #withLineFeeds(chunk: Uint8Array): Uint8Array {
    const whole = this.#endedWithCr && chunk[0] === LF ? chunk.subarray(1) : chunk
    if (chunk.length > 0) this.#endedWithCr = chunk.at(-1) === CR
    if (!whole.includes(CR)) return whole
    const isSecond = (at: number): boolean => whole[at] === LF && whole[at - 1] === CR
    return whole.filter((_, at) => !isSecond(at)).map((byte) => (byte === CR ? LF : byte))
  }
}

/** The messages of a body of JSON, again as JSON, with a stand-in for each answer and surely one for the request. */
export async function jsonAnswers(
  body: ReadableStream<Uint8Array> | null,
  { request, requests, maxMessageBytes }: ScreenedStream & { readonly request: RequestId },
): Promise<string> {
  const answered = (answer: Answer): string => requests.answer(answer)
  const text = body === null ? '' : await textWithin(body, maxMessageBytes)
  if (text === undefined) return answered(ownAnswer(request, tooLarge(maxMessageBytes)))
  const { values, cause } = parsed(text)
  const written = values.flatMap((value) => {
    const read = readValue(value)
    const message = read.kind === 'message' ? read.message : read.answer
    if (message === undefined) return []
    return isAnswer(message) ? answered(message) : JSON.stringify(message)
  })
  // Unless nobody waits for it any more.
  if (requests.has(request)) written.push(answered(ownAnswer(request, brokenAnswer(cause))))
  return `[${written.join(',')}]`
}

function parsed(text: string): { readonly values: readonly unknown[]; readonly cause?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return { values: Array.isArray(value) ? value : [value] }
  } catch (cause) {
    return { values: [], cause }
  }
}

/** A body as text; `undefined` where it is longer than a message may be. */
async function textWithin(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    length += value.length
    if (length > maxBytes) {
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
