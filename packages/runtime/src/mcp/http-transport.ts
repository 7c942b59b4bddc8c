import {
  type JSONRPCMessage,
  type RequestId,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { retryAfterMs } from '../call/response-headers.js'
import { after, ReconnectDelays, sleep } from '../call/timers.js'
import { McpCallError } from './mcp-call-error.js'
import {
  BoundedLines,
  type BoundedText,
  malformedAnswer,
  nextTurn,
  ownAnswer,
  readMessage,
  readValue,
  TextCollector,
  tooLarge,
} from './messages.js'

/** Maximum wait for the server's confirmation that the session has ended. */
const GOODBYE_MS = 1_000

/** Time that a server has to close a stream after the response. After this time, the client closes the connection. */
const LINGER_MS = 500

const RESUME_TRIES = 2
const RESUME_MS = 1_000
/** A server can request a shorter delay, and end each stream at once. */
const MIN_RESUME_MS = 50

/** Delays before the client reopens a lost stream of notifications, with protocols before 2026-07-28. */
const FIRST_REOPEN_MS = 1_000
const LONGEST_REOPEN_MS = 60_000

const ERROR_BYTES = 20_000

const QUOTE_LENGTH = 2_000
const ERROR_MS = 1_000

export interface HttpRoute {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
  readonly maxMessageBytes: number
  readonly hide: (text: string) => string
}

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export class SessionTransport extends StreamableHTTPClientTransport {
  readonly hide: (text: string) => string
  /** Called when the stream of notifications is open after a failure, and the server does not repeat the notifications in between. */
  onreopened?: () => void
  #closing: Promise<void> | undefined

  constructor(route: HttpRoute) {
    const { url, headers, hide } = route
    const reader = new ResponseReader(route)
    const delays = new ReconnectDelays(FIRST_REOPEN_MS, LONGEST_REOPEN_MS)
    super(url, {
      requestInit: { headers: { ...headers } },
      fetch: (address, init) => reader.fetch(address, init),
      // Without a delay of its own, the SDK passes only the delay that the server has requested.
      reconnectionOptions: {
        initialReconnectionDelay: 0,
        maxReconnectionDelay: 0,
        reconnectionDelayGrowFactor: 1,
        maxRetries: Number.POSITIVE_INFINITY,
      },
      reconnectionScheduler: (reconnect, requestedMs, failures) => {
        // If the server no longer has the session, the next call opens another one.
        if (reader.isRefused) return undefined
        const isRequested = failures === 0 && requestedMs > 0
        return after(Math.max(requestedMs, isRequested ? FIRST_REOPEN_MS : delays.next()), reconnect, false)
      },
    })
    reader.transport = this
    this.hide = hide
  }

  override close(): Promise<void> {
    this.#closing ??= new Promise<void>((resolve) => {
      const stopTimer = after(GOODBYE_MS, resolve)
      this.terminateSession()
        .catch(() => undefined)
        .finally(stopTimer)
        .finally(resolve)
    }).then(() => super.close())
    return this.#closing
  }
}

/** In contrast to the transport of the SDK, this transport ends when its event stream ends. */
export class EventStreamTransport extends SSEClientTransport {
  readonly #refused: { error: unknown }

  constructor(route: HttpRoute) {
    const { url, headers } = route
    const refused: { error: unknown } = { error: undefined }
    const reader = new ResponseReader(route)
    super(url, {
      requestInit: { headers: { ...headers } },
      fetch: async (address, init = {}) => {
        if (init.method === 'POST') return reader.send(address, init)
        try {
          return await reader.open(address, init, false)
        } catch (error) {
          // The SDK keeps only a part of the error.
          refused.error = error
          throw error
        }
      },
    })
    reader.transport = this
    this.#refused = refused
  }

  override async start(): Promise<void> {
    const { onerror } = this
    this.onerror = (error) => {
      onerror?.(error)
      // The SDK reopens the stream in another session, so the calls of this session are lost.
      if (error.name === 'SseError' || 'event' in error) void this.close()
    }
    try {
      await super.start()
    } catch (error) {
      throw this.#refused.error ?? error
    }
  }
}

