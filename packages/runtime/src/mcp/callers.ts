import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallerOptions } from './caller-options.js'
import { MAX_MESSAGE_BYTES } from './caller-options.js'
import { EventStreamTransport, type HttpRoute, SessionTransport } from './http-transport.js'
import { McpCallError } from './mcp-call-error.js'
import { ProcessTransport, type ServerCommand } from './process-transport.js'
import { SdkCaller } from './sdk-caller.js'

/** Options of callers over HTTP. */
export interface HttpCallerOptions extends CallerOptions {
  readonly url: string | URL
  /** Sent with every request, e.g. `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/**
 * Returns a caller of an MCP server over Streamable HTTP. If the server has forgotten the session, a call starts a new one,
 * once.
 *
 * @example
 * const caller = httpCaller({ url: 'https://tools.example.com/mcp', headers: { authorization: `Bearer ${token}` } })
 */
export function httpCaller(options: HttpCallerOptions): SdkCaller {
  return callerOver((route) => new SessionTransport(route), options)
}

/**
 * Returns a caller of an MCP server over HTTP with server-sent events, which Streamable HTTP has replaced: for servers that
 * offer nothing else.
 */
export function sseCaller(options: HttpCallerOptions): SdkCaller {
  return callerOver((route) => new EventStreamTransport(route), options)
}

function callerOver(open: (route: HttpRoute) => Transport, options: HttpCallerOptions): SdkCaller {
  const { url, headers = {}, fetch: send = fetch, maxMessageBytes = MAX_MESSAGE_BYTES } = options
  return new SdkCaller(
    {
      name: String(url),
      open: () => open({ url: new URL(url), headers, fetch: send, maxMessageBytes }),
      // The server would answer the same request the same way.
      isFinal: (error) =>
        error instanceof McpCallError && error.status !== undefined && error.status < 500 && error.status !== 429,
    },
    options,
  )
}

/** A server that can be connected to a transport: the SDK's `Server` and `McpServer` are. */
export interface ConnectableServer {
  /** Serves one client over this transport. */
  connect(transport: Transport): Promise<unknown>
}

/**
 * Returns a caller of a server in the same process, for tests. Pass a function to have a new server for each connection.
 *
 * @example
 * const caller = inMemoryCaller(() => newServer())
 */
export function inMemoryCaller(
  server: ConnectableServer | (() => ConnectableServer | Promise<ConnectableServer>),
  options: CallerOptions = {},
): SdkCaller {
  const open = async (): Promise<Transport> => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
    await (typeof server === 'function' ? await server() : server).connect(serverSide)
    return clientSide
  }
  return new SdkCaller({ name: 'in this process', open }, options)
}

/** Options of a caller that starts its server. */
export interface StdioCallerOptions extends ServerCommand, CallerOptions {}

/**
 * Returns a caller of an MCP server that it starts, over stdin and stdout. The first call starts the server, and the next call
 * after it has died. `close` ends it with everything that it started: its stdin is closed, after 2 s it gets SIGTERM, after 2 s
 * more SIGKILL. It also ends when this process exits.
 *
 * Of the environment the server gets `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER`, and the variables in `env`: name
 * an API key that it needs there. `toolgen import` and `toolgen check --live` pass all of their environment, as a shell does.
 *
 * @example
 * const files = stdioCaller({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] })
 * const search = stdioCaller({ command: 'search-server', env: { API_KEY: process.env.API_KEY } })
 */
export function stdioCaller(options: StdioCallerOptions): SdkCaller {
  const { command, args = [], env = {}, cwd, stderr = 'ignore', maxMessageBytes = MAX_MESSAGE_BYTES } = options
  const open = (): Transport => {
    if (process.platform !== 'win32') return new ProcessTransport(options, maxMessageBytes)
    // Windows has no process groups, and the SDK can start its scripts.
    const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return new StdioClientTransport({
      command,
      args: [...args],
      stderr,
      maxBufferSize: maxMessageBytes,
      env: Object.fromEntries(defined),
      ...(cwd !== undefined && { cwd }),
    })
  }
  return new SdkCaller(
    {
      name: [command, ...args].join(' '),
      open,
      isFinal: (error) => error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn'),
    },
    options,
  )
}
