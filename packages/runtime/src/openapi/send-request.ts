import { OpenApiCallError } from './openapi-call-error.js'
import type { RequestBody } from './request-body.js'

/** A request before it is sent. */
export interface ApiRequest {
  /** E.g. `GET /orders/{id}`, for messages. */
  readonly operation: string
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: RequestBody | undefined
  readonly signal: AbortSignal
}

const MOST_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends a request. What is read may be elsewhere: another address is asked then, without headers and cookies where it is
 * another server's, since any of them may be a secret. What changes something is never repeated elsewhere.
 *
 * @throws {OpenApiCallError} for more redirects than five, or one of a request that is not repeated
 */
export async function sendRequest(request: ApiRequest, send: typeof fetch): Promise<Response> {
  const { operation, method, headers, body, signal } = request
  const isReading = method === 'GET' || method === 'HEAD'
  let { url } = request
  let sent = headers
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(url, {
      method,
      headers: sent,
      signal,
      redirect: 'manual',
      ...(body !== undefined && { body: body.body }),
    })
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) return response
    await response.body?.cancel()
    const next = isReading && redirects < MOST_REDIRECTS ? addressOf(location, url) : undefined
    if (next === undefined) {
      throw new OpenApiCallError({ operation, status: response.status, headers: response.headers, body: '' })
    }
    if (next.origin !== url.origin) sent = new Headers({ accept: headers.get('accept') ?? '*/*' })
    url = next
  }
}

function addressOf(location: string, base: URL): URL | undefined {
  if (!URL.canParse(location, base.href)) return undefined
  const address = new URL(location, base)
  // From a secret connection nobody leads to an open one.
  return address.protocol === base.protocol || address.protocol === 'https:' ? address : undefined
}
