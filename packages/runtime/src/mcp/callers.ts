import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { isMcpCallError } from '../executors/mcp-call-error.js'
import { type CallerOptions, MAX_MESSAGE_BYTES } from './caller-options.js'
import { EventStreamTransport, type HttpRoute, SessionTransport } from './http-transport.js'
import { ProcessTransport, type ServerCommand } from './process-transport.js'
import { SdkCaller } from './sdk-caller.js'

/** How a server is reached over HTTP. */
export interface HttpCallerOptions extends CallerOptions {
  readonly url: string | URL
  /** Sent with every request, e.g. `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * A caller of an MCP server over Streamable HTTP. A session that the server has forgotten is begun anew, once for each call.
 *
 * @example
 * const caller = httpCaller({ url: 'https://tools.example.com/mcp', headers: { authorization: `Bearer ${token}` } })
 */
export function httpCaller(options: HttpCallerOptions): SdkCaller {
  const { url } = options
  return new SdkCaller(
    { name: String(url), open: () => new SessionTransport(httpRoute(options)), isFinal: isRefusal },
    options,
  )
}

/** How the server is reached that is meant by options. */
function httpRoute({
  url,
  headers = {},
  fetch: own = fetch,
  maxMessageBytes = MAX_MESSAGE_BYTES,
}: HttpCallerOptions): HttpRoute {
  return { url: new URL(url), headers, fetch: own, maxMessageBytes }
}

/** Whether a server has answered, and the same request would be answered the same way. */
function isRefusal(error: unknown): boolean {
  return isMcpCallError(error) && error.status !== undefined && error.status < 500 && error.status !== 429
}

/** A server that can be connected to a transport: the SDK's `Server` and `McpServer` are. */
export interface ConnectableServer {
  /** Serves one client over this transport. */
  connect(transport: Transport): Promise<unknown>
}

/**
 * A caller of a server in the same process, for tests. Give a function to have a new server for each connection.
 *
 * @example
 * const caller = inMemoryCaller(() => newServer())
 */
export function inMemoryCaller(
  server: ConnectableServer | (() => ConnectableServer | Promise<ConnectableServer>),
  options: CallerOptions = {},
): SdkCaller {
  return new SdkCaller(
    {
      name: 'in this process',
      open: async () => {
        const [mine, theirs] = InMemoryTransport.createLinkedPair()
        const target = typeof server === 'function' ? await server() : server
        await target.connect(theirs)
        return mine
      },
    },
    options,
  )
}

/**
 * A caller of an MCP server over HTTP with server-sent events, which Streamable HTTP has replaced: for servers that offer
 * nothing else.
 */
export function sseCaller(options: HttpCallerOptions): SdkCaller {
  const { url } = options
  return new SdkCaller(
    { name: String(url), open: () => new EventStreamTransport(httpRoute(options)), isFinal: isRefusal },
    options,
  )
}

/** How a server is started and spoken to. */
export interface StdioCallerOptions extends ServerCommand, CallerOptions {}

/**
 * A caller of an MCP server that it starts, over stdin and stdout. The server is started by the first call and once more
 * by the call after it has died. `close` ends it with all that it started: its stdin is closed, after 2 s it gets SIGTERM,
 * after 2 s more SIGKILL. It is ended too when this process exits.
 *
 * Of the environment the server gets `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER`, and what `env` adds: an API key that
 * it needs is to be named there. `toolgen import` and `toolgen check --live` give a server all that they have themselves, as a
 * shell does: who types the command can say nothing else of the environment.
 *
 * @example
 * const files = stdioCaller({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] })
 * const search = stdioCaller({ command: 'search-server', env: { API_KEY: process.env.API_KEY } })
 */
export function stdioCaller(options: StdioCallerOptions): SdkCaller {
  return new SdkCaller(
    {
      name: [options.command, ...(options.args ?? [])].join(' '),
      open: () => transportOf(options),
      isFinal: (error) => error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn'),
    },
    options,
  )
}

function transportOf(options: StdioCallerOptions): Transport {
  const { command, args = [], env, cwd, stderr = 'ignore', maxMessageBytes = MAX_MESSAGE_BYTES } = options
  if (process.platform !== 'win32') return new ProcessTransport(options, maxMessageBytes)
  // Windows knows no process groups, and the SDK how to start its scripts.
  return new StdioClientTransport({
    command,
    args: [...args],
    stderr,
    maxBufferSize: maxMessageBytes,
    ...(env !== undefined && { env: givenVariables(env) }),
    ...(cwd !== undefined && { cwd }),
  })
}

function givenVariables(env: NonNullable<ServerCommand['env']>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
