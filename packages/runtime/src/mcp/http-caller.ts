import { isMcpCallError } from '../execute/mcp/mcp-call-error.js'
import { type CallerOptions, MAX_MESSAGE_BYTES } from './caller-options.js'
import { SdkCaller } from './sdk-caller.js'
import { type HttpRoute, SessionTransport } from './transport/session-transport.js'

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
export function httpRoute({
  url,
  headers = {},
  fetch: own = fetch,
  maxMessageBytes = MAX_MESSAGE_BYTES,
}: HttpCallerOptions): HttpRoute {
  return { url: new URL(url), headers, fetch: own, maxMessageBytes }
}

/** Whether a server has answered, and the same request would be answered the same way. */
export function isRefusal(error: unknown): boolean {
  return isMcpCallError(error) && error.status !== undefined && error.status < 500 && error.status !== 429
}
