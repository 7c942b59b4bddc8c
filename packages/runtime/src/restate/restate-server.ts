import { setTimeout } from 'node:timers/promises'
import { requireCount, requireObject, requireString, shown } from '../durable/arguments.js'
import { DurableError } from '../durable/engine.js'

/** Addresses of a Restate server, and limits of requests. */
export interface RestateServerOptions {
  /** Address of the ingress, for example `http://127.0.0.1:8080`. */
  readonly url: string
  /** Address of the admin API, for example `http://127.0.0.1:9070`. */
  readonly adminUrl: string
  /** Headers for all requests, for example `{ authorization: 'Bearer ...' }`. Default: no additional headers. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Maximum time to wait for a response of the server, in milliseconds. After this time, the client regards the server as unreachable. Maximum:
   * one day. Default: 10,000.
   */
  readonly timeoutMs?: number
}

export interface RestateResponse {
  readonly status: number
  readonly body: any
  /** False if the Restate server itself reports an error. */
  readonly isFromInvocation: boolean
}

export interface RestateRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Time that the server may wait before it responds. */
  readonly waitMs?: number
  /** `false` if the client must not repeat the request after the server may have received it. */
  readonly isRepeatable?: boolean
}

const RETRY_DELAY_MS = 200

const MAX_TIMEOUT_MS = 24 * 60 * 60 * 1_000

/** If a request fails after more than this time (in milliseconds), the server was reachable, and the time limit starts again. */
const WAITING_MS = 1_000

export class RestateServer {
  readonly #url: string
  readonly #adminUrl: string
  readonly #headers: Readonly<Record<string, string>>
  readonly #timeoutMs: number
  readonly #services = new Set<string>()

  constructor({ url, adminUrl, headers = {}, timeoutMs = 10_000 }: RestateServerOptions) {
    this.#url = addressOf('url', url, 'http://127.0.0.1:8080')
    this.#adminUrl = addressOf('adminUrl', adminUrl, 'http://127.0.0.1:9070')
    requireHeaders(headers)
    requireCount('restateClient: timeoutMs', timeoutMs, MAX_TIMEOUT_MS)
    this.#headers = headers
    this.#timeoutMs = timeoutMs
  }

  /** The ingress is the endpoint of Restate that starts and calls handlers. */
  ingress(path: string, request: RestateRequest = {}): Promise<RestateResponse> {
    return this.#send(`${this.#url}${path}`, request)
  }

