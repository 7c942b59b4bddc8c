import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ListRootsRequestSchema,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { McpCallOptions, McpServerInfo } from '../contract/mcp.js'
import { callFault } from './call-fault.js'
import type { CallerOptions } from './caller-options.js'

const TIMEOUT_MS = 60_000
const CONNECT_TIMEOUT_MS = 30_000

/** A request of the protocol. */
interface SentRequest {
  readonly method: string
  readonly params?: Record<string, unknown>
}

/** Told of what happens on a connection beside its requests. */
export interface ConnectionListener {
  closed(): void
  toolsChanged(): void
}

/** One connection to a server, from its handshake to its end. */
export class Connection {
  readonly #client: Client
  readonly #options: CallerOptions
  readonly transport: Transport
  isClosed = false
  /** What went wrong beside requests, the last one. */
  lastError: unknown

  private constructor(transport: Transport, options: CallerOptions, listener: ConnectionListener) {
    const { client = { name: 'toolgen', version: '0.1.0' }, roots, onError } = options
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
      tell(onError, error)
    }
  }

  /** Connects and shakes hands; whatever was started is ended where that fails. */
  static async open(transport: Transport, options: CallerOptions, listener: ConnectionListener): Promise<Connection> {
    const connection = new Connection(transport, options, listener)
    const { connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS } = options
    try {
      await inTime(connection.#client.connect(transport, { timeout }), timeout)
      return connection
    } catch (error) {
      const fault = callFault(error, connection)
      await connection.close()
      throw fault
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
  async request(request: SentRequest, { signal, timeoutMs, onProgress }: Partial<McpCallOptions>): Promise<object> {
    signal?.throwIfAborted()
    // The SDK leaves its listener on the signal, and a run's signal lives long.
    const own = new AbortController()
    const abort = (): void => own.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      return await this.#client.request(request, ResultSchema, {
        signal: own.signal,
        timeout: timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS,
        resetTimeoutOnProgress: true,
        ...(onProgress !== undefined && {
          onprogress: ({ progress, total, message }) =>
            onProgress({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }),
        }),
      })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      throw callFault(error, this)
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Ends the connection, whatever its state. */
  async close(): Promise<void> {
    // A connection whose handshake failed is not known to the client any more.
    await Promise.allSettled([this.#client.close(), this.transport.close()])
    this.isClosed = true
  }
}

function tell(onError: CallerOptions['onError'], error: unknown): void {
  try {
    onError?.(error)
  } catch {
    // Documented: what it throws is dropped.
  }
}

/** The handshake has a time limit of its own, the start of the transport before it has none. */
async function inTime(work: Promise<void>, limitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no connection after ${limitMs} ms`)), limitMs)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
