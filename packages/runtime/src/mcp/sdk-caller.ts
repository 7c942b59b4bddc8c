import {
  type CallToolResult,
  Client,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client'
import { vendorRules } from '../adapters/vendor-errors.js'
import { AbortListeners } from '../call/call-group.js'
import { withMeaning } from '../call/classify.js'
import { ignoreErrors } from '../call/telemetry.js'
import { after, LONGEST_TIMER_MS, requireTimeLimit, sleep } from '../call/timers.js'
import type { JsonObject } from '../types/json.js'
import type {
  McpCaller,
  McpCallOptions,
  McpPrompt,
  McpReadOptions,
  McpRequestOptions,
  McpResource,
  McpResourceContents,
  McpServerInfo,
  McpToolCall,
  McpToolInfo,
  McpToolResult,
} from '../types/mcp.js'
import type { CallerOptions } from './caller-options.js'
import { elicited } from './elicitation.js'
import { McpCallError } from './mcp-call-error.js'
import { malformedAnswer, ownName } from './messages.js'
import { headersIn, listedPrompts, listedResources, listedTools, malformed, resourceContents } from './server-lists.js'
import { ServerEnd } from './server-process.js'
import { ToolChanges } from './tool-changes.js'

/**
 * Maximum time in milliseconds in which a stdio server must answer `server/discover`, and maximum part of `connectTimeoutMs`. Some old
 * servers do not answer unknown requests.
 */
const PROBE_MS = 10_000
const PROBE_SHARE = 1 / 3

/** Delays before a lost stream of change notifications is opened again, in milliseconds. */
const FIRST_LISTEN_MS = 1_000
const LONGEST_LISTEN_MS = 60_000

/** Default of `maxBytes` for a resource. */
const MAX_RESOURCE_BYTES = 10_000_000

/** JSON-RPC codes of protocol 2026-07-28. */
const HEADER_MISMATCH = -32_020
const UNSUPPORTED_VERSION = -32_022

/** Accepts every result, because the executor validates results. */
const anyResult: StandardSchemaV1<unknown, object> = {
  '~standard': { version: 1, vendor: 'toolgen', validate: (value) => ({ value: Object(value) }) },
}

/** Transport to an MCP server. */
export interface CallerTransport extends Transport {
  /** Kills the server process, if this transport has started one. */
  abandon?(): void
}

/** A server, and the function that opens a connection to it. */
export interface ServerRoute {
  /** Name of the server in error messages: the command or the URL. */
  readonly name: string
  /** True if the transport exists only in protocols before 2026-07-28. */
  readonly isOld?: boolean
  open(): CallerTransport | Promise<CallerTransport>
  isFinal?(error: unknown): boolean
}

/** Options for `listTools` of the callers. */
interface ListToolsOptions {
  /** Signal that cancels the request. Default: none. */
  readonly signal?: AbortSignal
  /** Receives an error for each tool that is skipped, and its name if it has one. Default: `onError` of the caller. */
  readonly onSkippedTool?: (error: McpCallError, name?: string) => void
}

/** Abort listeners of all requests. They are shared, because many requests use the same signal. */
const listeners = new AbortListeners()

/**
 * MCP caller that uses the official SDK. The first request opens its connection, and the next request after a loss opens a new one. The
 * caller uses protocol 2026-07-28 if the server supports it, otherwise the latest older protocol that both support.
 */
export class SdkCaller implements McpCaller {
  readonly #route: ServerRoute
  readonly #options: CallerOptions
  readonly #changes = new ToolChanges()
  readonly #end = new AbortController()
  #connecting: Promise<Connection> | undefined
  #server: McpServerInfo | undefined
  #capabilities: JsonObject | undefined
  /** True if the last connection used an older protocol, so that the next connection does not ask for protocol 2026-07-28. */
  #isOld: boolean

  /**
   * Creates a caller that is not connected yet.
   * @throws {RangeError} if a time limit, `reconnect.attempts` or `maxMessageBytes` is invalid.
   */
  constructor(route: ServerRoute, options: CallerOptions = {}) {
    const { timeoutMs, connectTimeoutMs, reconnect, maxMessageBytes = 1 } = options
    requireTimeLimit('timeoutMs', timeoutMs)
    requireTimeLimit('connectTimeoutMs', connectTimeoutMs)
    const { attempts = 1 } = reconnect ?? {}
    if (!(attempts >= 1)) throw new RangeError(`reconnect.attempts must be at least 1, but is ${attempts}`)
    if (!(maxMessageBytes > 0)) throw new RangeError(`maxMessageBytes must be more than 0, but is ${maxMessageBytes}`)
    this.#route = route
    this.#options = options
    this.#isOld = route.isOld === true
  }

  get server(): McpServerInfo | undefined {
    return this.#server
  }

  async callTool(call: McpToolCall, options: McpCallOptions): Promise<McpToolResult> {
    return this.#request(options.signal, (connection) => connection.callTool(call, options))
  }

  /** Lists the tools of all pages. Skips tools without a name, and tools whose arguments cannot be sent as the required HTTP headers. */
  async listTools({ signal, onSkippedTool }: ListToolsOptions = {}): Promise<readonly McpToolInfo[]> {
    const skip = onSkippedTool ?? ((error) => ignoreErrors(() => this.#options.onError?.(error)))
    return this.#request(signal, (connection) => this.#changes.during(connection.listTools(signal, skip)))
  }

  /** Capabilities that the server declares, such as `resources`; `undefined` before the first connection. */
  get serverCapabilities(): JsonObject | undefined {
    return this.#capabilities
  }

  /** Lists the resources of all pages. Returns an empty array if the server offers no resources. */
  async listResources(options: McpRequestOptions = {}): Promise<readonly McpResource[]> {
    return this.#request(options.signal, (connection) => connection.listResources(options))
  }

  /**
   * Reads a resource of the server.
   *
   * @throws {McpCallError} `refused` if the server has no such resource, `too_large` if the resource has more than `maxBytes`.
   */
  async readResource(uri: string, options: McpReadOptions = {}): Promise<readonly McpResourceContents[]> {
    const { maxBytes = MAX_RESOURCE_BYTES, signal } = options
    if (!(maxBytes > 0)) throw new RangeError(`maxBytes must be more than 0, but is ${maxBytes}`)
    return this.#request(signal, (connection) => connection.readResource(uri, maxBytes, options))
  }

  /** Lists the prompts of all pages. Returns an empty array if the server offers no prompts. */
  async listPrompts(options: McpRequestOptions = {}): Promise<readonly McpPrompt[]> {
    return this.#request(options.signal, (connection) => connection.listPrompts(options))
  }

  /**
   * Returns the response of the server to `prompts/get`, unvalidated. The method of a generated client returns chat messages.
   *
   * @throws {McpCallError} `refused` if the server has no such prompt or rejects the arguments.
   */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    options: McpRequestOptions = {},
  ): Promise<object> {
    return this.#request(options.signal, (connection) => connection.getPrompt(name, args, options))
  }

  /**
   * Registers a listener for changes of the tool list. Several changes in quick succession cause one notification. Returns a function that
   * removes the listener.
   */
  onToolsChanged(listener: () => void): () => void {
    return this.#changes.add(listener)
  }

  /** Ends the connection, and the server process if this caller started one. Calls in progress and later calls fail. */
  async close(): Promise<void> {
    this.#end.abort(new McpCallError('unreachable', 'the caller is closed'))
    this.#changes.close()
    const connecting = this.#connecting
    this.#connecting = undefined
    await connecting?.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }

  async #request<Answer>(
    signal: AbortSignal | undefined,
    send: (connection: Connection) => Promise<Answer>,
  ): Promise<Answer> {
    const connection = await this.#connected(signal)
    try {
      return await send(connection)
    } catch (error) {
      const hasSession = connection.transport.sessionId !== undefined
      const isForgotten = error instanceof McpCallError && error.status === 404 && hasSession
      const isReplaced = error instanceof McpCallError && error.rpcCode === UNSUPPORTED_VERSION
      if (!isForgotten && !isReplaced) throw error
      // The server no longer knows this session or protocol, and did not process the request.
      await connection.close()
      return send(await this.#connected(signal))
    }
  }

  async #connected(signal: AbortSignal | undefined): Promise<Connection> {
    signal?.throwIfAborted()
    this.#end.signal.throwIfAborted()
    if (this.#connecting === undefined) {
      const connecting = this.#connect()
      this.#connecting = connecting
      connecting.catch(() => this.#forget(connecting))
    }
    return unlessAborted(this.#connecting, signal === undefined ? [this.#end.signal] : [this.#end.signal, signal])
  }

  async #connect(): Promise<Connection> {
    const { attempts = 4, initialMs = 200, maxMs = 5_000 } = this.#options.reconnect ?? {}
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#open()
      } catch (error) {
        // Random delay between 50 and 100 %, so that callers of the same server do not all reconnect at once.
        const delayMs = Math.min(maxMs, initialMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2)
        const isLast = attempt >= attempts || this.#route.isFinal?.(error) === true
        if (isLast || !(await sleep(delayMs, this.#end.signal))) throw unreachable(this.#route.name, error)
      }
    }
  }

  async #open(): Promise<Connection> {
    let connecting: Promise<Connection> | undefined
    const connection = new Connection(await this.#route.open(), this.#options, this.#isOld, {
      closed: () => this.#forget(connecting),
      toolsChanged: () => this.#changes.announce(),
    })
    try {
      await connection.open(this.#end.signal)
    } catch (error) {
      const endedAtProbe = !this.#isOld && connection.hasEndedAtProbe
      this.#isOld = endedAtProbe || this.#route.isOld === true
      // Some old servers end at a request before the handshake.
      if (endedAtProbe) return this.#open()
      connection.reportEarlyErrors()
      throw error
    }
    connection.reportEarlyErrors()
    connecting = this.#connecting
    if (connection.isClosed) {
      throw new McpCallError('closed', 'the connection ended right after it was opened', {
        cause: connection.lastError,
      })
    }
    const isAnother = this.#server !== undefined
    this.#server = connection.server
    this.#capabilities = connection.capabilities
    this.#isOld = connection.isOld
    // Changes between the two connections were not reported.
    if (isAnother) this.#changes.announce()
    return connection
  }

  #forget(connecting: Promise<Connection> | undefined): void {
    if (this.#connecting === connecting) this.#connecting = undefined
  }
}

function unreachable(route: string, error: unknown): McpCallError {
  if (error instanceof McpCallError && (error.code === 'http' || error.code === 'refused')) return error
  const reason = error instanceof McpCallError ? `: ${error.message}` : ''
  return new McpCallError('unreachable', `cannot connect to the MCP server ${route}${reason}`, { cause: error })
}

function unlessAborted<Value>(work: Promise<Value>, signals: readonly AbortSignal[]): Promise<Value> {
  return new Promise((resolve, reject) => {
    const releases = signals.map((signal) => listeners.add(signal, () => reject(signal.reason)))
    work.then(resolve, reject).finally(() => {
      for (const release of releases) release()
    })
  })
}

class Connection {
  readonly #client: Client
  readonly #options: CallerOptions
  readonly #listener: ConnectionListener
  readonly transport: CallerTransport
  /** Schemas of listed tools that require arguments as HTTP headers, by tool name. */
  readonly #headerSchemas = new Map<string, JsonObject>()
  readonly #end = new AbortController()
  #earlyErrors: unknown[] | undefined = []
  hasEndedAtProbe = false
  lastError: unknown

  constructor(transport: CallerTransport, options: CallerOptions, isOld: boolean, listener: ConnectionListener) {
    const { client = ownName, roots, elicit, connectTimeoutMs = DEFAULT_CONNECT_MS } = options
    this.transport = transport
    this.#options = options
    this.#listener = listener
    const isStdio = 'stderr' in transport
    this.#client = new Client(
      { ...client },
      {
        capabilities: {
          ...(roots !== undefined && { roots: {} }),
          ...(elicit !== undefined && { elicitation: { form: {}, url: {} } }),
        },
        versionNegotiation: {
          mode: isOld ? 'legacy' : 'auto',
          probe: isStdio ? { timeoutMs: Math.min(connectTimeoutMs * PROBE_SHARE, PROBE_MS) } : {},
        },
      },
    )
    if (roots !== undefined) {
      this.#client.setRequestHandler('roots/list', async () => ({
        roots: (typeof roots === 'function' ? await roots() : roots).map((root) => ({ ...root })),
      }))
    }
    if (elicit !== undefined) {
      this.#client.setRequestHandler('elicitation/create', async (request, { mcpReq }) => {
        try {
          return await elicited(elicit, request, mcpReq.signal)
        } catch (error) {
          // A server with an older protocol receives only an error response.
          if (this.isOld) this.#heard(error)
          throw error
        }
      })
    }
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => listener.toolsChanged())
    this.#client.onerror = (error) => this.#heard(error)
    // Until the server has answered `server/discover`, the client does not listen to the transport.
    let isProbing = true
    transport.onerror = (error) => {
      isProbing &&= this.#client.transport === undefined
      if (isProbing) this.#heard(error)
    }
    transport.onclose = () => {
      this.#end.abort()
      listener.closed()
    }
  }

  get isClosed(): boolean {
    return this.#end.signal.aborted
  }

  get isOld(): boolean {
    return this.#client.getProtocolEra() === 'legacy'
  }

  get server(): McpServerInfo | undefined {
    const info = this.#client.getServerVersion()
    return info && { name: info.name, version: info.version }
  }

  get capabilities(): JsonObject {
    // The value was parsed from JSON.
    return { ...this.#client.getServerCapabilities() } as JsonObject
  }

  async open(end: AbortSignal): Promise<void> {
    const { connectTimeoutMs = DEFAULT_CONNECT_MS } = this.#options
    const late = new AbortController()
    const error = new McpCallError('timeout', `no connection within ${connectTimeoutMs} ms`)
    const stopTimer = after(connectTimeoutMs, () => late.abort(error))
    try {
      end.throwIfAborted()
      const connecting = this.#client.connect(this.transport, { timeout: LONGEST_TIMER_MS })
      await unlessAborted(connecting, [late.signal, end])
    } catch (error) {
      const isNegotiation = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
      this.hasEndedAtProbe = isNegotiation && this.isClosed && this.lastError instanceof ServerEnd
      const failure = this.#failure(error)
      if (late.signal.aborted || end.aborted) this.transport.abandon?.()
      await this.close()
      throw failure
    } finally {
      stopTimer()
    }
    if (!this.isOld && this.#client.getServerCapabilities()?.tools?.listChanged === true) void this.#listen()
  }

  /** Reports the errors since the connection was opened, and from now on every error. */
  reportEarlyErrors(): void {
    const errors = this.#earlyErrors ?? []
    this.#earlyErrors = undefined
    for (const error of errors) this.#heard(error)
  }

  async callTool({ name, arguments: args }: McpToolCall, options: McpCallOptions): Promise<McpToolResult> {
    const params = { name, arguments: { ...args } }
    if (this.isOld)
      return this.#request(options, (more) => this.#client.request({ method: 'tools/call', params }, anyResult, more))
    const call = (): Promise<CallToolResult> =>
      this.#request(options, (more) => {
        const inputSchema = { ...this.#headerSchemas.get(name), type: 'object' as const }
        return this.#client.callTool(params, { ...more, toolDefinition: { name, inputSchema } })
      })
    // From protocol 2026-07-28 on, each result repeats the name of the server.
    const { _meta, ...result } = await call().catch(async (error: unknown) => {
      if (!(error instanceof McpCallError && error.rpcCode === HEADER_MISMATCH)) throw error
      // The server requires arguments as headers, which are named in the schema of the tool.
      await this.listTools(options.signal, () => undefined)
      return call()
    })
    return result
  }

  async listTools(
    signal: AbortSignal | undefined,
    onSkippedTool: (error: McpCallError, name?: string) => void,
  ): Promise<readonly McpToolInfo[]> {
    const tools = await listedTools(this.#pages('tools/list', { signal }), onSkippedTool)
    this.#headerSchemas.clear()
    if (this.isOld || this.transport.hasPerRequestStream !== true) return tools
    return tools.filter(({ name, inputSchema }) => {
      const headers = headersIn(inputSchema)
      // The value was parsed from JSON.
      if (headers === 'valid') this.#headerSchemas.set(name, inputSchema as JsonObject)
      if (headers !== 'invalid') return true
      onSkippedTool(malformed(`the tool '${name}' has an invalid x-mcp-header and is skipped`), name)
      return false
    })
  }

  async listResources(options: McpRequestOptions): Promise<readonly McpResource[]> {
    return this.capabilities.resources === undefined ? [] : listedResources(this.#pages('resources/list', options))
  }

  async readResource(
    uri: string,
    maxBytes: number,
    options: McpRequestOptions,
  ): Promise<readonly McpResourceContents[]> {
    const answer = await this.#offered('resources', { method: 'resources/read', params: { uri } }, options)
    return resourceContents(uri, answer, maxBytes)
  }

  async listPrompts(options: McpRequestOptions): Promise<readonly McpPrompt[]> {
    return this.capabilities.prompts === undefined ? [] : listedPrompts(this.#pages('prompts/list', options))
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, options: McpRequestOptions): Promise<object> {
    return this.#offered('prompts', { method: 'prompts/get', params: { name, arguments: { ...args } } }, options)
  }

  #offered(
    capability: 'resources' | 'prompts',
    request: { readonly method: string; readonly params: Record<string, unknown> },
    options: McpRequestOptions,
  ): Promise<object> {
    if (this.capabilities[capability] !== undefined)
      return this.#request({ signal: undefined, ...options }, (more) => this.#client.request(request, anyResult, more))
    throw new McpCallError(
      'refused',
      `the server${this.server ? ` '${this.server.name}'` : ''} offers no ${capability}`,
    )
  }

  #pages(
    method: string,
    options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number },
  ): (cursor: string | undefined) => Promise<object> {
    return (cursor) => {
      const request = { method, ...(cursor !== undefined && { params: { cursor } }) }
      return this.#request({ signal: undefined, ...options }, (more) => this.#client.request(request, anyResult, more))
    }
  }

  async close(): Promise<void> {
    this.#end.abort()
    // The client does not close a transport whose handshake failed.
    await Promise.allSettled([this.#client.close(), this.transport.close()])
  }

  async #request<Answer>(
    options: Omit<McpCallOptions, 'signal'> & { readonly signal: AbortSignal | undefined },
    send: (options: RequestOptions) => Promise<Answer>,
  ): Promise<Answer> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? 60_000, onProgress } = options
    requireTimeLimit('timeoutMs', timeoutMs)
    signal?.throwIfAborted()
    // One signal can belong to many requests, and Node warns of many listeners.
    const own = new AbortController()
    const release = signal && listeners.add(signal, () => own.abort())
    try {
      return await send({
        signal: own.signal,
        timeout: sdkTimeout(timeoutMs),
        resetTimeoutOnProgress: true,
        ...(onProgress !== undefined && {
          onprogress: ({ progress, total, message }) =>
            onProgress({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }),
        }),
      })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
        throw new McpCallError('timeout', `no response within ${timeoutMs} ms`)
      }
      throw this.#failure(error)
    } finally {
      release?.()
    }
  }

  /** Listens for changes of the tools. From protocol 2026-07-28 on, servers send them only to clients that listen. */
  async #listen(): Promise<void> {
    let delayMs = FIRST_LISTEN_MS
    for (let isFirst = true; !this.isClosed; isFirst = false) {
      try {
        const options = { timeout: sdkTimeout(this.#options.timeoutMs ?? 60_000), signal: this.#end.signal }
        const subscription = await this.#client.listen({ toolsListChanged: true }, options)
        delayMs = FIRST_LISTEN_MS
        // Changes before this moment were not reported.
        if (!isFirst) this.#listener.toolsChanged()
        if ((await subscription.closed) === 'local') return
      } catch (error) {
        if (this.isClosed) return
        this.#heard(this.#failure(error))
        if (error instanceof ProtocolError && !(error.data instanceof McpCallError)) return
      }
      if (!(await sleep(delayMs, this.#end.signal))) return
      delayMs = Math.min(2 * delayMs, LONGEST_LISTEN_MS)
    }
  }

  #heard(error: unknown): void {
    this.lastError = error
    if (this.#earlyErrors !== undefined) this.#earlyErrors.push(error)
    else ignoreErrors(() => this.#options.onError?.(error))
  }

  #failure(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof McpCallError) return error
    const { name, message, cause } = error
    if (error instanceof ProtocolError) {
      // Created by `ownAnswer`: data from a server is never an `Error` object.
      if (error.data instanceof McpCallError) return error.data
      // Old SDKs of servers add a prefix.
      const text = message.replace(/^(MCP error -?\d+: )+/, '')
      return new McpCallError('refused', text, { rpcCode: error.code, cause: error })
    }
    if (error instanceof SdkHttpError) return new McpCallError('http', message, { status: error.status, cause: error })
    // A RangeError means that the response is nested too deeply for the SDK.
    if (['ZodError', '$ZodError', 'SyntaxError', 'RangeError'].includes(name)) return malformedAnswer(error)
    if (error instanceof SdkError) {
      if (malformedCodes.has(error.code)) return new McpCallError('malformed', message, { cause: error })
      if (error.code === SdkErrorCode.EraNegotiationFailed && cause !== undefined) return this.#failure(cause)
    }
    return this.isClosed ? this.#closed(error) : withMeaning(error, vendorRules.mcpSdk)
  }

  #closed(error: Error): McpCallError {
    const cause = this.lastError ?? error
    if (cause instanceof ServerEnd) return new McpCallError('closed', cause.unanswered)
    return new McpCallError('closed', 'the connection was closed before the server responded', { cause })
  }
}

interface ConnectionListener {
  closed(): void
  toolsChanged(): void
}

const DEFAULT_CONNECT_MS = 30_000

/** Errors of the SDK for a response that it cannot use. */
const malformedCodes: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.ClientHttpUnexpectedContent,
])

function sdkTimeout(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_TIMER_MS)
}
