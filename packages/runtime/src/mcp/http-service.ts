import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
/** Options of Streamable HTTP. */
export interface HttpListenOptions {
  /** 0: any free port. */
  readonly port: number
  /** Default `127.0.0.1`: only this machine. */
  readonly host?: string
  /** Default `/mcp`. */
  readonly path?: string
  /**
   * Accepted names in `Host` headers, without port. Default: those of this machine. Required if `host` is another, so that no
   * web page can reach the server under a name of its own.
   */
  readonly allowedHosts?: readonly string[]
  /** The origins of web pages that may call, e.g. `https://app.example.com`. Default: those of this machine. */
  readonly allowedOrigins?: readonly string[]
  /**
   * Maximum number of sessions at a time. Default 1,000. A further one replaces the oldest that never got past `initialize`,
   * else the least recently used; its client receives status 404 and starts a new session. If every session has a call in
   * progress, the status is 503.
   */
  readonly maxSessions?: number
  /** Time after which an idle session ends, in milliseconds. Default 30 minutes. */
  readonly sessionIdleMs?: number
}

/** A running server. */
export interface McpService {
  /** URL of the server over HTTP. */
  readonly url?: string
  /** Resolves when the service has ended: by `close`, or because its client has gone over stdio. */
  readonly ended: Promise<void>
  /** Ends all connections and cancels calls in progress. */
  close(): Promise<void>
}

export async function serveHttp(newServer: () => Server, options: HttpListenOptions): Promise<McpService> {
  const { port, host = '127.0.0.1', path = '/mcp' } = options
  const refusalOf = requestGuard(options)
  const sessions = new HttpSessions(newServer, options)
  const http = createServer((request, response) => {
    const refusal = refusalOf(request.headers)
    if (refusal !== undefined) return refuse(response, 403, refusal)
    if (request.url?.split('?')[0] !== path) return refuse(response, 404, 'Not found')
    sessions.handle(request, response).catch(() => {
      if (response.headersSent) response.destroy()
      else refuse(response, 500, 'Internal error')
    })
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
  const ended = new Promise<void>((resolve) => http.once('close', () => resolve()))
  const address = http.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${bound}${path}`,
    ended,
    close: async () => {
      http.close()
      await sessions.close()
      http.closeAllConnections()
      await ended
    },
  }
}

/** Answers with a JSON-RPC error that belongs to no request. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }))
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns a function that returns the reason to refuse a request, if there is one. `Host` and `Origin` expose a web page under
 * a name that was made to point to this machine; programs send no `Origin`.
 *
 * @throws {TypeError} when the server would listen to other machines and no hosts are named.
 */
function requestGuard({
  host = '127.0.0.1',
  allowedHosts,
  allowedOrigins,
}: HttpListenOptions): (headers: IncomingHttpHeaders) => string | undefined {
  if (allowedHosts === undefined && !LOOPBACK.includes(host) && host !== '::1') {
    throw new TypeError(`serveMcp: the host '${host}' can be reached by others: say in allowedHosts under which names`)
  }
  const hosts = allowedHosts ?? LOOPBACK
  const hostnameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')
  return ({ host: name, origin }) => {
    if (name === undefined || !hosts.includes(hostnameOf(`http://${name}`))) return 'this host is not served'
    if (origin === undefined) return undefined
    const isAllowed = allowedOrigins?.includes(origin) ?? LOOPBACK.includes(hostnameOf(origin))
    return isAllowed ? undefined : 'this origin is not served'
  }
}

/** One session of a Streamable HTTP server. */
class HttpSession {
  readonly transport: StreamableHTTPServerTransport
  readonly server: Server
  /** Number of requests in progress, including streams of events. */
  busy = 0
  /** Number of messages of the client that are being answered. */
  answering = 0
  idleSince: number = Date.now()
  /** `true` if the client sent anything after `initialize`. */
  isUsed = false

  constructor(server: Server, onStart: (id: string, session: HttpSession) => void, onEnd: (id: string) => void) {
    this.server = server
    this.transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => onStart(id, this),
    })
    server.onclose = () => {
      if (this.transport.sessionId !== undefined) onEnd(this.transport.sessionId)
    }
  }
}

/** The sessions of a Streamable HTTP server, each with a server of its own. */
class HttpSessions {
  readonly #newServer: () => Server
  /** Least recently used first. */
  readonly #sessions = new Map<string, HttpSession>()
  readonly #maxSessions: number
  readonly #sweep: NodeJS.Timeout

  constructor(newServer: () => Server, { maxSessions = 1_000, sessionIdleMs = 30 * 60_000 }: HttpListenOptions) {
    this.#newServer = newServer
    this.#maxSessions = maxSessions
    const endIdle = (): void => {
      for (const { busy, idleSince, server } of this.#sessions.values()) {
        if (busy === 0 && Date.now() - idleSince >= sessionIdleMs) void server.close()
      }
    }
    this.#sweep = setInterval(endIdle, Math.min(sessionIdleMs, 60_000))
    this.#sweep.unref()
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = request.headers['mcp-session-id']
    const isPost = request.method === 'POST'
    const isNew = typeof id !== 'string'
    if (isNew && !isPost) return refuse(response, 400, 'Mcp-Session-Id is missing')
    if (isNew && this.#isFull() && this.#replaceable() === undefined) return refuse(response, 503, 'Too many sessions')
    const session = isNew ? await this.#start() : this.#sessions.get(id)
    if (session === undefined) return refuse(response, 404, 'Session not found')
    if (!isNew) {
      session.isUsed = true
      this.#sessions.delete(id)
      this.#sessions.set(id, session)
    }
    const messages = isPost ? 1 : 0
    session.busy += 1
    session.answering += messages
    response.once('close', () => {
      session.busy -= 1
      session.answering -= messages
      session.idleSince = Date.now()
    })
    await session.transport.handleRequest(request, response)
    // The request was no valid `initialize`.
    if (session.transport.sessionId === undefined) await session.server.close()
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.allSettled([...this.#sessions.values()].map(({ server }) => server.close()))
  }

  async #start(): Promise<HttpSession> {
    const onStart = (id: string, session: HttpSession): void => {
      const replaced = this.#isFull() ? this.#replaceable() : undefined
      if (replaced !== undefined) {
        const { server } = this.#sessions.get(replaced) ?? {}
        this.#sessions.delete(replaced)
        void server?.close()
      }
      this.#sessions.set(id, session)
    }
    const session = new HttpSession(this.#newServer(), onStart, (id) => this.#sessions.delete(id))
    await session.server.connect(session.transport)
    return session
  }

  #isFull(): boolean {
    return this.#sessions.size >= this.#maxSessions
  }

  /** Returns the id of the session that a new one replaces; `undefined` if each is answering a message. */
  #replaceable(): string | undefined {
    const waiting = [...this.#sessions].filter(([, { answering }]) => answering === 0)
    return (waiting.find(([, { isUsed }]) => !isUsed) ?? waiting[0])?.[0]
  }
}
