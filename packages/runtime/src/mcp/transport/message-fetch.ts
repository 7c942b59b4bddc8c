import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { AbortListeners } from '../../execute/call/abort-listeners.js'
import { McpCallError } from '../../execute/mcp/mcp-call-error.js'
import { brokenAnswer, ownAnswer } from './answer.js'
import { jsonAnswers } from './json-answers.js'
import type { OpenRequests, Resumable } from './open-requests.js'
import type { Fetch } from './refusing-fetch.js'
import { answeredBy, mediaType } from './response.js'
import { screenedEvents } from './screened-events.js'
import { sentMessage } from './sent-message.js'

/** How often it is tried to take a stream up again. */
export const RESUME_TRIES = 2

/** What is asked, and for which requests. */
export interface MessageFetch {
  readonly fetch: Fetch
  readonly requests: OpenRequests
  readonly maxMessageBytes: number
}

/**
 * The `fetch` of Streamable HTTP. Every request ends with an answer in its response or in the stream that takes that up again,
 * be it one of this side that says why there is none; what is under way for it ends with it.
 */
export function messageFetch(parts: MessageFetch): Fetch {
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
export function openedStream({ requests, maxMessageBytes }: Omit<MessageFetch, 'fetch'>, response: Response): Response {
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
