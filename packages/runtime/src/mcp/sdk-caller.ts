import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ListRootsRequestSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { vendorRules } from '../adapters/vendor-errors.js'
import { AbortListeners } from '../call/call-group.js'
import { withMeaning } from '../call/classify.js'
import { ignoreErrors } from '../call/telemetry.js'
import { after, requireTimeLimit, sleep } from '../call/timers.js'
import { isFields } from '../schema/json-values.js'
import type { JsonObject } from '../types/json.js'
import type { McpCaller, McpCallOptions, McpServerInfo, McpToolCall, McpToolInfo, McpToolResult } from '../types/mcp.js'
import type { CallerOptions } from './caller-options.js'
import { McpCallError } from './mcp-call-error.js'
import { malformedAnswer, ownName } from './messages.js'
import { ServerEnd } from './server-process.js'

/**
 * Timeout of requests in the SDK: the maximum, because callers measure the time themselves. The timeout error of the SDK cannot be
 * distinguished from an error of the server.
 */
const SDK_TIMEOUT_MS = 2_147_483_647

/** Transport to an MCP server. */
export interface CallerTransport extends Transport {
  /** Kills the server process, if this transport has started one. */
  abandon?(): void
}

/** A server, and the function that opens a connection to it. */
interface ServerRoute {
  /** Name of the server in error messages: the command or the URL. */
  readonly name: string
  open(): CallerTransport | Promise<CallerTransport>
  isFinal?(error: unknown): boolean
}

/** Options for `listTools` of the callers. */
interface ListToolsOptions {
  /** Signal that cancels the request. Default: none. */
  readonly signal?: AbortSignal
  /** Receives an error for each tool without a name. Such tools are skipped. Default: `onError` of the caller. */
  readonly onSkippedTool?: (error: McpCallError) => void
}

/** Abort listeners of all requests. They are shared, because many requests use the same signal. */
const listeners = new AbortListeners()

/** MCP caller that uses the official SDK. The first request opens its connection, and the next request after a loss opens a new one. */
export class SdkCaller implements McpCaller {
  readonly #route: ServerRoute
  readonly #options: CallerOptions
  readonly #changes = new ToolChanges()
  readonly #end = new AbortController()
  #connecting: Promise<Connection> | undefined
  #server: McpServerInfo | undefined

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
  }

  get server(): McpServerInfo | undefined {
    return this.#server
  }

  async callTool({ name, arguments: args }: McpToolCall, options: McpCallOptions): Promise<McpToolResult> {
    return this.#request(options.signal, (connection) =>
      connection.request({ method: 'tools/call', params: { name, arguments: args } }, options),
    )
  }

  /** Lists the tools of all pages. Tools without a name are skipped. */
  async listTools({ signal, onSkippedTool }: ListToolsOptions = {}): Promise<readonly McpToolInfo[]> {
    const skip = onSkippedTool ?? ((error) => ignoreErrors(() => this.#options.onError?.(error)))
    return this.#request(signal, (connection) => {
      const page = (cursor: string | undefined): Promise<object> =>
        connection.request({ method: 'tools/list', ...(cursor !== undefined && { params: { cursor } }) }, { signal })
      return this.#changes.during(listedTools(page, skip))
    })
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
      if (!(error instanceof McpCallError && error.status === 404 && hasSession)) throw error
      // The server no longer knows this session and did not process the request.
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
    const connection = new Connection(await this.#route.open(), this.#options, {
      closed: () => this.#forget(connecting),
      toolsChanged: () => this.#changes.announce(),
    })
    await connection.open(this.#end.signal)
    connecting = this.#connecting
    if (connection.isClosed) {
      throw new McpCallError('closed', 'the connection ended right after it was opened', {
        cause: connection.lastError,
      })
    }
    const isAnother = this.#server !== undefined
    this.#server = connection.server
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
  readonly transport: CallerTransport
  isClosed = false
  lastError: unknown

  constructor(transport: CallerTransport, options: CallerOptions, listener: { closed(): void; toolsChanged(): void }) {
    const { client = ownName, roots, onError } = options
    this.transport = transport
    this.#options = options
    this.#client = new Client({ ...client }, { capabilities: roots === undefined ? {} : { roots: {} } })
    if (roots !== undefined) {
      this.#client.setRequestHandler(ListRootsRequestSchema, async () => ({
        roots: (typeof roots === 'function' ? await roots() : roots).map((root) => ({ ...root })),
      }))
    }
    this.#client.setNotificationHandler(ToolListChangedNotificationSchema, () => listener.toolsChanged())
    this.#client.onclose = () => {
      this.isClosed = true
      listener.closed()
    }
    this.#client.onerror = (error) => {
      this.lastError = error
      ignoreErrors(() => onError?.(error))
    }
  }

  async open(end: AbortSignal): Promise<void> {
    const { connectTimeoutMs = 30_000 } = this.#options
    const late = new AbortController()
    const error = new McpCallError('timeout', `no connection within ${connectTimeoutMs} ms`)
    const stopTimer = after(connectTimeoutMs, () => late.abort(error))
    try {
      end.throwIfAborted()
      const connecting = this.#client.connect(this.transport, { timeout: SDK_TIMEOUT_MS })
      await unlessAborted(connecting, [late.signal, end])
    } catch (error) {
      const failure = this.#failure(error)
      if (late.signal.aborted || end.aborted) this.transport.abandon?.()
      await this.close()
      throw failure
    } finally {
      stopTimer()
    }
  }

  get server(): McpServerInfo | undefined {
    const info = this.#client.getServerVersion()
    return info && { name: info.name, version: info.version }
  }

  async request(
    request: { readonly method: string; readonly params?: Record<string, unknown> },
    options: Omit<McpCallOptions, 'signal'> & { readonly signal: AbortSignal | undefined },
  ): Promise<object> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? 60_000, onProgress } = options
    requireTimeLimit('timeoutMs', timeoutMs)
    signal?.throwIfAborted()
    // The SDK does not remove its listener from the signal, and the signal of a run lives long.
    const own = new AbortController()
    const late = (): void => own.abort(new McpCallError('timeout', `no response within ${timeoutMs} ms`))
    const release = signal && listeners.add(signal, () => own.abort(signal.reason))
    let stopTimer = after(timeoutMs, late)
    try {
      return await this.#client.request(request, ResultSchema, {
        signal: own.signal,
        timeout: SDK_TIMEOUT_MS,
        ...(onProgress !== undefined && {
          onprogress: ({ progress, total, message }) => {
            stopTimer()
            stopTimer = after(timeoutMs, late)
            onProgress({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) })
          },
        }),
      })
    } catch (error) {
      throw own.signal.aborted ? own.signal.reason : this.#failure(error)
    } finally {
      stopTimer()
      release?.()
    }
  }

  async close(): Promise<void> {
    // The client does not close a transport whose handshake failed.
    await Promise.allSettled([this.#client.close(), this.transport.close()])
    this.isClosed = true
  }

  #failure(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof McpCallError) return error
    const { name, message } = error
    const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined
    if (name === 'McpError' && code !== undefined) {
      // Created by `ownAnswer`: data from a server is never an `Error` object.
      if ('data' in error && error.data instanceof McpCallError) return error.data
      // Code of the SDK for a closed connection.
      if (code === -32000 && this.isClosed) return this.#closed(error)
      // The SDKs of the server and the client each add a prefix.
      const text = message.replace(/^(MCP error -?\d+: )+/, '')
      return new McpCallError('refused', text, { rpcCode: code, cause: error })
    }
    if (name === 'ZodError' || name === '$ZodError' || name === 'SyntaxError') return malformedAnswer(error)
    if (code !== undefined && code >= 400 && code < 600) {
      return new McpCallError('http', message, { status: code, cause: error })
    }
    if (code === -1) return new McpCallError('malformed', message, { cause: error })
    return this.isClosed ? this.#closed(error) : withMeaning(error, vendorRules.mcpSdk)
  }

  #closed(error: Error): McpCallError {
    const cause = this.lastError ?? error
    if (cause instanceof ServerEnd) return new McpCallError('closed', cause.unanswered)
    return new McpCallError('closed', 'the connection was closed before the server responded', { cause })
  }
}

