import { type HttpCallerOptions, httpRoute, isRefusal } from './http-caller.js'
import { SdkCaller } from './sdk-caller.js'
import { EventStreamTransport } from './transport/event-stream-transport.js'

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