interface Receiver {
  onmessage?: ((message: JSONRPCMessage) => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onreopened?: (() => void) | undefined
}

interface OpenRequest {
  readonly id: RequestId
  readonly controller: AbortController
  isAwaited: boolean
  release: () => void
}

/**
 * The SDK itself would wait forever for the rest of a malformed, overlong or truncated response, and would continue to read after a cancelled
 * request.
 */
class ResponseReader {
  transport: Receiver = {}
  /** True if the server has refused the stream of notifications, for example because it no longer has the session. */
  isRefused = false
  #hasRequestedStream = false
  #hasStream = false
  readonly #send: Fetch
  readonly #maxBytes: number
  readonly #hide: (text: string) => string
  readonly #open = new Map<RequestId, OpenRequest>()

  constructor({ fetch, maxMessageBytes, hide }: HttpRoute) {
    this.#send = fetch
    this.#maxBytes = maxMessageBytes
    this.#hide = hide
  }

  async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
    if (init.method === 'GET') return this.#openNotifications(url, init)
    const { id, method, params } = typeof init.body === 'string' ? JSON.parse(init.body) : {}
    if (method === 'notifications/cancelled') this.#cancel(params?.requestId)
    if (method === undefined || id === undefined) return this.send(url, init)
    const request: OpenRequest = { id, controller: new AbortController(), isAwaited: true, release: () => undefined }
    this.#open.set(id, request)
    const cancel = (): void => this.#cancel(id)
    init.signal?.addEventListener('abort', cancel)
    request.release = () => init.signal?.removeEventListener('abort', cancel)
    try {
      const response = await this.#send(url, { ...init, signal: request.controller.signal })
      const type = mediaType(response)
      const hasAnswer = response.status === 202 || type === 'text/event-stream' || type === 'application/json'
      if (response.ok && hasAnswer) {
        void this.#read(request, response, (lastEventId) => {
          const headers = new Headers(init.headers)
          headers.delete('content-type')
          headers.set('accept', 'text/event-stream')
          headers.set('last-event-id', lastEventId)
          return this.send(url, { headers, signal: request.controller.signal })
        })
        return new Response(null, { status: 202, headers: response.headers })
      }
      const isNew = new Headers(init.headers).has('mcp-method')
      // The SDK would wait for the end of the body, which it does not need.
      if (response.status < 400) await response.body?.cancel()
      const returned = response.status < 400 ? response : await this.#rejected(request, method, response, isNew)
      // The SDK follows redirects and calls this method again.
      this.#end(request)
      return returned
    } catch (error) {
      this.#end(request)
      if (!request.isAwaited) return new Response(null, { status: 202 })
      throw error
    }
  }

  async send(url: string | URL, init?: RequestInit): Promise<Response> {
    const response = await this.#send(url, init)
    // Without this error, the SDK would read the whole body and sometimes lose the status. For methods other than POST,
    // status 405 means that the server has no event stream.
    if (response.status < 400 || (response.status === 405 && init?.method !== 'POST')) return response
    throw httpError(response, await this.#errorText(response))
  }

  async #openNotifications(url: string | URL, init: RequestInit): Promise<Response> {
    const isFirst = !this.#hasRequestedStream
    this.#hasRequestedStream = true
    try {
      const response = await this.open(url, init, true)
      if (!response.ok) return response
      if (mediaType(response) !== 'text/event-stream') {
        this.isRefused = true
        return new Response(null, { status: 405 })
      }
      if (!isFirst && !new Headers(init.headers).has('last-event-id')) this.transport.onreopened?.()
      this.#hasStream = true
      return response
    } catch (error) {
      const status = error instanceof McpCallError ? (error.status ?? 0) : 503
      this.isRefused = status >= 400 && status < 500 && ![408, 425, 429].includes(status)
      const isTemporary = [429, 502, 503, 504].includes(status)
      if (this.#hasStream || !isTemporary || init.signal?.aborted === true) throw error
      // The SDK opens a stream again only if it was open before, so the first stream is replaced by one that ends at once.
      this.transport.onerror?.(error instanceof Error ? error : new TypeError(String(error)))
      return new Response('', { headers: { 'content-type': 'text/event-stream' } })
    }
  }

  async open(url: string | URL, init: RequestInit, isResumable: boolean): Promise<Response> {
    const response = await this.send(url, init)
    const { body, headers } = response
    if (!response.ok || body === null) return response
    if (mediaType(response) !== 'text/event-stream') {
      // The SDK would keep the connection open.
      await body.cancel()
      return new Response(null, { status: response.status, headers })
    }
    const events = this.#forwarded(body, isResumable)
    const encoder = new TextEncoder()
    const stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await events.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
    })
    return new Response(stream, { headers })
  }

  /** From protocol 2026-07-28 on, the body of a response with an error status can be the JSON-RPC error for the request. */
  async #rejected(request: OpenRequest, method: string, response: Response, isNew: boolean): Promise<Response> {
    const text = await this.#errorText(response)
    const { status, headers } = response
    const isOfTransport = status >= 500 || [401, 403, 408, 425, 429].includes(status)
    if (!isNew || isOfTransport) throw httpError(response, text)
    const { message } = readMessage(text)
    if (message !== undefined && 'error' in message && message.id === request.id) {
      await this.#deliver(message)
      return new Response(null, { status: 202 })
    }
    // Old servers reject the unknown method in different ways, which the SDK detects.
    if (method === 'server/discover') return new Response(text, { status, headers })
    throw httpError(response, text)
  }

  async #errorText({ body }: Response): Promise<string> {
    const { text } = await textWithin(body, ERROR_BYTES, ERROR_MS).catch(() => ({ text: '' }))
    return this.#hide(text.trim())
  }

  #end(request: OpenRequest): void {
    request.release()
    if (this.#open.get(request.id) === request) this.#open.delete(request.id)
  }

  #cancel(id: RequestId): void {
    const request = this.#open.get(id)
    if (request === undefined) return
    request.isAwaited = false
    request.controller.abort()
  }

  async *#forwarded(body: ReadableStream<Uint8Array>, isResumable: boolean): AsyncGenerator<string> {
    for await (const { type, id, retry, data } of events(body, this.#maxBytes)) {
      const lines = [...(id === '' ? [] : [`id: ${id}`]), ...(retry === '' ? [] : [`retry: ${retry}`])]
      if (type === 'message') {
        await this.#take(data)
        if (isResumable && lines.length > 0) yield [...lines, 'data:', '\n'].join('\n')
      } else if ('text' in data) yield [`event: ${type}`, ...lines, `data: ${data.text}`, '\n'].join('\n')
    }
  }

  async #read(request: OpenRequest, response: Response, resume: Resume): Promise<void> {
    // The SDK must first read the session id from the headers.
    await nextTurn()
    const isStream = mediaType(response) === 'text/event-stream'
    const error = await (isStream ? this.#readStream(request, response, resume) : this.#readJson(response))
    if (request.isAwaited) await this.#deliver(ownAnswer(request.id, error))
    this.#end(request)
  }

  async #readJson({ body }: Response): Promise<McpCallError> {
    try {
      const { text, isWhole } = await textWithin(body, this.#maxBytes)
      if (!isWhole) return tooLarge(this.#maxBytes)
      const value: unknown = JSON.parse(text)
      for (const each of Array.isArray(value) ? value : [value]) {
        const { message } = readValue(each)
        if (message !== undefined) await this.#deliver(message)
      }
      return malformedAnswer()
    } catch (cause) {
      return cause instanceof SyntaxError ? malformedAnswer(cause) : brokenOff(cause)
    }
  }

  async #readStream(request: OpenRequest, first: Response, resume: Resume): Promise<McpCallError> {
    let response = first
    let [lastEventId, retryMs] = ['', RESUME_MS]
    for (;;) {
      let [garbage, cause]: unknown[] = []
      let stopTimer: (() => void) | undefined
      try {
        for await (const { type, id, retry, data } of events(response.body, this.#maxBytes)) {
          lastEventId = id || lastEventId
          if (/^\d+$/.test(retry)) retryMs = Math.max(Number(retry), MIN_RESUME_MS)
          if (type === 'message') garbage = (await this.#take(data, request.id)) ?? garbage
          if (!request.isAwaited) stopTimer ??= after(LINGER_MS, () => request.controller.abort())
        }
      } catch (error) {
        cause = error
      }
      stopTimer?.()
      if (garbage !== undefined) return malformedAnswer(garbage)
      if (lastEventId === '' || !request.isAwaited) return brokenOff(cause)
      const resumed = await this.#resumed(request, () => resume(lastEventId), retryMs)
      if (resumed instanceof McpCallError) return resumed
      response = resumed
    }
  }

  async #resumed(
    { controller }: OpenRequest,
    resume: () => Promise<Response>,
    retryMs: number,
  ): Promise<Response | McpCallError> {
    let cause: unknown
    for (let tries = 0; tries < RESUME_TRIES && (await sleep(retryMs, controller.signal)); tries += 1) {
      try {
        const response = await resume()
        if (response.ok && mediaType(response) === 'text/event-stream') return response
        await response.body?.cancel()
        break
      } catch (error) {
        cause = error
      }
    }
    return new McpCallError('closed', 'the connection broke during the response and could not be resumed', { cause })
  }

  async #take(data: BoundedText, request?: RequestId): Promise<unknown> {
    if ('text' in data) {
      if (data.text === '') return undefined
      const { message, error } = readMessage(data.text)
      if (message !== undefined) await this.#deliver(message)
      else this.transport.onerror?.(error instanceof Error ? error : new TypeError(String(error)))
      return error
    }
    const id = data.answeredId ?? request
    if (id === undefined) throw new TypeError('the server sent an event that is longer than maxMessageBytes')
    return this.#deliver(ownAnswer(id, tooLarge(this.#maxBytes)))
  }

  /** The error message of a server can contain the token of the request. */
  #withoutSecrets(message: JSONRPCMessage): JSONRPCMessage {
    if (!('error' in message)) return message
    const { error } = message
    return { ...message, error: { ...error, message: this.#hide(error.message) } }
  }

  async #deliver(answer: JSONRPCMessage): Promise<void> {
    const message = this.#withoutSecrets(answer)
    const request = 'id' in message && !('method' in message) ? this.#open.get(message.id ?? '') : undefined
    if (request !== undefined) request.isAwaited = false
    this.transport.onmessage?.(message)
    await nextTurn()
  }
}

