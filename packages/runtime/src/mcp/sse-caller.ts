import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { MAX_MESSAGE_BYTES } from './caller-options.js'
import { type HttpCallerOptions, isRefusal } from './http-caller.js'
import { SdkCaller } from './sdk-caller.js'
import { boundedFetch } from './transport/bounded-fetch.js'
import { retryAfterFetch } from './transport/retry-after-fetch.js'

/**
 * A caller of an MCP server over HTTP with server-sent events, which Streamable HTTP has replaced: for servers that offer
 * nothing else.
 */
export function sseCaller(options: HttpCallerOptions): SdkCaller {
  const { url, headers = {}, fetch: own = fetch, maxMessageBytes = MAX_MESSAGE_BYTES } = options
  return new SdkCaller(
    {
      name: String(url),
      open: () => {
        const transport = new SSEClientTransport(new URL(url), {
          requestInit: { headers: { ...headers } },
          fetch: boundedFetch(retryAfterFetch(own), maxMessageBytes),
        })
        // The stream is opened anew by itself, but under another session: the calls of this one are lost.
        transport.onerror = (error) => {
          if (error.name === 'SseError' || 'event' in error) void transport.close()
        }
        return transport
      },
      isFinal: isRefusal,
    },
    options,
  )
}