const MAX_PAGES = 1_000

async function listedTools(
  page: (cursor: string | undefined) => Promise<object>,
  onSkippedTool: (error: McpCallError) => void,
): Promise<readonly McpToolInfo[]> {
  const tools: McpToolInfo[] = []
  let position = 0
  let cursor: string | undefined
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const answer: object = await page(cursor)
    if (!('tools' in answer) || !Array.isArray(answer.tools)) throw malformed('the response has no tool list')
    for (const listed of answer.tools) {
      const tool = toolInfo(listed)
      position += 1
      if (tool === undefined) onSkippedTool(malformed(`the tool ${position} of the list has no name and is skipped`))
      else tools.push(tool)
    }
    const next: unknown = 'nextCursor' in answer ? answer.nextCursor : undefined
    if (typeof next !== 'string' || next === '') return tools
    if (next === cursor) throw malformed('a page of the tool list refers to itself as the next page')
    cursor = next
  }
  throw malformed(`the tool list has more than ${MAX_PAGES} pages`)
}

function toolInfo(tool: unknown): McpToolInfo | undefined {
  if (!isFields(tool) || typeof tool.name !== 'string' || tool.name.trim() === '') return undefined
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return {
    name,
    inputSchema: isFields(inputSchema) ? inputSchema : true,
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(isFields(outputSchema) && { outputSchema }),
    // The value was parsed from JSON.
    ...(isFields(annotations) && { annotations: annotations as JsonObject }),
  }
}

function malformed(message: string): McpCallError {
  return new McpCallError('malformed', message)
}

const FIRST_REST_MS = 100
const LONGEST_REST_MS = 30_000

/**
 * Notifies listeners that the tools of a server have changed. A listener usually requests the tool list, and some servers report another
 * change at each such request. Three rules prevent an endless loop. During a request of the tool list, listeners are not notified. Several
 * changes during this time cause one notification. The pause between notifications doubles while changes continue.
 */
export class ToolChanges {
  readonly #listeners = new Set<() => void>()
  #lists = 0
  #restMs = FIRST_REST_MS
  #endRest: (() => void) | undefined
  #isPending = false

  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(): void {
    this.#isPending = true
    this.#notifyIfDue()
  }

  /** Waits for the requested tool list. Listeners are notified only after the list has arrived. */
  async during<List>(list: Promise<List>): Promise<List> {
    this.#lists += 1
    try {
      return await list
    } finally {
      this.#lists -= 1
      this.#notifyIfDue()
    }
  }

  close(): void {
    this.#endRest?.()
    this.#listeners.clear()
  }

  #notifyIfDue(): void {
    if (!this.#isPending || this.#lists > 0 || this.#endRest !== undefined || this.#listeners.size === 0) return
    this.#isPending = false
    this.#endRest = after(this.#restMs, () => {
      this.#endRest = undefined
      if (!this.#isPending && this.#lists === 0) this.#restMs = FIRST_REST_MS
      this.#notifyIfDue()
    })
    this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS)
    for (const listener of [...this.#listeners]) listener()
  }
}