type Resume = (lastEventId: string) => Promise<Response>

function brokenOff(cause: unknown): McpCallError {
  return new McpCallError('closed', 'the connection broke during the response', { cause })
}

/** A missing field is an empty string. */
interface ServerEvent {
  readonly type: string
  readonly id: string
  readonly retry: string
  readonly data: BoundedText
}

// The limit of a line also allows for the field name of an event stream, such as `data: `.
const FIELD_NAME = 6

async function* events(body: ReadableStream<Uint8Array> | null, maxBytes: number): AsyncGenerator<ServerEvent> {
  const lines = new BoundedLines(maxBytes + FIELD_NAME)
  const data = new TextCollector(maxBytes)
  let fields: Record<string, string> = {}
  let tooLong: BoundedText | undefined
  const eventsOf = (ended: readonly BoundedText[]): readonly ServerEvent[] =>
    ended.flatMap((line) => {
      if (!('text' in line)) tooLong = line
      else if (line.text !== '') {
        const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line.text) ?? []
        if (name === 'data') data.add(fields.data === undefined ? value : `\n${value}`)
        fields[name] = name === 'data' ? '' : value
        return []
      } else {
        const { event: type = '', id = '', retry = '' } = fields
        const text = data.take()
        const event = { type: type || 'message', id, retry, data: tooLong ?? text }
        const isEmpty = tooLong === undefined && Object.keys(fields).length === 0
        fields = {}
        tooLong = undefined
        return isEmpty ? [] : [event]
      }
      return []
    })
  const decoder = new TextDecoder()
  let endsWithCr = false
  for await (const chunk of body ?? []) {
    const decoded = decoder.decode(chunk, { stream: true })
    const text = endsWithCr ? decoded.replace(/^\n/, '') : decoded
    if (decoded !== '') endsWithCr = decoded.endsWith('\r')
    yield* eventsOf(lines.push(text.replace(/\r\n?/g, '\n')))
  }
  const rest = eventsOf([...lines.end(), { text: '' }])
  // Skip an incomplete last event.
  yield* rest.filter((event) => !('text' in event.data) || readMessage(event.data.text).message !== undefined)
}

/** At a limit, returns the text that has arrived by then. */
export async function textWithin(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  maxMs: number = Number.POSITIVE_INFINITY,
): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  if (body === null) return { text: '', isWhole: true }
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const stopTimer = after(maxMs, () => void reader.cancel().catch(() => undefined))
  let [text, left] = ['', maxBytes]
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { text: text + decoder.decode(), isWhole: true }
      text += decoder.decode(value.subarray(0, left), { stream: true })
      left -= value.length
      if (left < 0) return { text, isWhole: false }
    }
  } finally {
    stopTimer()
    reader.cancel().catch(() => undefined)
  }
}

function httpError({ status, headers }: Response, text: string): McpCallError {
  const quote = text === '' ? '' : `: ${text.slice(0, QUOTE_LENGTH)}`
  const wait = retryAfterMs({ headers }, Date.now())
  return new McpCallError('http', `the server returned HTTP status ${status}${quote}`, {
    status,
    ...(wait !== undefined && { retryAfterMs: wait }),
  })
}

function mediaType({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
}