  /**
   * A server that has just started can report for a moment that it does not have the service. The request is then repeated if the service has
   * responded before.
   */
  async call(service: string, path: string, request: RestateRequest): Promise<RestateResponse> {
    const url = `${this.#url}/${encodeURIComponent(service)}${path}`
    let missingSince: number | undefined
    for (;;) {
      const response = await this.#send(url, request)
      if (response.status < 300) this.#services.add(service)
      const isMissing = response.status === 404 && !response.isFromInvocation && this.#services.has(service)
      if (!isMissing) return response
      missingSince ??= Date.now()
      if (Date.now() + RETRY_DELAY_MS >= missingSince + this.#timeoutMs) return response
      await setTimeout(RETRY_DELAY_MS)
    }
  }

  /** Resolves with `undefined` if the server has waited for a result, but not longer than `waitMs`. */
  async ingressWithin(waitMs: number, path: string): Promise<RestateResponse | undefined> {
    const url = `${this.#url}${path}`
    const startedAt = Date.now()
    for (;;) {
      const sentAt = Date.now()
      let failure: unknown
      try {
        const response = await this.#sendOnce(url, {}, waitMs)
        if (!isUnavailable(response)) return response
        failure = unexpected(url, response.status, response.body)
      } catch (error) {
        if (isTimeout(error)) return undefined
        failure = error
      }
      if (Date.now() - sentAt > WAITING_MS) return undefined
      if (Date.now() + RETRY_DELAY_MS >= startedAt + this.#timeoutMs) throw unreachable(url, failure, {})
      await setTimeout(RETRY_DELAY_MS)
    }
  }

  admin(path: string, request: RestateRequest = {}): Promise<RestateResponse> {
    return this.#send(`${this.#adminUrl}${path}`, request)
  }

  async query<Row>(query: TemplateStringsArray, ...parameters: readonly string[]): Promise<readonly Row[]> {
    const text = String.raw({ raw: query }, ...parameters.map((each) => `'${each.replaceAll("'", "''")}'`))
    const { status, body } = await this.admin('/query', {
      method: 'POST',
      body: { query: text },
      headers: { accept: 'application/json' },
    })
    if (status !== 200) throw unexpected('the query', status, body)
    return body.rows
  }

  async #send(url: string, request: RestateRequest): Promise<RestateResponse> {
    const { waitMs = 0, isRepeatable = true } = request
    let failingSince: number | undefined
    for (;;) {
      let failure: unknown
      const sentAt = Date.now()
      try {
        const response = await this.#sendOnce(url, request, waitMs + this.#timeoutMs)
        if (!isUnavailable(response)) return response
        failure = unexpected(url, response.status, response.body)
      } catch (error) {
        failure = error
        // The server has waited for a result before the connection was lost, so it did respond.
        if (Date.now() - sentAt > WAITING_MS) failingSince = undefined
      }
      failingSince ??= Date.now()
      const isOver = Date.now() + RETRY_DELAY_MS >= failingSince + this.#timeoutMs
      const mayRepeat = (isRepeatable && !isTimeout(failure)) || isRefused(failure)
      if (isOver || !mayRepeat) throw unreachable(url, failure, request)
      await setTimeout(RETRY_DELAY_MS)
    }
  }

  async #sendOnce(
    url: string,
    { method = 'GET', body, headers }: RestateRequest,
    timeoutMs: number,
  ): Promise<RestateResponse> {
    const response = await fetch(url, {
      method,
      headers: {
        // Compression costs more time than it saves between machines of a data center.
        'accept-encoding': 'identity',
        ...this.#headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = await response.text()
    const isFromInvocation = response.headers.get('x-restate-error-source') === 'invocation'
    return { status: response.status, body: parsed(text), isFromInvocation }
  }
}

/** Default limit for the size of a request in Restate, in bytes. */
const MAX_REQUEST_LENGTH = 32 * 1024 * 1024

export const useLargeValues = 'Set `largeValues`, so that large values are stored outside of Restate.'

export function unexpected(what: string, status: number, body: unknown): Error {
  const message = typeof body === 'string' ? body : JSON.stringify(body)
  const next = status === 413 ? `. ${useLargeValues}` : ''
  return new Error(`Restate answered ${what} with status ${status}: ${message}${next}`)
}

function unreachable(url: string, cause: unknown, { body, isRepeatable = true }: RestateRequest): DurableError {
  const detail = cause instanceof Error ? ` (${describe(cause)})` : ''
  const isUnknown = !isRepeatable && !isRefused(cause)
  const hint = isUnknown
    ? ' It is unknown whether the run has started. Start it again with the same `runId`: the code `duplicate_run` then means that it had started.'
    : ''
  // Restate closes the connection of a request that is too large, often before it has answered.
  const isLarge = JSON.stringify(body ?? null).length > MAX_REQUEST_LENGTH
  const next = isLarge ? ` The request has more than 32 MB, the default limit of Restate. ${useLargeValues}` : hint
  return new DurableError('engine_unreachable', `Restate does not respond at ${new URL(url).origin}${detail}.${next}`, {
    cause,
  })
}

function describe(error: Error): string {
  const { cause, message } = error
  return cause instanceof Error ? `${message}: ${cause.message || codeOf(cause)}` : message
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

function isUnavailable({ status, isFromInvocation }: RestateResponse): boolean {
  return status >= 500 && !isFromInvocation
}

/** After these errors, the server cannot have received the request, because no connection was established. */
function isRefused(error: unknown): boolean {
  return error instanceof Error && ['ECONNREFUSED', 'ENOTFOUND'].includes(codeOf(error.cause) ?? '')
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: string }
  return code
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function addressOf(option: string, url: unknown, example: string): string {
  const expected = `Expected a URL with http: or https:, such as '${example}'.`
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw new TypeError(`restateClient: ${option} is ${shown(url)}. ${expected}`)
  }
  const { protocol, username, password } = new URL(url)
  if (username !== '' || password !== '') {
    throw new TypeError(`restateClient: ${option} contains a user name or a password. Pass them in \`headers\`.`)
  }
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError(`restateClient: ${option} is '${url}'. ${expected}`)
  }
  if (/[?#]/.test(url)) {
    throw new TypeError(`restateClient: ${option} is '${url}'. Expected a URL without query and hash.`)
  }
  return url.replace(/\/+$/, '')
}

function requireHeaders(headers: unknown): void {
  requireObject('restateClient: headers', headers, "an object of strings, for example { authorization: 'Bearer ...' }")
  for (const [name, value] of Object.entries(headers as object)) {
    requireString(`restateClient: headers.${name}`, value)
    try {
      new Headers([[name, value]])
    } catch {
      // The message of the caught error contains the value, which can be a secret.
      throw new TypeError(
        `restateClient: headers.${name} is not a valid header. Expected a name of letters, digits and '-', and a value without line breaks.`,
      )
    }
  }
}
