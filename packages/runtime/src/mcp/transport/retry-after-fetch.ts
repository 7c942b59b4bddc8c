import { retryAfterMs } from '../../execute/failure/retry-after.js'
import { McpCallError } from '../../execute/mcp/mcp-call-error.js'
import type { Fetch } from './bounded-fetch.js'

/** A `fetch` that fails where the server says when to come back: of any other answer the SDK keeps only the status. */
export function retryAfterFetch(own: Fetch): Fetch {
  return async (url, init) => {
    const response = await own(url, init)
    const { ok, status, headers } = response
    const wait = ok ? undefined : retryAfterMs({ headers }, Date.now())
    if (wait === undefined) return response
    await response.body?.cancel()
    throw new McpCallError('http', `the server answered with HTTP ${status}`, { status, retryAfterMs: wait })
  }
}
