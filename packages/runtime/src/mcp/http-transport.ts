import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { AbortListeners } from '../call/call-group.js'
import { retryAfterMs } from '../call/classify.js'
import { McpCallError } from '../executors/mcp-call-error.js'
import { jsonAnswers, screenedEvents } from './event-stream.js'
import { brokenAnswer, OpenRequests, ownAnswer, type Resumable, sentMessage } from './messages.js'

/** How long a server may take to hear that a session is over, in milliseconds. */
const GOODBYE_MS = 1_000

/** How a server is reached over HTTP, and what is taken from it. */
export interface HttpRoute {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
  readonly maxMessageBytes: number
}

/**
 * Streamable HTTP that takes no message beyond a limit, knows of every request whether its answer still comes, and tells the
 * server when its session is over, so that it need not wait for it to grow old.
 */
export class SessionTransport extends StreamableHTTPClientTransport {
  readonly #requests: OpenRequests
  #closing: Promise<void> | undefined

  constructor({ url, headers, fetch, maxMessageBytes }: HttpRoute) {
    const requests = new OpenRequests()
    super(url, {
      requestInit: { headers: { ...headers } },
      fetch: messageFetch({ fetch: refusingFetch(fetch), requests, maxMessageBytes }),
      reconnectionOptions: { ...RECONNECTION, maxRetries: RESUME_TRIES },
    })
    this.#requests = requests
  }

  override async start(): Promise<void> {
    const heard = this.onmessage
    this.onmessage = (message) => heard?.(this.#requests.replaced(message))
    await super.start()
  }

  override close(): Promise<void> {
    this.#closing ??= this.#sayGoodbye().then(() => super.close())
    return this.#closing
  }

  async #sayGoodbye(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, GOODBYE_MS)
    })
    // A server that does not hear it forgets the session by itself.
    await Promise.race([this.terminateSession().catch(() => undefined), late])
    clearTimeout(timer)
  }
}

/** How long the SDK waits before it takes a stream up again: its own defaults, of which none may be left out. */
const RECONNECTION: Omit<NonNullable<StreamableHTTPClientTransportOptions['reconnectionOptions']>, 'maxRetries'> = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 1.5,
}

/** What a server's refusal of the stream was: the SDK keeps less of it. */
interface Refusal {
  error: unknown
}

/** HTTP with server-sent events that takes no message beyond a limit and lives as long as its one stream. */
export class EventStreamTransport extends SSEClientTransport {
  readonly #requests: OpenRequests
  readonly #refusal: Refusal

  constructor({ url, headers, fetch, maxMessageBytes }: HttpRoute) {
    const requests = new OpenRequests()
    const refusal: Refusal = { error: undefined }
    const refusing = refusingFetch(fetch)
    super(url, {
      requestInit: { headers: { ...headers } },
      fetch: async (address, init) => {
        if (init?.method === 'POST') return refusing(address, init)
        try {
          return openedStream({ requests, maxMessageBytes }, await refusing(address, init))
        } catch (error) {
          refusal.error = error
          throw error
        }
      },
    })
    this.#requests = requests
    this.#refusal = refusal
  }

