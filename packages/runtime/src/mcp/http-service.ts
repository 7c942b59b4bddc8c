import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  createMcpHandler,
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  isLegacyRequest,
  type McpRequestContext,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { parseJson } from '../schema/parse-json.js'
import { LOOPBACK } from './auth-requests.js'
import { type BearerAuth, type CheckedToken, subjectOf, type TokenCheck } from './bearer-auth.js'

/** Options for serving MCP over HTTP: address, access checks and limits of sessions. `Claims` is the type of an access token's claims. */
export interface HttpListenOptions<Claims = unknown> {
  /** Port number. Pass 0 to use any free port. */
  readonly port: number
  /** Address on which the server listens. Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string
  /** URL path of the MCP server. Default: `/mcp`. */
  readonly path?: string
  /**
   * Host names, without port, that are allowed in the `Host` header of a request. Default: `localhost`, `127.0.0.1` and `[::1]`. Required if `host`
   * has any other value. This check prevents DNS rebinding, an attack in which a web page reaches the server through the page's own host name.
   */
  readonly allowedHosts?: readonly string[]
  /** Origins of web pages that may call the server, such as `https://app.example.com`. Default: all origins on this machine. */
  readonly allowedOrigins?: readonly string[]
  /**
   * Maximum number of sessions of clients with protocols before 2026-07-28. Default: 1,000. At the maximum, a new session replaces an older session
   * that has no request in progress. If possible, the new session replaces the oldest session that was not used after `initialize`. If all sessions
   * were used, the new session replaces the least recently used session. The client of the replaced session receives status 404 and starts a new
   * session. If all sessions have requests in progress, a client that requests a new session receives status 503.
   */
  readonly maxSessions?: number
  /**
   * Maximum number of sessions of one user or client (claim `sub`), with the option `auth`. At the maximum, a new session replaces an older session
   * of the same user or client, in the same order as for `maxSessions`. Default: 100.
   */
  readonly maxSessionsPerSubject?: number
  /** Time without a request after which the server ends a session, in milliseconds. Default: 30 minutes. */
  readonly sessionIdleMs?: number
  /** Authentication of clients by access tokens, created by `bearerAuth`. Default: no authentication; the server serves all clients. */
  readonly auth?: BearerAuth<Claims>
}

/** Running MCP server, returned by `serveMcp`. */
export interface McpService {
  /** URL of the server. Absent if the server uses another transport than HTTP. */
  readonly url?: string
  /**
   * Resolves when the server has ended. The server ends after `close`. A server over stdio also ends when the client
   * closes the connection.
   */
  readonly ended: Promise<void>
  /** Ends all connections and cancels calls in progress. */
  close(): Promise<void>
}

type NewServer = (context: McpRequestContext) => Server

