import { AbortListeners } from '../call/call-group.js'
import { after, sleep } from '../call/timers.js'
import { isMcpCallError, McpCallError } from '../executors/mcp-call-error.js'
import { isFields } from '../schema/json-values.js'
import type { JsonObject } from '../types/json.js'
import type { McpCaller, McpCallOptions, McpServerInfo, McpToolCall, McpToolInfo, McpToolResult } from '../types/mcp.js'
import { type CallerOptions, requireCallerOptions } from './caller-options.js'
import { Connection, callListener, type ServerTransport } from './connection.js'

/** How a caller reaches its server. */
interface ServerRoute {
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

/** No server has so many pages of tools; one that says so is broken. */
const MAX_PAGES = 1_000

/**
 * Returns all tools over all pages.
 *
 * @param onSkippedTool receives an error for each tool without a name, which is left out
 * @throws {McpCallError} `malformed` for an answer that is no list of tools, and for pages without end.
 */
async function listedTools(
  page: (cursor: string | undefined) => Promise<object>,
  onSkippedTool: (error: McpCallError) => void,
): Promise<readonly McpToolInfo[]> {
  const tools: McpToolInfo[] = []
  let position = 0
  let cursor: string | undefined
  for (let count = 0; count < MAX_PAGES; count += 1) {
    const answer: object = await page(cursor)
    if (!('tools' in answer) || !Array.isArray(answer.tools)) throw malformed('the answer lists no tools')
    for (const listed of answer.tools) {
      const tool = toolInfo(listed)
      position += 1
      if (tool === undefined) onSkippedTool(malformed(`the tool ${position} of the list has no name and is left out`))
      else tools.push(tool)
    }
    const next: unknown = 'nextCursor' in answer ? answer.nextCursor : undefined
    if (typeof next !== 'string' || next === '') return tools
    if (next === cursor) throw malformed('a page of the tool list names itself as the next one')
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
    // Parsed from JSON.
    ...(isFields(annotations) && { annotations: annotations as JsonObject }),
  }
}

function malformed(message: string): McpCallError {
  return new McpCallError('malformed', message)
}

/** How long nothing is told after something was, in milliseconds: at first, and for a server that does not stop. */
const FIRST_REST_MS = 100
const LONGEST_REST_MS = 30_000

/**
 * Tells listeners that a server's tools have changed. Who hears it lists the tools, and a server may announce a change whenever
 * it is asked for them: nothing is told while a list is under way, however much is announced it is told once more, and the
 * rest after that doubles as long as announcements go on.
 */
export class ToolChanges {
  readonly #listeners = new Set<() => void>()
  #lists = 0
  #restMs = FIRST_REST_MS
  #endRest: (() => void) | undefined
  #isOwed = false

  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(): void {
    this.#isOwed = true
    this.#tellIfDue()
  }

  /** Waits for a list, and tells nothing until then. */
  async during<List>(list: Promise<List>): Promise<List> {
    this.#lists += 1
    try {
      return await list
    } finally {
      this.#lists -= 1
      this.#tellIfDue()
    }
  }

  /** Nothing is told any more. */
  close(): void {
    this.#endRest?.()
    this.#listeners.clear()
  }

  #tellIfDue(): void {
    if (!this.#isOwed || this.#lists > 0 || this.#endRest !== undefined || this.#listeners.size === 0) return
    this.#isOwed = false
    this.#endRest = after(this.#restMs, () => this.#rested())
    this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS)
    for (const listener of [...this.#listeners]) listener()
  }

  #rested(): void {
    this.#endRest = undefined
    if (!this.#isOwed && this.#lists === 0) this.#restMs = FIRST_REST_MS
    this.#tellIfDue()
  }
}
