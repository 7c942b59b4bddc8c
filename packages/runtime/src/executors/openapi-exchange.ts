import { peek, ToolFailure } from '../call/tool-failure.js'
import { isFields } from '../schema/json-values.js'
import type { JsonObject } from '../types/json.js'
import { bytesToBase64 } from './conversions.js'
import {
  type ApiCall,
  type ApiOperation,
  type ApiResponseKind,
  OpenApiCallError,
  type OpenApiExecutorOptions,
  type ToolsetApi,
} from './openapi-api.js'
import { isJsonType, mediaType } from './openapi-body.js'
import { credentialsFor, perCall } from './openapi-credentials.js'
import { type ApiRequest, buildRequest } from './openapi-request.js'

export type Exchanged = { readonly status: number; readonly headers: Headers } & (
  | { readonly value: unknown; readonly isBytes?: boolean }
  | { readonly problem: string; readonly cause?: unknown }
)

export type Exchange = (
  operation: ApiOperation,
  fields: JsonObject,
  call: ApiCall,
  more?: Readonly<Record<string, string>>,
) => Promise<Exchanged>

/**
 * The created function rejects with an `OpenApiCallError` for an error status, with a `ToolFailure` (`invalid_arguments`) if the request cannot
 * represent an argument, and with a `TypeError` for an invalid base URL or header.
 * @throws {TypeError} if the base URL is unknown or an option is invalid.
 */
export function apiExchange(api: ToolsetApi, options: OpenApiExecutorOptions): Exchange {
  const problem = missingBaseUrl(api, options) ?? invalidOption(options)
  if (problem !== undefined) throw new TypeError(problem)
  const { maxResponseBytes = DEFAULT_MAX_BYTES, auth = {}, headers = {}, fetch: send = fetch } = options
  return async (operation, fields, call, more) => {
    const base = (await perCall(options.baseUrl, call)) ?? operation.server ?? api.server ?? ''
    const invalid = invalidBaseUrl(base)
    if (invalid !== undefined) throw new TypeError(`The base URL of toolset '${api.toolset.name}' ${invalid}`)
    const request = buildRequest(operation, fields, {
      base,
      credentials: await credentialsFor(operation.security ?? [], api.security ?? {}, auth, call),
      headers: { ...(await perCall(headers, call)), ...more },
    })
    const name = operationName(operation)
    const { signal } = call.meta
    const { response, url } = await sendRequest(name, request, send, signal)
    return await readResponse(response, operation, name, maxResponseBytes).catch((error: unknown) => {
      // Errors of aborted calls and of lost connections are classified by their codes.
      if (signal.aborted || error instanceof OpenApiCallError || !isUndecodable(error)) throw error
      const message = `The API at ${url.host} sent a body that cannot be decompressed. Check the header \`content-encoding\` of the API and its proxies, or try again later`
      throw new ToolFailure(`${message}.`, { reason: 'unavailable', cause: error })
    })
  }
}

export function operationName({ method, path }: ApiOperation): string {
  return `${method} ${path}`
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024

export function missingBaseUrl(
  { toolset, server, operations }: ToolsetApi,
  { baseUrl }: OpenApiExecutorOptions,
): string | undefined {
  if (baseUrl !== undefined || server !== undefined) return undefined
  if (Object.values(operations).every((operation) => operation.server !== undefined)) return undefined
  return `The document of toolset '${toolset.name}' has no base URL. Set baseUrl`
}

/** The message does not contain the value of the option, which can be a secret. */
export function invalidOption({ baseUrl, auth = {}, maxResponseBytes }: OpenApiExecutorOptions): string | undefined {
  const invalid = baseUrl === undefined || typeof baseUrl === 'function' ? undefined : invalidBaseUrl(baseUrl)
  if (invalid !== undefined) return `baseUrl ${invalid}`
  if (maxResponseBytes !== undefined && !(Number.isSafeInteger(maxResponseBytes) && maxResponseBytes > 0))
    return 'maxResponseBytes must be an integer of at least 1'
  if (!isFields(auth)) return 'auth must be an object with credentials by scheme name'
  const wrong = Object.entries(auth).find(([, credential]) => !isCredential(credential))
  return wrong && `auth.${wrong[0]} must be a string, { username, password }, or a function that returns one of them`
}

function isCredential(value: unknown): boolean {
  if (isFields(value)) return typeof value.username === 'string' && typeof value.password === 'string'
  return ['undefined', 'string', 'function'].includes(typeof value)
}

/** The reason does not contain the URL, which can contain a secret. */
function invalidBaseUrl(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'must be an absolute URL that begins with http:// or https://'
  }
  const { username, password } = new URL(text)
  // `fetch` rejects such a URL, and its error quotes it.
  if (username !== '' || password !== '') return 'must not contain a user name or password; use auth instead'
  return text.includes('#') ? 'must not contain "#"' : undefined
}

const MAX_REDIRECTS = 5

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Follows redirects only for GET and HEAD requests, because other requests must not be repeated. After a redirect to another origin, sends only the
 * header `accept`, because all other headers and cookies can contain secrets.
 * @throws {OpenApiCallError} after more than five redirects, or if the API redirects a request that is neither GET nor HEAD
 */
async function sendRequest(
  operation: string,
  { method, headers, body, ...request }: ApiRequest,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<{ readonly response: Response; readonly url: URL }> {
  const isReading = method === 'GET' || method === 'HEAD'
  let { url } = request
  let sent = headers
  for (let redirects = 0; ; redirects += 1) {
    const init = { method, headers: sent, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const
    const response = await send(url, init)
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) return { response, url }
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

async function readResponse(
  response: Response,
  { method, responses = {} }: ApiOperation,
  operation: string,
  maxBytes: number,
): Promise<Exchanged> {
  const { status, headers } = response
  if (!response.ok) {
    // The status says more than a body that cannot be decompressed.
    const { bytes } = await readBody(response, MAX_ERROR_BYTES).catch((error: unknown) => {
      if (isUndecodable(error)) return { bytes: new Uint8Array() }
      throw error
    })
    throw new OpenApiCallError(operation, response, new TextDecoder().decode(bytes))
  }
  const received = { status, headers }
  const key = statusKey(status, responses)
  const declared = key === undefined ? undefined : responses[key]
  if (declared === 'none' || status === 204 || status === 205 || method === 'HEAD') {
    await response.body?.cancel()
    return { ...received, value: null }
  }
  const { bytes, isWhole } = await readBody(response, maxBytes)
  if (!isWhole) return { ...received, problem: `it is larger than ${maxBytes} bytes` }
  switch (declared ?? kindOf(headers, bytes)) {
    case 'none':
      return { ...received, value: null }
    case 'bytes':
      return { ...received, value: bytesToBase64(bytes), isBytes: true }
    case 'text':
      return { ...received, value: decoded(bytes, headers) }
    case 'json':
      try {
        return { ...received, value: JSON.parse(decoded(bytes, headers)) }
      } catch (cause) {
        return { ...received, problem: 'it is not valid JSON', cause }
      }
  }
}

/** If `fetch` cannot decompress a body, the error of `fetch` has an error of zlib as its cause. */
function isUndecodable(error: unknown): boolean {
  const code = peek(error, 'code') ?? peek(peek(error, 'cause'), 'code')
  return typeof code === 'string' && /^(?:Z_|ZSTD_|ERR_BROTLI|ERR_ZSTD|ERR__ERROR)/.test(code)
}

export function statusKey(status: number, table: Readonly<Record<string, unknown>>): string | undefined {
  return [String(status), `${String(status)[0]}XX`, 'default'].find((key) => Object.hasOwn(table, key))
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