export async function serveHttp(newServer: NewServer, options: HttpListenOptions): Promise<McpService> {
  const { port, host = '127.0.0.1', path = '/mcp' } = options
  const refusalOf = requestGuard(options)
  const newCheck = await options.auth?.open()
  let check: TokenCheck<unknown> | undefined
  const sessions = new HttpSessions(newServer, options)
  const handler = createMcpHandler(newServer, { legacy: 'reject' })
  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A web request cannot represent these requests.
    if (incoming.method === 'TRACE' || !URL.canParse(incoming.url ?? '/', ORIGIN))
      return refuse(response, 400, 'Bad request')
    const head = requestHead(incoming)
    const unread = check && new Request(head.url, head)
    const metadata = unread && check?.metadata(unread)
    if (metadata !== undefined) return send(metadata, response)
    if (incoming.url?.split('?')[0] !== path) return refuse(response, 404, 'Not found')
    const checked = unread && (await check?.check(unread))
    if (checked instanceof Response) return send(checked, response)
    const received = await receive(head, incoming, response)
    if (received === undefined)
      return refuse(response, 413, `The body is longer than ${DEFAULT_MAX_REQUEST_BODY_SIZE} bytes`)
    const { request, parsedBody } = received
    const options = { parsedBody, ...(checked && { authInfo: checked }) }
    if (await isLegacyRequest(request, parsedBody)) return sessions.handle(request, response, options)
    await send(await handler.fetch(request, options), response)
  }
  const http = createServer((request, response) => {
    const refusal = refusalOf(request.headers)
    if (refusal !== undefined) return refuse(response, 403, refusal)
    handle(request, response).catch(() => {
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
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${bound}${path}`
  try {
    check = newCheck?.(new URL(url))
  } catch (error) {
    http.close()
    throw error
  }
  return {
    url,
    ended,
    close: async () => {
      http.close()
      await Promise.all([sessions.close(), handler.close()])
      http.closeAllConnections()
      await ended
    },
  }
}

/** Node provides only the path of a request, and no code reads this origin. */
const ORIGIN = 'http://localhost'

interface RequestHead {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
}

function requestHead({ method = 'GET', url = '/', rawHeaders }: IncomingMessage): RequestHead {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  return { url: new URL(url, ORIGIN), method, headers }
}

/** A body that is not JSON stays in the `Request` object, so that the SDK rejects the request. Returns `undefined` if the body is too long. */
async function receive(
  { url, ...head }: RequestHead,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<{ readonly request: Request; readonly parsedBody: unknown } | undefined> {
  const controller = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client closed the connection'))
  })
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length > DEFAULT_MAX_REQUEST_BODY_SIZE) return undefined
    chunks.push(chunk)
  }
  const { signal } = controller
  if (head.method !== 'POST') return { request: new Request(url, { ...head, signal }), parsedBody: undefined }
  const body = Buffer.concat(chunks)
  const parsed = parseJson(body.toString())
  return parsed.ok
    ? { request: new Request(url, { ...head, signal }), parsedBody: parsed.value }
    : { request: new Request(url, { ...head, signal, body }), parsedBody: undefined }
}

async function send({ status, headers, body }: Response, response: ServerResponse): Promise<void> {
  response.writeHead(status, Object.fromEntries(headers))
  if (body === null) {
    response.end()
    return
  }
  const reader = body.getReader()
  // If the client disconnects, the stream is cancelled, and no code needs the error.
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  if (response.destroyed) cancel()
  else response.once('close', cancel)
  // If the first event of a stream is late, the headers are sent before the event. If the event is early, one write
  // contains the headers and the event, which costs less.
  const flush = setImmediate(() => response.flushHeaders())
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      // Waits only before the next part, so that one write contains the last part and the end of the response.
      if (response.writableNeedDrain) await drained(response)
      response.write(part.value)
    }
    response.end()
  } catch {
    response.destroy()
  } finally {
    clearImmediate(flush)
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

/** The request id is null, because the server has not parsed the body of the request. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }))
}

/**
 * Without these checks, a web page could reach this machine through the host name of the page. `Origin` may be missing, because only browsers send
 * this header.
 */
function requestGuard({
  host = '127.0.0.1',
  allowedHosts,
  allowedOrigins,
}: HttpListenOptions): (headers: IncomingHttpHeaders) => string | undefined {
  if (allowedHosts === undefined && !LOOPBACK.includes(host) && host !== '::1') {
    throw new TypeError(
      `serveMcp: other machines can reach the host '${host}'. Set allowedHosts to the names of this server`,
    )
  }
  const hosts = allowedHosts ?? LOOPBACK
  const hostnameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '')
  return ({ host: name, origin }) => {
    if (name === undefined || !hosts.includes(hostnameOf(`http://${name}`))) return 'Host not allowed'
    if (origin === undefined) return undefined
    const isAllowed = allowedOrigins?.includes(origin) ?? LOOPBACK.includes(hostnameOf(origin))
    return isAllowed ? undefined : 'Origin not allowed'
  }
}

class HttpSession {
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: Server
  readonly subject: string | undefined
  busy = 0
  answering = 0
  idleSince: number = Date.now()
  /** True if the client has sent a request after `initialize`. */
  isUsed = false

  constructor(
    server: Server,
    subject: string | undefined,
    onStart: (id: string, session: HttpSession) => void,
    onEnd: (id: string) => void,
  ) {
    this.server = server
    this.subject = subject
    this.transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => onStart(id, this),
    })
    server.onclose = () => {
      if (this.transport.sessionId !== undefined) onEnd(this.transport.sessionId)
    }
  }
}

