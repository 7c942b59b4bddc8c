import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { messageFetch, RESUME_TRIES } from './message-fetch.js'
import { OpenRequests } from './open-requests.js'
import { type Fetch, refusingFetch } from './refusing-fetch.js'

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
