import { ignoreErrors } from '../call/telemetry.js'
import { doublingDelay, sleep } from '../call/timers.js'
import type { JsonObject } from '../types/json.js'
import type {
  McpCaller,
  McpCallOptions,
  McpPrompt,
  McpReadOptions,
  McpRequestOptions,
  McpResource,
  McpResourceContents,
  McpResourceTemplate,
  McpServerInfo,
  McpToolCall,
  McpToolInfo,
  McpToolResult,
} from '../types/mcp.js'
import type { McpConnectionInfo } from '../types/run.js'
import { type CallerOptions, requireCallerOptions } from './caller-options.js'
import { type CallerTransport, Connection, unlessAborted } from './connection.js'
import { McpCallError } from './mcp-call-error.js'
import { StartedTask, TaskCall, type TaskRequests, taskStateOf } from './tasks.js'
import { ToolChanges } from './tool-changes.js'

/** JSON-RPC error code of protocol 2026-07-28. */
const UNSUPPORTED_VERSION = -32_022

const MAX_RESOURCE_BYTES = 10_000_000

export interface ServerRoute {
  readonly name: string
  /** True for a transport that exists only in protocols before 2026-07-28. */
  readonly isOld?: boolean
  open(): CallerTransport | Promise<CallerTransport>
  isFinal?(error: unknown): boolean
  /** Returns `undefined` if the route has no login, or if a login cannot solve the error. */
  logIn?(error: unknown, signals: readonly AbortSignal[]): Promise<void> | undefined
}

/** A request can need a login for the connection, and a login for each additional scope. */
const MAX_LOGINS = 3

interface ListToolsOptions {
  readonly signal?: AbortSignal
  /** Receives an error for each skipped tool, and the name of this tool if known. Default: the option `onError` of the `SdkCaller`. */
  readonly onSkippedTool?: (error: McpCallError, name?: string) => void
}

/**
 * MCP caller that uses the official SDK. The first request opens the connection. If the connection is lost, the next request opens a new
 * connection. The caller uses protocol 2026-07-28 if the server supports this version. If not, the caller uses the latest older version that client
 * and server support.
 */
export class SdkCaller implements McpCaller {
  readonly #route: ServerRoute
  readonly #options: CallerOptions
  readonly #changes = new ToolChanges()
  readonly #end = new AbortController()
  readonly #tasks = new Set<Promise<McpToolResult>>()
  #connecting: Promise<Connection> | undefined
  #connection: Connection | undefined
  #server: McpServerInfo | undefined
  #capabilities: JsonObject | undefined
  /** True if the previous connection used a protocol before 2026-07-28. The next connection then does not request protocol 2026-07-28. */
  #isOld: boolean

  /**
   * Creates a caller without a connection.
   * @throws {TypeError} if an option has a wrong type.
   * @throws {RangeError} if a time limit, `reconnect` or `maxMessageBytes` is invalid.
   */
  constructor(route: ServerRoute, options: CallerOptions = {}) {
    requireCallerOptions(options)
    this.#route = route
    this.#options = options
    this.#isOld = route.isOld === true
  }

  get server(): McpServerInfo | undefined {
    return this.#server
  }

  get connection(): McpConnectionInfo | undefined {
    return this.#connection?.info
  }

  /** Calls a tool. If the server runs the call as a task, waits for the result of the task, also if the connection is lost meanwhile. */
  async callTool(call: McpToolCall, options: McpCallOptions): Promise<McpToolResult> {
    const state = taskStateOf(call)
    if (state !== undefined)
      return this.#tracked(this.#task(state, options).resume(call.inputResponses ?? {}, state.roots))
    const result = await this.#request(options.signal, (connection) => connection.callTool(call, options))
    return result instanceof StartedTask ? this.#tracked(this.#task(result.facts, options).follow(result)) : result
  }

