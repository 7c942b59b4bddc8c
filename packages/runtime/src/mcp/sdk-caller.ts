import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type {
  McpCaller,
  McpCallOptions,
  McpServerInfo,
  McpToolCall,
  McpToolInfo,
  McpToolResult,
} from '../contract/mcp.js'
import { isMcpCallError, McpCallError } from '../execute/mcp/mcp-call-error.js'
import { sleep } from '../time/sleep.js'
import type { CallerOptions } from './caller-options.js'
import { Connection } from './connection.js'
import { listedTools } from './listed-tools.js'

/** How a caller reaches its server. */
export interface ServerRoute {
  /** Shown to people, e.g. the command or the URL. */
  readonly name: string
  /** A transport that nobody has used yet. */
  open(): Transport | Promise<Transport>
  /** Whether trying once more cannot help. */
  isFinal?(error: unknown): boolean
}

/**
 * A caller over the official SDK. Connects when it is first needed, all calls over one connection; a connection that was lost
 * is made anew for the next call, a call that was under way fails.
 */
export class SdkCaller implements McpCaller {
  readonly #route: ServerRoute
  readonly #options: CallerOptions
  readonly #listeners = new Set<() => void>()
  readonly #end = new AbortController()
  #connecting: Promise<Connection> | undefined
  #server: McpServerInfo | undefined

  constructor(route: ServerRoute, options: CallerOptions = {}) {
    this.#route = route
    this.#options = options
  }

  get server(): McpServerInfo | undefined {
    return this.#server
  }

  async callTool(call: McpToolCall, options: McpCallOptions): Promise<McpToolResult> {
    const { name, arguments: args } = call
    return this.#request(options.signal, (connection) =>
      connection.request({ method: 'tools/call', params: { name, arguments: args } }, options),
    )
  }

  async listTools({ signal }: { readonly signal?: AbortSignal } = {}): Promise<readonly McpToolInfo[]> {
    return this.#request(signal, (connection) =>
      listedTools((cursor) => {
        const params = cursor === undefined ? {} : { params: { cursor } }
        return connection.request({ method: 'tools/list', ...params }, { ...(signal && { signal }) })
      }),
    )
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends the connection, and the server where this side started it. Calls under way fail; later ones are refused. */
  async close(): Promise<void> {
    this.#end.abort()
    const connecting = this.#connecting
    this.#connecting = undefined
    await connecting?.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }

  async #request<Answer>(
    signal: AbortSignal | undefined,
    work: (connection: Connection) => Promise<Answer>,
  ): Promise<Answer> {
    const connection = await this.#connected(signal)
    try {
      return await work(connection)
    } catch (error) {
      if (!isSessionGone(error, connection)) throw error
      // The server took nothing of it: it has forgotten this session.
      await connection.close()
      return work(await this.#connected(signal))
    }
  }

  async #connected(signal: AbortSignal | undefined): Promise<Connection> {
    if (this.#end.signal.aborted) throw new McpCallError('unreachable', 'the caller has been closed')
    const connecting = this.#connecting ?? this.#connect()
    return signal === undefined ? connecting : untilAborted(connecting, signal)
  }

  #connect(): Promise<Connection> {
    const connecting = this.#tryToConnect()
    this.#connecting = connecting
    connecting.catch(() => this.#forget(connecting))
    return connecting
  }

  async #tryToConnect(): Promise<Connection> {
    const { attempts = 4, initialMs = 200, maxMs = 5_000 } = this.#options.reconnect ?? {}
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#open()
      } catch (error) {
        const isLast = attempt >= attempts || this.#route.isFinal?.(error) === true
        if (isLast || !(await sleep(jittered(Math.min(maxMs, initialMs * 2 ** (attempt - 1))), this.#end.signal))) {
          throw unreachable(this.#route.name, error)
        }
      }
    }
  }

  async #open(): Promise<Connection> {
    const connecting = (): Promise<Connection> | undefined => this.#connecting
    let opened: Promise<Connection> | undefined
    const connection = await Connection.open(await this.#route.open(), this.#options, {
      closed: () => this.#forget(opened),
      toolsChanged: () => this.#tellToolsChanged(),
    })
    opened = connecting()
    if (connection.isClosed)
      throw new McpCallError('closed', 'the connection ended at once', { cause: connection.lastError })
    if (this.#end.signal.aborted) {
      await connection.close()
      throw new McpCallError('unreachable', 'the caller has been closed')
    }
    const isAnother = this.#server !== undefined
    this.#server = connection.server
    // Whatever was announced meanwhile was not heard.
    if (isAnother) this.#tellToolsChanged()
    return connection
  }

  #forget(connecting: Promise<Connection> | undefined): void {
    if (this.#connecting === connecting) this.#connecting = undefined
  }

  #tellToolsChanged(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}

/** Half of the time at least, so that many who lost the same server do not come back at once. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2)
}

/** What a server answered stays what it is; all else means that there is no connection. */
function unreachable(route: string, error: unknown): McpCallError {
  if (isMcpCallError(error) && (error.fault === 'http' || error.fault === 'refused')) return error
  return new McpCallError('unreachable', `no connection to the MCP server ${route}`, { cause: error })
}

function isSessionGone(error: unknown, { transport }: Connection): boolean {
  return isMcpCallError(error) && error.status === 404 && transport.sessionId !== undefined
}

function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    const release = (): void => signal.removeEventListener('abort', abort)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(release)
  })
}
