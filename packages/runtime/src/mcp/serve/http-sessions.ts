import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { NewServer } from './mcp-server.js'
import type { HttpListenOptions } from './serve-options.js'

interface Session {
  readonly transport: StreamableHTTPServerTransport
  readonly close: () => Promise<void>
  /** Number of requests in progress, streams of events included. */
  busy: number
  /** Number of messages of the client that are being answered. */
  answering: number
  idleSince: number
  /** Whether the client sent anything after `initialize`. */
  isUsed: boolean
}

/**
 * The sessions of a Streamable HTTP server, each with a server of its own. A new session takes the place of another one where
 * there is no room: of the oldest that never got past `initialize`, else of the least recently used. A session with a message
 * that is being answered is never ended for a new one.
 */
export class HttpSessions {
  readonly #newServer: NewServer
  /** Least recently used first. */
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
    if (typeof id === 'string') this.#touch(id, session)
    const messages = request.method === 'POST' ? 1 : 0
    session.busy += 1
    session.answering += messages
    response.once('close', () => {
      session.busy -= 1
      session.answering -= messages
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
    if (this.#isFull() && this.#replaceable() === undefined) {
      refuse(response, 503, 'Too many sessions')
      return undefined
    }
    const server = this.#newServer()
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (begun) => {
        this.#makeRoom()
        this.#sessions.set(begun, session)
      },
    })
    const session: Session = {
      ...{ transport, close: () => server.close() },
      ...{ busy: 0, answering: 0, idleSince: Date.now(), isUsed: false },
    }
    server.onclose = () => {
      if (transport.sessionId !== undefined) this.#sessions.delete(transport.sessionId)
    }
    await server.connect(transport)
    return session
  }

  /** Makes a session the most recently used one. */
  #touch(id: string, session: Session): void {
    session.isUsed = true
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
  }

  #isFull(): boolean {
    return this.#sessions.size >= this.#maxSessions
  }

  /** Returns the id of the session whose place a new one takes; `undefined` where each is answering a message. */
  #replaceable(): string | undefined {
    const waiting = [...this.#sessions].filter(([, { answering }]) => answering === 0)
    return (waiting.find(([, { isUsed }]) => !isUsed) ?? waiting[0])?.[0]
  }

  #makeRoom(): void {
    const id = this.#isFull() ? this.#replaceable() : undefined
    if (id === undefined) return
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    void session?.close()
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
