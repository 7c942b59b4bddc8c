import { randomUUID } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { RequestHandlerExtra, RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  type ClientCapabilities,
  type ContentBlock,
  ContentBlockSchema,
  type CreateMessageRequestParamsBase,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  ErrorCode,
  ListToolsRequestSchema,
  type LoggingLevel,
  LoggingLevelSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { failedToStart } from '../adapters/framework-tools.js'
import type { Runtime } from '../agents/runtime.js'
import type { BoundTools } from '../call/bound-toolset.js'
import { MAX_NEAR } from '../call/execute.js'
import { alternatives, renderForModel } from '../call/render.js'
import { ToolFailure } from '../call/tool-failure.js'
import { shorten } from '../call/value-text.js'
import { type McpTool, mcpTool } from '../projections/mcp.js'
import { isFields } from '../schema/json-values.js'
import { nearestNames } from '../schema/nearest.js'
import { parseJson } from '../schema/parse-json.js'
import type { CallOptions, EnvOption } from '../types/call-options.js'
import type { JsonText } from '../types/json.js'
import type { McpServerInfo } from '../types/mcp.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ToolsetRegistration } from '../types/registration.js'
import { ownName } from './messages.js'
import { MAX_MESSAGE_BYTES } from './sdk-caller.js'

/** Options of a request to the client. */
interface AskOptions {
  /** Time for the answer, in milliseconds. Default 5 minutes. */
  readonly timeoutMs?: number
}

/**
 * The client whose call is served, until the call ends. Layers get it in their `env`, from `context`.
 *
 * @example
 * context: ({ client }) => ({ env: { ask: (message: string) => client.elicit({ message, requestedSchema }) } })
 */
export interface ServedClient {
  /** Capabilities of the client, e.g. `elicitation`. */
  readonly capabilities: ClientCapabilities
  /** Writes to the client's log, unless the client requested a higher level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void
  /**
   * Asks the user with a form. Rejects if the answer does not match the form or is late, and if the call is cancelled.
   *
   * @throws {ToolFailure} `denied` if the client cannot ask its user; the model receives it.
   */
  elicit(form: ElicitRequestFormParams, options?: AskOptions): Promise<ElicitResult>
  /**
   * Asks the client's model. Rejects like `elicit`.
   *
   * @throws {ToolFailure} `denied` if the client cannot ask its model.
   */
  sample(request: CreateMessageRequestParamsBase, options?: AskOptions): Promise<CreateMessageResult>
}

/** A client's request for a tool. */
export interface ServedRequest {
  /** The tool name. */
  readonly tool: string
  /** The client, for questions and log messages during the call. */
  readonly client: ServedClient
  /** The session of Streamable HTTP, made by the server; absent over stdio. Not a secret of one user. */
  readonly mcpSession?: string
  /** The headers of the request over HTTP. */
  readonly headers?: IncomingHttpHeaders
}

/** Options of clients' calls: the env of layers, the session, labels. */
type ServedContext<Env> = Omit<CallOptions, 'signal' | 'onUpdate'> & EnvOption<Env>

/** Tools of an MCP server. `Env` is the type that the layers around the tools require. */
export type ServedTools<Env = unknown> = {
  /** Name and version of the server. Default: `toolgen`. */
  readonly server?: McpServerInfo
  /** Instructions for the models of clients. */
  readonly instructions?: string
  /** Registrations, or bound toolsets and agents; every tool under its tool name. */
  readonly toolsets: readonly (ToolsetRegistration<Env> | BoundTools<Env>)[]
} & (unknown extends Env
  ? {
      /** Returns the options of a client's call. Default: none. */
      readonly context?: (request: ServedRequest) => ServedContext<Env> | Promise<ServedContext<Env>>
    }
  : {
      /** Returns the options of a client's call; required, because layers require an env. */
      readonly context: (request: ServedRequest) => ServedContext<Env> | Promise<ServedContext<Env>>
    })

/** Streams for stdio, other than those of the process. */
interface StdioStreams {
  readonly input: Readable
  /** Nothing else may write to it. */
  readonly output: Writable
}

/** Options of Streamable HTTP. */
interface HttpListenOptions {
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

/** Options of {@link serveMcp}. */
export type ServeMcpOptions<Env = unknown> = ServedTools<Env> & {
  /** Default `stdio`, over the streams of the process: nothing else may write to stdout then. */
  readonly transport?: 'stdio' | StdioStreams | HttpListenOptions | Transport
}

/** A module for `toolgen serve` with its tools and what belongs to them. */
type ServedProject<Env = unknown> = ServedTools<Env> & {
  /** The runtime in which registrations become tools. Default: a runtime without options. */
  readonly runtime?: Runtime
  /** Called once when the service has ended, to close what the module has opened. */
  readonly close?: () => unknown
}

/**
 * Export of a module for `toolgen serve`, as its default or as `tools`: registrations, bound toolsets and agents; an object
 * with these as `toolsets` and with other options; or a function that returns one of these. `Env` is the type that the layers
 * around the tools require: then only an object can provide it, with its `context`.
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

/**
 * Serves tools as an MCP server: with their schemas and annotations, structured content and text, progress of streaming tools
 * if a client requests it, and cancellation. A failed call is an `isError` result with the text of `renderForModel`; only an
 * unknown tool is an error of the protocol.
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

async function serveStdio(newServer: () => Server, { input, output }: StdioStreams): Promise<McpService> {
  // Our callers may send messages of this size; the SDK's own limit would end the service without an error.
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES })
  const service = await serveOver(newServer, transport)
  // The client has gone.
  input.once('end', () => void service.close())
  return service
}

async function serveOver(newServer: () => Server, transport: Transport): Promise<McpService> {
  const server = newServer()
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  await server.connect(transport)
  return { ended, close: () => server.close() }
}

async function serveHttp(newServer: () => Server, options: HttpListenOptions): Promise<McpService> {
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

interface ServedTool {
  // `any`: the env comes from `context`, whose type follows from the tools.
  readonly bound: BoundTools<any>
  readonly listed: McpTool
}

/**
 * Returns a function that makes a server for a connection; all servers have the same tools.
 *
 * @throws {TypeError} when two tools have the same tool name.
 * @throws {BindingError} listing every error of a registration.
 */
function mcpServers<Env>(runtime: Runtime, served: ServedTools<Env>): () => Server {
  const { server: info = ownName, instructions, context } = served
  const tools = toolTable(runtime, served)
  const listed = [...tools.values()].map((tool) => tool.listed)
  const options = { capabilities: { tools: {}, logging: {} }, ...(instructions !== undefined && { instructions }) }
  return () => {
    const server = new Server({ ...info }, options)
    const clientOf = servedClients(server)
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: listed }))
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra): Promise<CallToolResult> => {
      const { name, arguments: args = {} } = params
      const tool = tools.get(name)
      if (tool === undefined) throw unknownTool(name, [...tools.keys()])
      const call = { tool: name, arguments: JSON.stringify(args) }
      let callOptions: Partial<ServedContext<unknown>> | undefined
      try {
        callOptions = await context?.({
          tool: name,
          client: clientOf(extra),
          ...(extra.sessionId !== undefined && { mcpSession: extra.sessionId }),
          ...(extra.requestInfo !== undefined && { headers: extra.requestInfo.headers }),
        })
      } catch (error) {
        return resultOf(failedToStart(call, error), false)
      }
      const token = extra._meta?.progressToken
      const progress = token === undefined ? undefined : progressOf(token)
      const outcome = await tool.bound.execute(call, {
        ...callOptions,
        signal: extra.signal,
        ...(progress !== undefined && {
          // If the client has gone, the call ends by its signal.
          onUpdate: (update) => void extra.sendNotification(progress(update)).catch(() => undefined),
        }),
      })
      return resultOf(outcome, tool.listed.outputSchema !== undefined)
    })
    return server
  }
}

