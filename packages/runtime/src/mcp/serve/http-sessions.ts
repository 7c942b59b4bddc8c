import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { NewServer } from './mcp-server.js'
import type { HttpListenOptions } from './serve-options.js'

interface Session {
  readonly transport: StreamableHTTPServerTransport
  readonly close: () => Promise<void>
  /** How many requests are under way. */
  busy: number
  idleSince: number
}

/** The sessions of a Streamable HTTP server, each with a server of its own. */
export class HttpSessions {
  readonly #newServer: NewServer
  readonly #sessions = new Map<string, Session>()
  readonly #maxSessions: number
  readonly #idleMs: number
  readonly #sweep: NodeJS.Timeout

  constructor(newServer: NewServer, { maxSessions = 1_000, sessionIdleMs = 30 * 60_000 }: HttpListenOptions) {
    this.#newServer = newServer
    this.#maxSessions = maxSessions
    this.#idleMs = sessionIdleMs
    this.#sweep = setInterval(() => this.#forgetIdle(), Math.min(sessionIdleMs, 60_000))
    this.#sweep.unref()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const session = typeof id === 'string' ? this.#sessions.get(id) : await this.#begin(request, response)
    if (session === undefined) {
      if (typeof id === 'string') refuse(response, 404, 'Session not found')
      return
    }
    session.busy += 1
    response.once('close', () => {
      session.busy -= 1
      session.idleSince = Date.now()
    })
    await session.transport.handleRequest(request, response)
    // A request that began no session leaves nothing behind.
    if (session.transport.sessionId === undefined) await session.close()
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()))
  }

  async #begin(request: IncomingMessage, response: ServerResponse): Promise<Session | undefined> {
    if (request.method !== 'POST') {
      refuse(response, 400, 'Mcp-Session-Id is missing')
      return undefined
    }
    if (this.#sessions.size >= this.#maxSessions) {
      refuse(response, 503, 'Too many sessions')
      return undefined
    }
    const server = this.#newServer()
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (begun) => {
        this.#sessions.set(begun, session)
      },
    })
    const session: Session = { transport, close: () => server.close(), busy: 0, idleSince: Date.now() }
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
    }
    await server.connect(transport)
    return session
  }

  #forgetIdle(): void {
    for (const session of this.#sessions.values()) {
      if (session.busy === 0 && Date.now() - session.idleSince >= this.#idleMs) void session.close()
    }
  }
}

/** Answers with a JSON-RPC error that belongs to no request. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }))
}
