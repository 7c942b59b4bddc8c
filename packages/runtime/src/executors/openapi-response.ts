import { classify } from '../call/classify.js'
import { contentPart } from '../call/content.js'
import { withContent } from '../call/provenance.js'
import { ToolFailure } from '../call/tool-failure.js'
import { shorten } from '../call/value-text.js'
import { bytesToBase64 } from './conversions.js'
import { type ApiOperation, type ApiResponseKind, OpenApiCallError } from './openapi-api.js'
import { isJsonType, mediaType } from './openapi-body.js'
import type { ApiRequest } from './openapi-request.js'

const MAX_REDIRECTS = 5

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends a request. Follows redirects only for GET and HEAD requests, because other requests must not be repeated. Sends only the `accept`
 * header to another origin, because other headers and cookies can be secrets.
 *
 * @throws {OpenApiCallError} after more than five redirects, or for a redirect that must not be followed
 */
export async function sendRequest(
  operation: string,
  { method, headers, body, ...request }: ApiRequest,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<Response> {
  const isReading = method === 'GET' || method === 'HEAD'
  let { url } = request
  let sent = headers
  for (let redirects = 0; ; redirects += 1) {
    const init = { method, headers: sent, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const
    const response = await send(url, init)
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) return response
    await response.body?.cancel()
    const next = isReading && redirects < MAX_REDIRECTS && URL.canParse(location, url.href) && new URL(location, url)
    // Do not follow a redirect from https to http.
    if (!next || (next.protocol !== url.protocol && next.protocol !== 'https:')) {
      throw new OpenApiCallError(operation, response, '')
    }
    if (next.origin !== url.origin) sent = new Headers({ accept: headers.get('accept') ?? '*/*' })
    url = next
  }
}

const MAX_ERROR_BYTES = 64 * 1024

/**
 * Returns the result of a call from the response: parsed JSON, text, bytes as base64, or `null` if there is no body.
 *
 * @throws {OpenApiCallError} for an error status
 * @throws {ToolFailure} with the text of the API, if the API rejects the arguments
 * @throws {ToolFailure} `malformed_result` if the body is too large or malformed
 */
export async function resultOf(
  response: Response,
  { method, responses = {} }: ApiOperation,
  operation: string,
  maxBytes: number,
): Promise<unknown> {
  const { status, headers } = response
  if (!response.ok) {
    const { bytes } = await readBody(response, MAX_ERROR_BYTES)
    throw failureOf(new OpenApiCallError(operation, response, new TextDecoder().decode(bytes)))
  }
  const key = [String(status), `${String(status)[0]}XX`, 'default'].find((each) => Object.hasOwn(responses, each))
  const declared = key === undefined ? undefined : responses[key]
  if (declared === 'none' || status === 204 || status === 205 || method === 'HEAD') {
    await response.body?.cancel()
    return null
  }
  const { bytes, isWhole } = await readBody(response, maxBytes)
  if (!isWhole) throw malformed(`it is larger than ${maxBytes} bytes`)
  switch (declared ?? kindOf(headers, bytes)) {
    case 'none':
      return null
    case 'bytes':
      return withMedia(bytesToBase64(bytes), headers)
    case 'text':
      return decoded(bytes, headers)
    case 'json':
      try {
        return JSON.parse(decoded(bytes, headers))
      } catch (error) {
        throw malformed('it is not valid JSON', error)
      }
  }
}

function withMedia(data: string, headers: Headers): unknown {
  const part = contentPart(headers.get('content-type') ?? '', data)
  return part === undefined ? data : withContent(data, [part])
}

function kindOf(headers: Headers, { length }: Uint8Array): ApiResponseKind {
  const type = mediaType(headers.get('content-type'))
  if (length === 0) return 'none'
  if (isJsonType(type)) return 'json'
  return type === '' || type.startsWith('text/') ? 'text' : 'bytes'
}

function decoded(bytes: Uint8Array, headers: Headers): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function malformed(why: string, cause?: unknown): ToolFailure {
  return new ToolFailure(`The response of the API cannot be used: ${why}.`, { reason: 'malformed_result', cause })
}

async function readBody(
  { body }: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the stream.
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: false }
  }
  return { bytes: Buffer.concat(chunks), isWhole: true }
}

/** Maximum number of characters that a model receives from a response of an API. */
const MAX_TEXT = 1_000

/** Passes the text of the response to the model only if the API rejects the arguments. */
function failureOf(error: OpenApiCallError): OpenApiCallError | ToolFailure {
  const { reason, action } = classify(error, 0)
  const isPage = mediaType(error.headers.get('content-type')) === 'text/html'
  const text = isPage ? '' : shorten(compactJson(error.body.trim()), MAX_TEXT)
  if (reason !== 'domain_rejection' || text === '') return error
  return new ToolFailure(text, {
    cause: error,
    ...((action === 'replan' || action === 'correct_call') && { action }),
  })
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