function toolTable<Env>(runtime: Runtime, { toolsets }: ServedTools<Env>): ReadonlyMap<string, ServedTool> {
  const tools = new Map<string, ServedTool>()
  for (const toolset of toolsets) {
    const bound = 'specs' in toolset ? toolset : runtime.registerToolset(toolset)
    for (const spec of bound.specs) {
      const { toolName } = spec
      if (tools.has(toolName)) {
        const message = `two of the tools to serve are named '${toolName}': give one of them another with \`rename\``
        throw new TypeError(message)
      }
      tools.set(toolName, { bound, listed: mcpTool(spec).tool })
    }
  }
  return tools
}

/** Returns an error answer. The SDK's class would add its code to the message, and the client would add it again. */
function unknownTool(name: string, names: readonly string[]): Error {
  const near = nearestNames(name, names, MAX_NEAR)
  const advice = near.length === 0 ? '' : `. Did you mean ${alternatives(near)}?`
  return Object.assign(new Error(`Unknown tool: ${shorten(name, 64)}${advice}`), { code: ErrorCode.InvalidParams })
}

/** Returns the client of each call of a server, which must offer logging. */
function servedClients(server: Server): (call: RequestHandlerExtra<ServerRequest, ServerNotification>) => ServedClient {
  const severity = (level: LoggingLevel): number => LoggingLevelSchema.options.indexOf(level)
  let lowest = 0
  server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    lowest = severity(params.level)
    return {}
  })
  const capabilities = (): ClientCapabilities => server.getClientCapabilities() ?? {}
  const unableTo = (ask: string): ToolFailure => {
    const message = `The tool needs a client that can ${ask}, and the one that is used here cannot.`
    return new ToolFailure(message, { reason: 'denied' })
  }
  return ({ requestId, signal, sendNotification }) => {
    // Over HTTP it is sent on the stream of the call: there may be no other.
    const options = ({ timeoutMs: timeout = 300_000 }: AskOptions = {}): RequestOptions => ({
      relatedRequestId: requestId,
      signal,
      timeout,
    })
    return {
      get capabilities() {
        return capabilities()
      },
      log: (level, data, logger) => {
        if (severity(level) < lowest) return
        const params = { level, data, ...(logger !== undefined && { logger }) }
        // If the client has gone, the call ends by its signal.
        sendNotification({ method: 'notifications/message', params }).catch(() => undefined)
      },
      elicit: async (form, timeout) => {
        if (capabilities().elicitation?.form === undefined) throw unableTo('ask its user')
        return server.elicitInput(form, options(timeout))
      },
      sample: async (request, timeout) => {
        if (capabilities().sampling === undefined) throw unableTo('ask its model')
        return server.createMessage(request, options(timeout))
      },
    }
  }
}

