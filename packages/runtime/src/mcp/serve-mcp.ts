import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  type ContentBlock,
  ContentBlockSchema,
  ErrorCode,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { failedToStart } from '../adapters/framework-tools.js'
import type { Runtime } from '../agents/runtime.js'
import { type BoundTools, MAX_NEAR } from '../call/execute.js'
import { alternatives, renderForModel, shorten } from '../call/render.js'
import { mcpTool } from '../projections/mcp.js'
import { isFields } from '../schema/json-values.js'
import { nearestNames } from '../schema/nearest.js'
import type { JsonText } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ToolsetRegistration } from '../types/registration.js'
import { ownName } from './messages.js'
import { MAX_MESSAGE_BYTES } from './sdk-caller.js'
import {
  type HttpListenOptions,
  type McpService,
  type ServedContext,
  type ServedTools,
  type StdioStreams,
  servedClients,
} from './serve-options.js'

/** What is served and how. */
export type ServeMcpOptions<Env = unknown> = ServedTools<Env> & {
  /** Default `stdio`, over the streams of the process: nothing else may write to stdout then. */
  readonly transport?: 'stdio' | StdioStreams | HttpListenOptions | Transport
}

/**
 * Serves tools as an MCP server: with their schemas and annotations, structured content and text, progress of streaming tools
 * where a client asks for it, and cancellation. What goes wrong with a call is an `isError` result with the text of
 * `renderForModel`; only an unknown tool is an error of the protocol.
 *
 * @throws {TypeError} when two tools have one name, or when others could reach the server and no hosts are named.
 *
 * @example
 * await serveMcp(new Runtime(), { toolsets: [newOrdersToolsetRegistration(executor)] })
 * const service = await serveMcp(runtime, { toolsets: [orders], transport: { port: 8080 } })
 */
export async function serveMcp<Env = unknown>(runtime: Runtime, options: ServeMcpOptions<Env>): Promise<McpService> {
  const newServer = mcpServers(runtime, options)
  const { transport = 'stdio' } = options
  if (transport === 'stdio') return serveStdio(newServer, { input: process.stdin, output: process.stdout })
  if ('output' in transport) return serveStdio(newServer, transport)
  return 'port' in transport ? serveHttp(newServer, transport) : serveOver(newServer, transport)
}

async function serveStdio(newServer: NewServer, { input, output }: StdioStreams): Promise<McpService> {
  // What our callers may send: the SDK's own limit would end the service without a word.
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES })
  const service = await serveOver(newServer, transport)
  // The client has gone: there is nobody left to serve.
  input.once('end', () => void service.close())
  return service
}

async function serveOver(newServer: NewServer, transport: Transport): Promise<McpService> {
  const server = newServer()
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  await server.connect(transport)
  return { ended, close: () => server.close() }
}

async function serveHttp(newServer: NewServer, options: HttpListenOptions): Promise<McpService> {
  const { port, host = '127.0.0.1', path = '/mcp' } = options
  const refusal = refusalOf(options)
  const sessions = new HttpSessions(newServer, options)
  const http = createServer((request, response) => {
    const refused = refusal(request.headers)
    if (refused !== undefined) refuse(response, 403, refused)
    else if (request.url?.split('?')[0] !== path) refuse(response, 404, 'Not found')
    else
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
class HttpSessions {
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
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message } }))
}

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Says why a request is refused, or nothing. A web page under a name that was made to point to this machine gives itself away
 * by `Host` and `Origin`; programs send no `Origin`.
 *
 * @throws {TypeError} when the server would listen to other machines and no hosts are named.
 */
