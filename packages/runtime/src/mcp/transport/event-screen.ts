import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { McpCallError } from '../../execute/mcp/mcp-call-error.js'
import { type Answer, brokenAnswer, isAnswer, ownAnswer, tooLarge } from './answer.js'
import type { BoundedLine } from './bounded-lines.js'
import { EventLines } from './event-lines.js'
import type { OpenRequests } from './open-requests.js'
import { readMessage } from './read-message.js'

/** Whose stream of events it is. */
export interface ScreenedStream {
  readonly requests: OpenRequests
  readonly maxMessageBytes: number
  /** The request that the stream answers; absent for one that belongs to none. */
  readonly request: RequestId | undefined
}

/** Reads a stream of events and writes it again, with a stand-in for each answer. */
export class EventScreen {
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