/**
 * Returns the result of a call: the text that a model reads, and structured content if the tool declares a result. Otherwise a
 * result in the form of MCP content is sent as that content: an imported tool that is served again answers as its own server.
 */
function resultOf(outcome: ToolOutcome, isDeclared: boolean): CallToolResult {
  const textBlocks = (text: string): ContentBlock[] => [{ type: 'text', text }]
  if (outcome.status !== 'completed') return { content: textBlocks(renderForModel(outcome)), isError: true }
  const parsed = parseJson(outcome.json)
  // A layer may have replaced the JSON by prose.
  const result = parsed.ok ? parsed.value : undefined
  const text = !isDeclared && typeof result === 'string' ? result : outcome.json
  const blocks = isDeclared ? undefined : contentBlocks(result)
  return {
    content: blocks ?? textBlocks(text),
    ...(isDeclared && isFields(result) && { structuredContent: result }),
  }
}

/** Returns the blocks of `{ content: [...] }`; `undefined` for any other result, also with a block of an unknown kind. */
function contentBlocks(result: unknown): ContentBlock[] | undefined {
  if (!isFields(result) || Object.keys(result).join() !== 'content') return undefined
  return ContentBlockSchema.array().min(1).safeParse(result.content).data
}

/**
 * Returns a function that converts the updates of one call to notifications: an update with a growing number `progress` is sent
 * as it is, any other is counted and sent as the message.
 */
function progressOf(progressToken: string | number): (update: JsonText) => ServerNotification {
  let last = Number.NEGATIVE_INFINITY
  return (update) => {
    const value: unknown = JSON.parse(update)
    const { progress, total, message } = isFields(value) ? value : {}
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