interface RequestOptions {
  readonly parsedBody: unknown
  readonly authInfo?: CheckedToken<unknown>
}

/** Sessions of clients with protocols before 2026-07-28. */
class HttpSessions {
  readonly #newServer: NewServer
  /** From the least to the most recently used session. */
  readonly #sessions = new Map<string, HttpSession>()
  readonly #maxSessions: number
  readonly #maxOfSubject: number
  readonly #sweep: NodeJS.Timeout

  constructor(newServer: NewServer, options: HttpListenOptions) {
    const { maxSessions = 1_000, maxSessionsPerSubject = 100, sessionIdleMs = 30 * 60_000 } = options
    this.#newServer = newServer
    this.#maxSessions = maxSessions
    this.#maxOfSubject = maxSessionsPerSubject
    const endIdle = (): void => {
      for (const { busy, idleSince, server } of this.#sessions.values()) {
        if (busy === 0 && Date.now() - idleSince >= sessionIdleMs) void server.close()
      }
    }
    this.#sweep = setInterval(endIdle, Math.min(sessionIdleMs, 60_000))
    this.#sweep.unref()
  }

  async handle(request: Request, response: ServerResponse, options: RequestOptions): Promise<void> {
    const subject = subjectOf(options.authInfo)
    const id = request.headers.get('mcp-session-id')
    const isPost = request.method === 'POST'
    const isNew = id === null
    if (isNew && !isPost) return refuse(response, 400, 'Mcp-Session-Id is missing')
    if (isNew && this.#mustReplace(subject) && this.#replaceable(subject) === undefined) {
      return refuse(response, 503, 'Too many sessions')
    }
    const session = isNew ? await this.#start(request, subject) : this.#sessions.get(id)
    if (session === undefined || session.subject !== subject) return refuse(response, 404, 'Session not found')
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
    const answer = await session.transport.handleRequest(request, options)
    // The request was not a valid `initialize`.
    if (session.transport.sessionId === undefined) await session.server.close()
    await send(answer, response)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.allSettled([...this.#sessions.values()].map(({ server }) => server.close()))
  }

  async #start(requestInfo: Request, subject: string | undefined): Promise<HttpSession> {
    const onStart = (id: string, session: HttpSession): void => {
      const replaced = this.#mustReplace(subject) ? this.#replaceable(subject) : undefined
      if (replaced !== undefined) {
        const { server } = this.#sessions.get(replaced) ?? {}
        this.#sessions.delete(replaced)
        void server?.close()
      }
      this.#sessions.set(id, session)
    }
    const server = this.#newServer({ era: 'legacy', requestInfo })
    const session = new HttpSession(server, subject, onStart, (id) => this.#sessions.delete(id))
    await session.server.connect(session.transport)
    return session
  }

  #mustReplace(subject: string | undefined): boolean {
    return this.#sessions.size >= this.#maxSessions || this.#hasMost(subject)
  }

  #hasMost(subject: string | undefined): boolean {
    if (subject === undefined) return false
    return [...this.#sessions.values()].filter((session) => session.subject === subject).length >= this.#maxOfSubject
  }

  #replaceable(subject: string | undefined): string | undefined {
    const isOfOthers = this.#hasMost(subject) ? (session: HttpSession) => session.subject !== subject : () => false
    const waiting = [...this.#sessions].filter(([, session]) => session.answering === 0 && !isOfOthers(session))
    return (waiting.find(([, { isUsed }]) => !isUsed) ?? waiting[0])?.[0]
  }
}
