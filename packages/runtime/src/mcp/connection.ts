import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ListRootsRequestSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { mcpSdk } from '../adapters/vendor-errors.js'
import { untilAborted } from '../agents/run-signal.js'
import { AbortListeners } from '../call/call-group.js'
import { withMeaning } from '../call/classify.js'
import { after, requireTimeLimit } from '../call/timers.js'
import { isMcpCallError, McpCallError } from '../executors/mcp-call-error.js'
import type { McpCallOptions, McpServerInfo } from '../types/mcp.js'
import type { CallerOptions } from './caller-options.js'
import { ownName } from './messages.js'
import { ServerEnd } from './process-transport.js'

const TIMEOUT_MS = 60_000
const CONNECT_TIMEOUT_MS = 30_000

/** The SDK cannot do without a time-out, and cannot tell its own from what a server says: it is given the longest there is. */
const SDK_TIMEOUT_MS = 2_147_483_647

/** How a server is spoken to. */
export interface ServerTransport extends Transport {
  /** Ends it without waiting for the server to agree. */
  abandon?(): void
}

/** Many requests share a signal. */
const listeners = new AbortListeners()

/** A request of the protocol. */
interface SentRequest {
  readonly method: string
  readonly params?: Record<string, unknown>
}

/** Told of what happens on a connection beside its requests. */
interface ConnectionListener {
  closed(): void
  toolsChanged(): void
}

/** One connection to a server, from its handshake to its end. */
export class Connection {
  readonly #client: Client
  readonly #options: CallerOptions
  readonly transport: ServerTransport
  isClosed = false
  /** What went wrong beside requests, the last one. */
  lastError: unknown

  private constructor(transport: ServerTransport, options: CallerOptions, listener: ConnectionListener) {
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
      callListener(onError, error)
    }
  }

  /** Connects and shakes hands; whatever was started is ended where that fails, or `end` is aborted. */
  static async open(
    transport: ServerTransport,
    options: CallerOptions,
    listener: ConnectionListener,
    end: AbortSignal,
  ): Promise<Connection> {
    const connection = new Connection(transport, options, listener)
    const stopped = new AbortController()
    const { connectTimeoutMs = CONNECT_TIMEOUT_MS } = options
    const late = new McpCallError('timeout', `no connection within ${connectTimeoutMs} ms`)
    const stopTimer = after(connectTimeoutMs, () => stopped.abort(late))
    const release = listeners.add(end, () => stopped.abort(end.reason))
    if (end.aborted) stopped.abort(end.reason)
    try {
      const connecting = (): Promise<void> => connection.#client.connect(transport, { timeout: SDK_TIMEOUT_MS })
      await untilAborted(stopped.signal, connecting)
      return connection
    } catch (error) {
      const fault = callFault(error, connection)
      if (stopped.signal.aborted) transport.abandon?.()
      await connection.close()
      throw fault
    } finally {
      stopTimer()
      release()
    }
  }

  get server(): McpServerInfo | undefined {
    const info = this.#client.getServerVersion()
    return info === undefined ? undefined : { name: info.name, version: info.version }
  }

  /**
   * The result of a request, unchecked.
   *
   * @throws {McpCallError} for whatever goes wrong with the connection, and the signal's reason where it is aborted.
   */
  async request(request: SentRequest, options: Partial<McpCallOptions>): Promise<object> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? TIMEOUT_MS, onProgress } = options
    requireTimeLimit('timeoutMs', timeoutMs)
    signal?.throwIfAborted()
    // The SDK leaves its listener on the signal, and a run's signal lives long.
    const own = new AbortController()
    const late = (): void => own.abort(new McpCallError('timeout', `no answer within ${timeoutMs} ms`))
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
      if (own.signal.aborted) throw own.signal.reason
      throw callFault(error, this)
    } finally {
      stopTimer()
      release?.()
    }
  }

  /** Ends the connection, whatever its state. */
  async close(): Promise<void> {
    // A connection whose handshake failed is not known to the client any more.
    await Promise.allSettled([this.#client.close(), this.transport.close()])
    this.isClosed = true
  }
}

/** Calls the listener for errors that belong to no call, and ignores its own errors. */
export function callListener(onError: CallerOptions['onError'], error: unknown): void {
  try {
    onError?.(error)
  } catch {
    // Documented: errors of the listener are ignored.
  }
}

/** What the SDK fails requests with whose connection is closed. */
const CONNECTION_CLOSED = -32000

/** What is known of the connection of a request that failed. */
interface FailedOn {
  readonly isClosed: boolean
  /** What went wrong on the connection beside its requests, the last one. */
  readonly lastError: unknown
}

/**
 * What a request failed by, from what the SDK threw. Errors of the network stay as they are: the table of errors reads
 * their codes.
 */
function callFault(error: unknown, { isClosed, lastError }: FailedOn): unknown {
  if (!(error instanceof Error) || isMcpCallError(error)) return error
  const { name, message } = error
  const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined
  if (name === 'McpError' && code !== undefined) return answeredFault(error, code, { isClosed, lastError })
  if (name === 'ZodError' || name === '$ZodError' || name === 'SyntaxError') {
    return new McpCallError('malformed', 'the answer breaks the Model Context Protocol', { cause: error })
  }
  if (code !== undefined && code >= 400 && code < 600) {
    return new McpCallError('http', message, { status: code, cause: error })
  }
  if (code === -1) return new McpCallError('malformed', message, { cause: error })
  return isClosed ? closedFault(lastError ?? error) : withMeaning(error, mcpSdk)
}

function answeredFault(error: Error, code: number, { isClosed, lastError }: FailedOn): McpCallError {
  // Of an answer that this side gave; what a server sends is never an error by itself.
  if ('data' in error && isMcpCallError(error.data)) return error.data
  // Once by the server's SDK, once by this side's.
  const message = error.message.replace(/^(MCP error -?\d+: )+/, '')
  if (code === CONNECTION_CLOSED && isClosed) return closedFault(lastError ?? error)
  return new McpCallError('refused', message, { code, cause: error })
}

/** A request may be that of the handshake: nobody has called then. */
function closedFault(cause: unknown): McpCallError {
  if (cause instanceof ServerEnd) return new McpCallError('closed', cause.unanswered)
  return new McpCallError('closed', 'the connection was closed before the server answered', { cause })
}
