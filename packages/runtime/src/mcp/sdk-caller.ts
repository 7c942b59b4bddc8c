import type {
  McpCaller,
  McpCallOptions,
  McpServerInfo,
  McpToolCall,
  McpToolInfo,
  McpToolResult,
} from '../contract/mcp.js'
import { AbortListeners } from '../execute/call/abort-listeners.js'
import { isMcpCallError, McpCallError } from '../execute/mcp/mcp-call-error.js'
import { sleep } from '../time/sleep.js'
import { type CallerOptions, requireCallerOptions } from './caller-options.js'
import { Connection, callListener, type ServerTransport } from './connection.js'
import { listedTools } from './listed-tools.js'
import { ToolChanges } from './tool-changes.js'

/** How a caller reaches its server. */
export interface ServerRoute {
  /** Shown to people, e.g. the command or the URL. */
  readonly name: string
  /** A transport that nobody has used yet. */
  open(): ServerTransport | Promise<ServerTransport>
  /** Whether trying once more cannot help. */
  isFinal?(error: unknown): boolean
}

/** Options for `listTools` of the callers. */
interface ListToolsOptions {
  /** Cancels the request. */
  readonly signal?: AbortSignal
  /** Receives an error for each tool without a name, which is left out. Default: `onError` of the caller. */
  readonly onSkippedTool?: (error: McpCallError) => void
}

/**
 * A caller over the official SDK. Connects when it is first needed, all calls over one connection; a connection that was lost
 * is made anew for the next call, a call that was under way fails.
 */
export class SdkCaller implements McpCaller {
  readonly #route: ServerRoute
  readonly #options: CallerOptions
  readonly #changes = new ToolChanges()
  readonly #waiting = new AbortListeners()
  readonly #end = new AbortController()
  #connecting: Promise<Connection> | undefined
  #server: McpServerInfo | undefined

  /** @throws {RangeError} for an option that is no number of its kind. */
  constructor(route: ServerRoute, options: CallerOptions = {}) {
    requireCallerOptions(options)
    this.#route = route
    this.#options = options
  }

  get server(): McpServerInfo | undefined {
    return this.#server
  }

  /** Calls a tool, over a connection that is opened where there is none. */
  async callTool(call: McpToolCall, options: McpCallOptions): Promise<McpToolResult> {
    const { name, arguments: args } = call
    return this.#request(options.signal, (connection) =>
      connection.request({ method: 'tools/call', params: { name, arguments: args } }, options),
    )
  }

  /** Lists the tools over all pages. A tool without a name is left out. */
  async listTools({ signal, onSkippedTool }: ListToolsOptions = {}): Promise<readonly McpToolInfo[]> {
    return this.#request(signal, (connection) =>
      this.#changes.during(
        listedTools(
          (cursor) => {
            const params = cursor === undefined ? {} : { params: { cursor } }
            return connection.request({ method: 'tools/list', ...params }, { ...(signal && { signal }) })
          },
          onSkippedTool ?? ((error) => callListener(this.#options.onError, error)),
        ),
      ),
    )
  }

  /** Of many announcements at once, and while the tools are listed, a listener hears once; the more there are, the later. */
  onToolsChanged(listener: () => void): () => void {
    return this.#changes.add(listener)
  }

  /** Ends the connection, and the server where this side started it. Calls under way fail; later ones are refused. */
  async close(): Promise<void> {
    this.#end.abort(closedCaller())
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
    signal?.throwIfAborted()
    this.#end.signal.throwIfAborted()
    const connecting = this.#connecting ?? this.#connect()
    return new Promise((resolve, reject) => {
      const ends = signal === undefined ? [this.#end.signal] : [this.#end.signal, signal]
      const releases = ends.map((end) => this.#waiting.add(end, () => reject(end.reason)))
      connecting.then(resolve, reject).finally(() => {
        for (const release of releases) release()
      })
    })
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
    const events = { closed: () => this.#forget(opened), toolsChanged: () => this.#changes.announce() }
    const connection = await Connection.open(await this.#route.open(), this.#options, events, this.#end.signal)
    opened = connecting()
    if (connection.isClosed)
      throw new McpCallError('closed', 'the connection ended at once', { cause: connection.lastError })
    const isAnother = this.#server !== undefined
    this.#server = connection.server
    // Whatever was announced meanwhile was not heard.
    if (isAnother) this.#changes.announce()
    return connection
  }

  #forget(connecting: Promise<Connection> | undefined): void {
    if (this.#connecting === connecting) this.#connecting = undefined
  }
}

/** Half of the time at least, so that many who lost the same server do not come back at once. */
function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random() / 2)
}

/** What a server answered stays what it is; all else means that there is no connection. */
function unreachable(route: string, error: unknown): McpCallError {
  if (isMcpCallError(error) && (error.fault === 'http' || error.fault === 'refused')) return error
  // Nobody should have to look for the fault among the causes.
  const why = isMcpCallError(error) ? `: ${error.message}` : ''
  return new McpCallError('unreachable', `no connection to the MCP server ${route}${why}`, { cause: error })
}

function isSessionGone(error: unknown, { transport }: Connection): boolean {
  return isMcpCallError(error) && error.status === 404 && transport.sessionId !== undefined
}

function closedCaller(): McpCallError {
  return new McpCallError('unreachable', 'the caller has been closed')
}