  async #tracked(task: Promise<McpToolResult>): Promise<McpToolResult> {
    this.#tasks.add(task)
    try {
      return await task
    } finally {
      this.#tasks.delete(task)
    }
  }

  #task(state: ConstructorParameters<typeof TaskCall>[0], options: McpCallOptions): TaskCall {
    const requests: TaskRequests = {
      get: (taskId, signal) =>
        this.#request(signal, (connection) => connection.getTask(taskId, { ...options, signal })),
      update: (taskId, responses, signal) =>
        this.#request(signal, (connection) => connection.updateTask(taskId, responses, { ...options, signal })),
      cancel: (taskId) => this.#lastRequest((connection) => connection.cancelTask(taskId, options)),
    }
    return new TaskCall(state, requests, AbortSignal.any([...this.#signals(options.signal)]), options, this.#options)
  }

  /** Lists the tools of all pages. Skips tools without a name. Over HTTP, also skips tools with an invalid `x-mcp-header`. */
  async listTools({ signal, onSkippedTool }: ListToolsOptions = {}): Promise<readonly McpToolInfo[]> {
    const skip = onSkippedTool ?? ((error) => ignoreErrors(() => this.#options.onError?.(error)))
    return this.#request(signal, (connection) => this.#changes.during(connection.listTools(signal, skip)))
  }

  /**
   * Returns the capabilities that the server declares, such as `resources`; `undefined` before the first connection.
   */
  get serverCapabilities(): JsonObject | undefined {
    return this.#capabilities
  }

  /** Lists the resources of all pages. Returns an empty array if the server does not offer resources. */
  async listResources(options: McpRequestOptions = {}): Promise<readonly McpResource[]> {
    return this.#request(options.signal, (connection) => connection.listResources(options))
  }

  /**
   * Lists the resource templates of all pages. Returns an empty array if the server does not offer resource templates.
   */
  async listResourceTemplates(options: McpRequestOptions = {}): Promise<readonly McpResourceTemplate[]> {
    return this.#request(options.signal, (connection) => connection.listResourceTemplates(options))
  }

  /**
   * Reads a resource of the server.
   *
   * @throws {McpCallError} `refused` if the server does not have this resource, `too_large` if the resource is larger than `maxBytes`.
   */
  async readResource(uri: string, options: McpReadOptions = {}): Promise<readonly McpResourceContents[]> {
    const { maxBytes = MAX_RESOURCE_BYTES, signal } = options
    if (typeof maxBytes !== 'number' || !(maxBytes > 0))
      throw new RangeError(`maxBytes must be a number of more than 0, but is ${JSON.stringify(maxBytes)}`)
    return this.#request(signal, (connection) => connection.readResource(uri, maxBytes, options))
  }

  /** Lists the prompts of all pages. Returns an empty array if the server does not offer prompts. */
  async listPrompts(options: McpRequestOptions = {}): Promise<readonly McpPrompt[]> {
    return this.#request(options.signal, (connection) => connection.listPrompts(options))
  }

  /**
   * Returns the response of the server to `prompts/get`, without validation. In contrast, the `getPrompt` method of a generated client returns chat
   * messages.
   *
   * @throws {McpCallError} `refused` if the server does not have this prompt or rejects the arguments.
   */
  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    options: McpRequestOptions = {},
  ): Promise<object> {
    return this.#request(options.signal, (connection) => connection.getPrompt(name, args, options))
  }

  /**
   * Registers a listener for changes of the tool list. Several changes within a short time cause one notification. Returns a function that removes
   * the listener.
   */
  onToolsChanged(listener: () => void): () => void {
    return this.#changes.add(listener)
  }

  /**
   * Closes the connection, and ends the server process if this caller started the process. Calls in progress and later
   * calls fail, and running tasks are cancelled.
   */
  async close(): Promise<void> {
    this.#end.abort(new McpCallError('unreachable', 'the caller is closed'))
    this.#changes.close()
    // Each task waits a short time for the confirmation of its cancellation.
    await Promise.allSettled(this.#tasks)
    await this.#connecting?.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }

  /** The time limits do not include logins, because a login waits for the user. */
  async #request<Answer>(
    signal: AbortSignal | undefined,
    send: (connection: Connection) => Promise<Answer>,
  ): Promise<Answer> {
    for (let logins = 0; ; logins += 1) {
      try {
        return await this.#attempt(signal, send)
      } catch (error) {
        const login = logins < MAX_LOGINS ? this.#route.logIn?.(error, this.#signals(signal)) : undefined
        if (login === undefined) throw error
        await login
      }
    }
  }

  /** Sends the request also while the caller is closing, but then does not open a connection. */
  async #lastRequest(send: (connection: Connection) => Promise<unknown>): Promise<unknown> {
    return this.#request(undefined, send).catch((error: unknown) => {
      if (error !== this.#end.signal.reason) throw error
      return this.#connecting?.then(send)
    })
  }

  async #attempt<Answer>(
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
      // The server no longer supports this session or protocol version, and did not process the request.
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
    return unlessAborted(this.#connecting, this.#signals(signal))
  }

  #signals(signal: AbortSignal | undefined): readonly AbortSignal[] {
    return signal === undefined ? [this.#end.signal] : [this.#end.signal, signal]
  }

  async #connect(): Promise<Connection> {
    const { attempts = 4, initialMs = 200, maxMs = 5_000 } = this.#options.reconnect ?? {}
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#open()
      } catch (error) {
        // Random delay between 50 and 100 %, so that callers of the same server do not all reconnect at once.
        const delayMs = doublingDelay(attempt, initialMs, maxMs) * (0.5 + Math.random() / 2)
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
    this.#connection = connection
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
  if (error instanceof McpCallError && ['http', 'refused', 'unauthorized'].includes(error.code)) return error
  const reason = error instanceof McpCallError ? `: ${error.message}` : ''
  return new McpCallError('unreachable', `cannot connect to the MCP server ${route}${reason}`, { cause: error })
}