  override async start(): Promise<void> {
    const { onmessage, onerror } = this
    this.onmessage = (message) => onmessage?.(this.#requests.replaced(message))
    this.onerror = (error) => {
      onerror?.(error)
      // The stream is opened anew by itself, but under another session: the calls of this one are lost.
      if (error.name === 'SseError' || 'event' in error) void this.close()
    }
    try {
      await super.start()
    } catch (error) {
      throw this.#refusal.error ?? error
    }
  }
}

/** How often it is tried to take a stream up again. */
const RESUME_TRIES = 2

/** What is asked, and for which requests. */
interface MessageFetch {
  readonly fetch: Fetch
  readonly requests: OpenRequests
  readonly maxMessageBytes: number
}

/**
 * The `fetch` of Streamable HTTP. Every request ends with an answer in its response or in the stream that takes that up again,
 * be it one of this side that says why there is none; what is under way for it ends with it.
 */
function messageFetch(parts: MessageFetch): Fetch {
  const { requests } = parts
  const listeners = new AbortListeners()
  const ask = (url: string | URL, init: RequestInit, request: RequestId): AskedRequest => {
    const controller = requests.begin(request)
    const { signal } = init
    const release = signal ? listeners.add(signal, () => controller.abort(signal.reason)) : () => undefined
    return { ...parts, request, release, ask: () => parts.fetch(url, { ...init, signal: controller.signal }) }
  }
  return async (url, init = {}) => {
    if (init.method === 'GET') {
      const eventId = new Headers(init.headers).get('last-event-id') ?? ''
      const resumable = requests.resumable(eventId)
      if (resumable === undefined) return openedStream(parts, await parts.fetch(url, init))
      if (requests.has(resumable.id)) return resumed(ask(url, init, resumable.id), eventId, resumable)
      requests.forgetEvent(eventId)
      return notOffered()
    }
    const { request, cancels } = init.method === 'POST' ? sentMessage(init.body) : {}
    if (cancels !== undefined) requests.cancel(cancels)
    return request === undefined ? parts.fetch(url, init) : answered(ask(url, init, request))
  }
}

/** A request that is about to be sent. */
interface AskedRequest extends MessageFetch {
  readonly request: RequestId
  ask(): Promise<Response>
  /** To be called when nothing of the response is read any more. */
  release(): void
}

async function answered(asked: AskedRequest): Promise<Response> {
  const { request, requests, release } = asked
  let isStream = false
  try {
    const response = await asked.ask()
    // Redirects are followed by the SDK, which calls again.
    if (response.status >= 300) return response
    const type = mediaType(response)
    if (type === 'text/event-stream' && response.body !== null) {
      isStream = true
      return answeredBy(response, screenedEvents(response.body, asked, release))
    }
    if (type === 'application/json') return answeredBy(response, await jsonAnswers(response.body, asked))
    if (response.status === 202) return broken(asked, response)
    requests.forget(request)
    return response
  } catch (error) {
    if (!requests.has(request)) return new Response(null, { status: 202 })
    requests.forget(request)
    throw error
  } finally {
    if (!isStream) release()
  }
}

/** A server that accepts a request as if it were a notification. */
async function broken({ request, requests }: AskedRequest, response: Response): Promise<Response> {
  await response.body?.cancel()
  return answeredBy(response, requests.answer(ownAnswer(request, brokenAnswer())))
}

async function resumed(asked: AskedRequest, eventId: string, resumable: Resumable): Promise<Response> {
  const { request, requests, release } = asked
  let cause: unknown
  try {
    const response = await asked.ask()
    if (response.ok && response.body !== null && mediaType(response) === 'text/event-stream') {
      requests.forgetEvent(eventId)
      return answeredBy(response, screenedEvents(response.body, asked, release))
    }
    await response.body?.cancel()
  } catch (error) {
    resumable.failures += 1
    if (requests.has(request) && resumable.failures < RESUME_TRIES) {
      release()
      throw error
    }
    cause = error
  }
  release()
  requests.forgetEvent(eventId)
  if (!requests.has(request)) return notOffered()
  const fault = new McpCallError('closed', 'the answer broke off and could not be taken up again', { cause })
  const event = `data: ${requests.answer(ownAnswer(request, fault))}\n\n`
  return new Response(event, { headers: { 'content-type': 'text/event-stream' } })
}

/** Any other stream of a server's messages. */
function openedStream({ requests, maxMessageBytes }: Omit<MessageFetch, 'fetch'>, response: Response): Response {
  if (!response.ok || response.body === null || mediaType(response) !== 'text/event-stream') return response
  const stream = { requests, maxMessageBytes, request: undefined }
  return answeredBy(
    response,
    screenedEvents(response.body, stream, () => undefined),
  )
}

/** As a server answers that has no stream to offer: the SDK asks no more. */
function notOffered(): Response {
  return new Response(null, { status: 405 })
}

/** How an address is asked: the global `fetch` is one. */
type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** How much of the body of an error is read, in bytes, and for how long, in milliseconds: the status has said the most. */
const KEPT_BYTES = 2_000
const READ_FOR_MS = 1_000

/**
 * A `fetch` that fails where a server answers with an error: the SDK would read all of its body and keep only the status, and
 * that not always. A 405 to anything but a message says that a server does not offer it, and is passed on.
 */
function refusingFetch(own: Fetch): Fetch {
  return async (url, init) => {
    const response = await own(url, init)
    const { status, headers } = response
    if (status < 400 || (status === 405 && init?.method !== 'POST')) return response
    const text = await beginning(response.body)
    const wait = retryAfterMs({ headers }, Date.now())
    throw new McpCallError('http', `the server answered with HTTP ${status}${text === '' ? '' : `: ${text}`}`, {
      status,
      ...(wait !== undefined && { retryAfterMs: wait }),
    })
  }
}

async function beginning(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), READ_FOR_MS)
  })
  const decoder = new TextDecoder()
  let [text, left] = ['', KEPT_BYTES]
  try {
    while (left > 0) {
      const read = await Promise.race([reader.read(), late])
      if (read?.value === undefined) break
      text += decoder.decode(read.value.subarray(0, left), { stream: true })
      left -= read.value.length
    }
  } catch {
    // What has come is what is known.
  }
  clearTimeout(timer)
  reader.cancel().catch(() => undefined)
  return text.trim()
}

/** What kind of body a response has, without parameters. */
function mediaType({ headers }: Response): string | undefined {
  return headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
}

/** A response with another body: a stream of events, or JSON. */
function answeredBy({ headers, url }: Response, body: ReadableStream<Uint8Array> | string): Response {
  const answer = new Response(body, { headers })
  if (typeof body === 'string') answer.headers.set('content-type', 'application/json')
  // Redirects are followed by address.
  Object.defineProperty(answer, 'url', { value: url })
  return answer
}
