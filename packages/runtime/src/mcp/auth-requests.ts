import { after } from '../call/timers.js'
import { isFields } from '../schema/json-values.js'
import { type Fetch, textWithin } from './http-transport.js'
import { McpCallError } from './mcp-call-error.js'

const MAX_BYTES = 256 * 1024

const MAX_SECRETS = 64

const SECRET_NAMES = [
  'access_token',
  'client_assertion',
  'client_secret',
  'code',
  'code_verifier',
  'id_token',
  'refresh_token',
  'registration_access_token',
]

/** The error messages of a server can repeat a secret of the request. */
export class Secrets {
  readonly #known = new Set<string>()

  add(secret: unknown): void {
    // A shorter text can be a part of any message.
    if (typeof secret !== 'string' || secret.length < 8) return
    this.#known.delete(secret)
    this.#known.add(secret)
    const [oldest] = this.#known
    if (this.#known.size > MAX_SECRETS && oldest !== undefined) this.#known.delete(oldest)
  }

  addAllOf(values: Readonly<Record<string, unknown>>): void {
    for (const name of SECRET_NAMES) this.add(values[name])
  }

  hide(text: string): string {
    let shown = text
    for (const secret of this.#known) {
      for (const form of [secret, encodeURIComponent(secret)]) shown = shown.replaceAll(form, '[secret]')
    }
    return shown
  }
}

/** Extends `TypeError`, because after an error of any other class, the SDK would try another authorization server. */
export class AuthRequestError extends TypeError {
  readonly failure: McpCallError

  constructor(failure: McpCallError) {
    super(failure.message)
    this.failure = failure
  }
}

interface AuthFetchOptions {
  readonly send: Fetch
  readonly server: URL
  readonly timeoutMs: number
  readonly secrets: Secrets
}

export function authFetch({ send, server, timeoutMs, secrets }: AuthFetchOptions): Fetch {
  return async (address, init) => {
    const url = new URL(address)
    requireTls(url, server)
    const controller = new AbortController()
    const body = init?.body
    if (body instanceof URLSearchParams) secrets.addAllOf(Object.fromEntries(body))
    const read = async (): Promise<Response> => {
      const response = await send(url, { ...init, signal: controller.signal })
      const { status, headers } = response
      const { text, isWhole } = await textWithin(response.body, MAX_BYTES)
      if (!isWhole) throw failed('too_large', `sent more than ${MAX_BYTES} bytes`)
      const shown = response.ok ? text : secrets.hide(text)
      if (response.ok) secrets.addAllOf(jsonIn(text, url))
      return new Response([204, 205, 304].includes(status) ? null : shown, { status, headers })
    }
    const failed = (code: 'too_large' | 'timeout' | 'unreachable', what: string, cause?: unknown): AuthRequestError =>
      new AuthRequestError(new McpCallError(code, `${url.origin}${url.pathname} ${what}`, { cause }))
    let stopTimer = (): void => undefined
    const late = new Promise<never>((_, reject) => {
      stopTimer = after(timeoutMs, () => {
        reject(failed('timeout', `did not respond within ${timeoutMs} ms`))
        controller.abort()
      })
    })
    try {
      return await Promise.race([read(), late])
    } catch (error) {
      if (error instanceof AuthRequestError || error instanceof McpCallError) throw error
      throw failed('unreachable', 'cannot be reached', error)
    } finally {
      stopTimer()
    }
  }
}

/** Does not use `Response.json`, because an error of `Response.json` quotes a part of the body, which may be a token. */
function jsonIn(text: string, { origin, pathname }: URL): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : {}
  } catch {
    throw new McpCallError('malformed', `the response of ${origin}${pathname} is not JSON`)
  }
}

export function requireTls(url: URL, server: URL): void {
  const isLocal = isOfThisMachine(url) && isOfThisMachine(server)
  if (url.protocol === 'https:' || isLocal || url.origin === server.origin) return
  const { origin } = url
  throw new AuthRequestError(
    new McpCallError('unauthorized', `${origin} is not used for the login: it must have an https URL`),
  )
}

export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function isOfThisMachine({ hostname }: URL): boolean {
  return LOOPBACK.includes(hostname) || hostname.endsWith('.localhost')
}
