import { InMemoryTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { peek } from '../call/tool-failure.js'
import { isFields } from '../schema/json-values.js'
import { type CallerOptions, isOptionalFunction, isText, MAX_MESSAGE_BYTES, requireOption } from './caller-options.js'
import { EventStreamTransport, type HttpRoute, SessionTransport } from './http-transport.js'
import { McpCallError } from './mcp-call-error.js'
import { ProcessTransport, type ServerCommand } from './process-transport.js'
import { SdkCaller, type ServerRoute } from './sdk-caller.js'
import type { HttpAuth } from './token-auth.js'

/** Options for callers over HTTP: URL, headers, and limits of requests. */
export interface HttpCallerOptions extends CallerOptions {
  readonly url: string | URL
  /** Headers of every request, such as `authorization`. Default: no additional headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** OAuth authentication, created by `oauth` or `clientCredentials`. An OAuth token replaces the header `authorization`. Default: no OAuth. */
  readonly auth?: HttpAuth
}

/**
 * Creates a caller of an MCP server over Streamable HTTP. If the server reports that the session has ended, the caller sends the call once more in
 * a new session.
 *
 * @throws {TypeError} if `url` is not an http or https URL, or if another option has a wrong type.
 *
 * @example
 * const caller = httpCaller({ url: 'https://tools.example.com/mcp', headers: { authorization: `Bearer ${token}` } })
 *
 * @example
 * const caller = httpCaller({ url, auth: oauth({ store: fileTokenStore(), login: loopbackLogin() }) })
 */
export function httpCaller(options: HttpCallerOptions): SdkCaller {
  return callerOver((route) => new SessionTransport(route), {}, options)
}

/**
 * Creates a caller of an MCP server over HTTP with server-sent events, for servers that do not offer Streamable HTTP. Throws a `TypeError` if `url`
 * is not an http or https URL.
 */
export function sseCaller(options: HttpCallerOptions): SdkCaller {
  return callerOver((route) => new EventStreamTransport(route), { isOld: true }, options)
}

function callerOver(
  open: (route: HttpRoute) => Transport,
  era: Pick<ServerRoute, 'isOld'>,
  options: HttpCallerOptions,
): SdkCaller {
  requireOption('options', options, isFields(options), 'an object with `url`')
  const { url, headers = {}, fetch: send = fetch, maxMessageBytes = MAX_MESSAGE_BYTES, auth } = options
  const address = requireHttpUrl(url)
  const isHeaders = isFields(headers) && !(headers instanceof Headers) && Object.values(headers).every(isText)
  requireOption('headers', headers, isHeaders, 'an object of strings')
  requireOption('fetch', send, isOptionalFunction(send), 'a function')
  const isAuth = auth === undefined || (isFields(auth) && typeof auth.forServer === 'function')
  requireOption('auth', auth, isAuth, 'created by `oauth(...)` or `clientCredentials(...)`')
  const server = auth?.forServer(address)
  const route: HttpRoute = {
    url: address,
    headers,
    fetch: server?.authorize((target, init) => send(target, init)) ?? send,
    maxMessageBytes,
    hide: (text) => server?.hide(text) ?? text,
  }
  return new SdkCaller(
    {
      name: String(url),
      ...era,
      open: () => open(route),
      logIn: (error, signals) => server?.logIn?.(error, signals),
      isFinal: (error) => error instanceof McpCallError && (error.code === 'unauthorized' || isRefusal(error.status)),
    },
    options,
  )
}

function requireHttpUrl(url: string | URL): URL {
  const address = URL.canParse(String(url)) ? new URL(url) : undefined
  if (address?.protocol === 'http:' || address?.protocol === 'https:') return address
  throw new TypeError(`\`url\` must be an http or https URL, but is '${url}'`)
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status < 500 && status !== 429
}

/** Server that can be connected to a transport, such as `Server` and `McpServer` of the SDK. */
export interface ConnectableServer {
  /** Connects the server to a transport. Over this transport, the server serves one client. */
  connect(transport: Transport): Promise<unknown>
}

/**
 * Creates a caller of a server in the same process, for tests. If you pass a function that creates the server, the caller calls this function for
 * each connection.
 *
 * @example
 * const caller = inMemoryCaller(() => newServer())
 */
export function inMemoryCaller(
  server: ConnectableServer | (() => ConnectableServer | Promise<ConnectableServer>),
  options: CallerOptions = {},
): SdkCaller {
  const isServer = typeof server === 'function' || typeof peek(server, 'connect') === 'function'
  requireOption('server', server, isServer, 'a server with the method `connect`, or a function that returns one')
  const open = async (): Promise<Transport> => {
    const [clientSide, serverSide] = InMemoryTransport.createLinkedPair()
    await (typeof server === 'function' ? await server() : server).connect(serverSide)
    return clientSide
  }
  return new SdkCaller({ name: 'in this process', open }, options)
}

/** Options for `stdioCaller`: the command that starts the server, and the options of all callers. */
export interface StdioCallerOptions extends ServerCommand, CallerOptions {}

/**
 * Creates a caller that starts an MCP server process and communicates over stdin and stdout. The first call starts the
 * server. If the server has ended, the next call starts a new process. `close` ends the server and its child processes.
 * First, `close` closes the server's stdin. After 2 seconds, `close` sends SIGTERM, and after 2 more seconds SIGKILL.
 * The server also ends when this process exits.
 *
 * The server receives only the variables in `env` and the environment variables `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER`. Pass API
 * keys in `env`. In contrast, `toolgen import` and `toolgen check --live` pass their whole environment to the server.
 *
 * @throws {TypeError} if an option has a wrong type.
 *
 * @example
 * const files = stdioCaller({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] })
 * const search = stdioCaller({ command: 'search-server', env: { API_KEY: process.env.API_KEY } })
 */
export function stdioCaller(options: StdioCallerOptions): SdkCaller {
  requireOption('options', options, isFields(options), 'an object with `command`')
  const { command, args = [], env = {}, cwd, stderr = 'ignore', quoteStderr } = options
  const { maxMessageBytes = MAX_MESSAGE_BYTES } = options
  requireOption('command', command, isText(command) && command.trim() !== '', 'a string with the program of the server')
  requireOption('args', args, Array.isArray(args) && args.every(isText), 'an array of strings')
  const isEnv = isFields(env) && Object.values(env).every((value) => value === undefined || isText(value))
  requireOption('env', env, isEnv, 'an object of strings')
  requireOption('cwd', cwd, cwd === undefined || isText(cwd), 'a string')
  requireOption('stderr', stderr, stderr === 'ignore' || stderr === 'inherit', "'ignore' or 'inherit'")
  const isSwitch = quoteStderr === undefined || typeof quoteStderr === 'boolean'
  requireOption('quoteStderr', quoteStderr, isSwitch, 'true or false')
  const open = (): Transport => {
    if (process.platform !== 'win32') return new ProcessTransport(options, maxMessageBytes)
    // Windows has no process groups, and the transport of the SDK can start its scripts.
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
