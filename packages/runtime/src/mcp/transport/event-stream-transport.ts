import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { openedStream } from './message-fetch.js'
import { OpenRequests } from './open-requests.js'
import { refusingFetch } from './refusing-fetch.js'
import type { HttpRoute } from './session-transport.js'

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