function refusalOf({
  host = '127.0.0.1',
  allowedHosts,
  allowedOrigins,
}: HttpListenOptions): (headers: IncomingHttpHeaders) => string | undefined {
  if (allowedHosts === undefined && !LOOPBACK.includes(host) && host !== '::1') {
    throw new TypeError(`serveMcp: the host '${host}' can be reached by others: say in allowedHosts under which names`)
  }
  const hosts = allowedHosts ?? LOOPBACK
  return ({ host: named, origin }) => {
    if (named === undefined || !hosts.includes(hostnameOf(`http://${named}`) ?? '')) return 'this host is not served'
    if (origin === undefined) return undefined
    const isAllowed = allowedOrigins?.includes(origin) ?? LOOPBACK.includes(hostnameOf(origin) ?? '')
    return isAllowed ? undefined : 'this origin is not served'
  }
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

/** All that a module can say of what `toolgen serve` is to serve. */
export type ServedProject<Env = unknown> = ServedTools<Env> & {
  /** In which registrations become tools. Default: a runtime without options. */
  readonly runtime?: Runtime
  /** Called once when the service has ended, to close what the module has opened. */
  readonly close?: () => unknown
}

/**
 * What a module for `toolgen serve` exports, as its default or as `tools`: registrations, toolsets and agents that are bound
 * already, or a {@link ServedProject} with what else belongs to them; or a function that gives one of these. `Env` names what
 * the layers around the tools need: where they need something, only a project can give it, with its `context`.
 *
 * @example
 * export default [newOrdersToolsetRegistration(executor)] satisfies ServedModule
 *
 * @example
 * export default (async () => ({
 *   toolsets: [registerSupport(runtime, { toolsets: { orders: { client: await connect() } } })],
 *   context: ({ mcpSession = 'stdio' }) => ({ sessionId: mcpSession }),
 * })) satisfies ServedModule
 */
export type ServedModule<Env = unknown> = Served<Env> | (() => Served<Env> | Promise<Served<Env>>)

type Served<Env> = ServedProject<Env> | (unknown extends Env ? Servable<Env> | readonly Servable<Env>[] : never)

type Servable<Env> = ToolsetRegistration<Env> | BoundTools<Env>

/** Makes a server for each connection, all over the same tools. */
type NewServer = () => Server

/**
 * Servers of the SDK that offer tools: each connection needs one. `tools/call` runs the one path of every call, with the
 * signal of the request.
 *
 * @throws {TypeError} when two tools have the same tool name.
 * @throws {BindingError} listing every fault of a registration.
 */
function mcpServers<Env>(runtime: Runtime, served: ServedTools<Env>): NewServer {
  const tools = toolTable(runtime, served)
  const listed = [...tools.values()].map(({ listed }) => listed)
  const { server: info = ownName, instructions, context } = served
  const said = instructions === undefined ? {} : { instructions }
  return () => {
    const server = new Server({ ...info }, { capabilities: { tools: {}, logging: {} }, ...said })
    const clientOf = servedClients(server)
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
      const tool = tools.get(params.name)
      if (tool === undefined) throw unknownTool(params.name, [...tools.keys()])
      const asked = {
        tool: params.name,
        client: clientOf(extra),
        ...(extra.sessionId !== undefined && { mcpSession: extra.sessionId }),
        ...(extra.requestInfo !== undefined && { headers: extra.requestInfo.headers }),
      }
      const call = { tool: params.name, arguments: JSON.stringify(params.arguments ?? {}) }
      let given: Partial<ServedContext<unknown>>
      try {
        given = (await context?.(asked)) ?? {}
      } catch (error) {
        return answerOf(failedToStart(call, error), false)
      }
      const token = extra._meta?.progressToken
      const told = token === undefined ? undefined : progressOf(token)
      const outcome = await tool.bound.execute(call, {
        ...given,
        signal: extra.signal,
        ...(told !== undefined && {
          // A client that has gone hears nothing; the call ends by its signal.
          onUpdate: (update) => void extra.sendNotification(told(update)).catch(() => undefined),
        }),
      })
      return answerOf(outcome, tool.listed.outputSchema !== undefined)
    })
    return server
  }
}

/** An error answer. One of the SDK's class would say its code in the text too, and whoever hears it says it once more. */
function unknownTool(name: string, names: readonly string[]): Error {
  const near = nearestNames(name, names, MAX_NEAR)
  const advice = near.length === 0 ? '' : `. Did you mean ${alternatives(near)}?`
  return Object.assign(new Error(`Unknown tool: ${shorten(name, 64)}${advice}`), { code: ErrorCode.InvalidParams })
}

interface ServedTool {
  // `any`: the env comes from `context`, whose type follows from the tools.
  readonly bound: BoundTools<any>
  readonly listed: ReturnType<typeof mcpTool>['tool']
}

function toolTable<Env>(runtime: Runtime, { toolsets }: ServedTools<Env>): ReadonlyMap<string, ServedTool> {
  const tools = new Map<string, ServedTool>()
  for (const toolset of toolsets) {
    const bound = 'specs' in toolset ? toolset : runtime.registerToolset(toolset)
    for (const spec of bound.specs) {
      if (tools.has(spec.toolName)) {
        throw new TypeError(
          `two of the tools to serve are named '${spec.toolName}': give one of them another with \`rename\``,
        )
      }
      tools.set(spec.toolName, { bound, listed: mcpTool(spec).tool })
    }
  }
  return tools
}

/**
 * What a client is answered: the text that a model reads, and the result as structured content where it is declared. Where it
 * is not, a result that has the shape of MCP content is sent as that content: an imported tool that is served again answers as
 * its own server did.
 */
function answerOf(outcome: ToolOutcome, isStructured: boolean): CallToolResult {
  if (outcome.status !== 'completed') return { content: textOf(renderForModel(outcome)), isError: true }
  const result = parsed(outcome.json)
  if (isStructured) {
    const content = textOf(outcome.json)
    return isFields(result) ? { content, structuredContent: result } : { content }
  }
  return { content: blocksOf(result) ?? textOf(typeof result === 'string' ? result : outcome.json) }
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    // A layer has put prose in the place of the JSON.
    return undefined
  }
}

/** The blocks of `{ content: [...] }`; a block of a kind that is not known makes it any other result. */
function blocksOf(result: unknown): ContentBlock[] | undefined {
  if (!isFields(result) || Object.keys(result).join() !== 'content') return undefined
  const blocks = ContentBlockSchema.array().min(1).safeParse(result.content)
  return blocks.success ? blocks.data : undefined
}

function textOf(text: string): ContentBlock[] {
  return [{ type: 'text', text }]
}

/** A notification of progress. A type: what is sent takes fields of any name. */
type ProgressNotification = {
  readonly method: 'notifications/progress'
  readonly params: {
    readonly progressToken: string | number
    readonly progress: number
    readonly total?: number
    readonly message?: string
  }
}

/**
 * Turns the updates of one call into progress: an update with a growing number `progress` is taken at its word, any other is
 * counted and sent as the message.
 */
function progressOf(progressToken: string | number): (update: JsonText) => ProgressNotification {
  let last = Number.NEGATIVE_INFINITY
  return (update) => {
    const told: unknown = JSON.parse(update)
    const { progress, total, message } = isFields(told) ? told : {}
    const isProgress = typeof progress === 'number' && progress > last
    last = isProgress ? progress : Math.max(last, 0) + 1
    return {
      method: 'notifications/progress',
      params: {
        progressToken,
        progress: last,
        ...(isProgress && typeof total === 'number' && { total }),
        ...(isProgress ? typeof message === 'string' && { message } : { message: update }),
      },
    }
  }
}
