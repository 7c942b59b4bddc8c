import {
  ClientCredentialsProvider,
  computeScopeUnion,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  fetchToken,
  type OAuthServerInfo,
  PrivateKeyJwtProvider,
  selectResourceURL,
} from '@modelcontextprotocol/client'
import { requireTimeLimit } from '../call/timers.js'
import { isFields } from '../schema/json-values.js'
import { AuthRequestError, authFetch, Secrets } from './auth-requests.js'
import { isText, requireOption } from './caller-options.js'
import { unlessAborted } from './connection.js'
import type { Fetch } from './http-transport.js'
import { McpCallError } from './mcp-call-error.js'

/** Authentication of HTTP callers, created by `oauth` or `clientCredentials`. */
export interface HttpAuth {
  /** Returns the authentication for the MCP server at a URL. Callers of MCP servers use this method. */
  forServer(url: URL): ServerAuth
}

/** Authentication of the requests to one MCP server. */
export interface ServerAuth {
  /** Wraps a function that sends requests to the server. The returned function adds a token to each request, and renews the token if needed. */
  authorize(send: Fetch): Fetch
  /**
   * Logs the user in after a failed request. After the login, the `McpCaller` repeats the request. Returns `undefined` if a login is impossible or
   * cannot solve the error.
   *
   * @param error error of the failed request
   * @param signals signals that end the wait for the login when they are aborted
   */
  logIn?(error: unknown, signals: readonly AbortSignal[]): Promise<void> | undefined
  /** Replaces tokens in a text from the server by `[secret]`. */
  hide(text: string): string
}

export const AUTH_MS = 30_000

/** 401: the request had no valid token. 403: the token lacks a scope (permission). */
export interface Refusal {
  readonly status: 401 | 403
  readonly token: string | undefined
  readonly scope: string | undefined
  readonly resourceMetadataUrl: URL | undefined
}

export abstract class TokenAuth implements ServerAuth {
  protected readonly server: URL
  protected readonly secrets: Secrets = new Secrets()
  /** The SDK's error about an invalid response does not contain the URL of the response. */
  #lastDocument: URL | undefined
  protected readonly send: Fetch

  constructor(server: URL, { fetch: send = fetch, timeoutMs = AUTH_MS }: AuthRequestOptions) {
    this.server = server
    const request = authFetch({ send: (url, init) => send(url, init), server, timeoutMs, secrets: this.secrets })
    this.send = async (url, init) => {
      const response = await request(url, init)
      if (response.ok) this.#lastDocument = new URL(url)
      return response
    }
  }

  protected abstract current(): Promise<string | undefined>
  /** Rejects if the renewal needs the user. */
  protected abstract renew(refusal: Refusal): Promise<string>
  /** Creates the error for a request that the server rejected a second time, after the token was renewed. */
  protected abstract refused(refusal: Refusal): Promise<McpCallError>
  protected accepted(_token: string | undefined): void {}

  authorize(send: Fetch): Fetch {
    const attempt = async (url: string | URL, init: RequestInit | undefined, token: string | undefined) => {
      this.secrets.add(token)
      const headers = new Headers(init?.headers)
      if (token !== undefined) this.#authenticate(headers, token)
      const response = await send(url, { ...init, headers })
      const refusal = refusalOf(response, token)
      if (refusal === undefined) this.accepted(token)
      else await response.body?.cancel()
      return { response, refusal }
    }
    return async (url, init) => {
      const { response, refusal } = await attempt(url, init, await this.#read())
      if (refusal === undefined) return response
      const { signal } = init ?? {}
      const renewed = this.renew(refusal).catch((error: unknown) => {
        throw this.failure(`the token for ${this.server.href} cannot be renewed`, error)
      })
      const token = await unlessAborted(renewed, signal ? [signal] : [])
      const second = await attempt(url, init, token)
      if (second.refusal !== undefined) throw await this.refused(second.refusal)
      return second.response
    }
  }

  async #read(): Promise<string | undefined> {
    try {
      return await this.current()
    } catch (error) {
      throw this.failure(`the token for ${this.server.href} cannot be read from its store`, error)
    }
  }

  #authenticate(headers: Headers, token: string): void {
    try {
      headers.set('authorization', `Bearer ${token}`)
    } catch {
      const message = `the token for ${this.server.href} has characters that a header cannot contain. Log in again`
      throw new McpCallError('unauthorized', message)
    }
  }

  hide(text: string): string {
    return this.secrets.hide(text)
  }

  protected discover({ resourceMetadataUrl }: Pick<Refusal, 'resourceMetadataUrl'>): Promise<OAuthServerInfo> {
    const found = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }
    return discoverOAuthServerInfo(this.server, { ...found, fetchFn: this.send })
  }

  /** The message of the SDK's error is unsuitable for users, because the message is a list of issues as JSON. */
  #invalidDocument(error: unknown): string | undefined {
    const isInvalid = isFields(error) && Array.isArray(error.issues) && /ZodError$/.test(String(error.name))
    if (!isInvalid || this.#lastDocument === undefined) return undefined
    const { origin, pathname } = this.#lastDocument
    return `the response of ${origin}${pathname} is invalid: ${firstIssue(error.issues as readonly unknown[])}. Report it to the operator of the server`
  }

  protected failure(what: string, error: unknown): McpCallError {
    if (error instanceof McpCallError) return error
    const cause = error instanceof AuthRequestError ? error.failure : error
    const reason = this.hide(this.#invalidDocument(cause) ?? (cause instanceof Error ? cause.message : String(cause)))
    const message = `${what}: ${reason.replace(/\s+/g, ' ').slice(0, MAX_REASON)}`
    // Other errors can contain responses with secrets.
    const details = cause instanceof McpCallError ? { cause } : {}
    return new McpCallError(cause instanceof McpCallError ? cause.code : 'unauthorized', message, details)
  }
}

const MAX_REASON = 500

function firstIssue(issues: readonly unknown[]): string {
  const [issue] = issues
  const { path, code, expected, message, errors }: Readonly<Record<string, unknown>> = isFields(issue) ? issue : {}
  // The issues of a union: one array for each variant.
  const variant: unknown = Array.isArray(errors) ? errors.at(-1) : undefined
  if (Array.isArray(variant) && variant.length > 0) return firstIssue(variant)
  const field = Array.isArray(path) && path.length > 0 ? `the field '${path.join('.')}'` : 'the document'
  if (code === 'invalid_type') return `${field} must be of the type ${String(expected)}`
  return `${field} is invalid (${String(message)})`
}

function refusalOf(response: Response, token: string | undefined): Refusal | undefined {
  const { status } = response
  if (status !== 401 && status !== 403) return undefined
  const { error, scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response)
  if (status === 403 && error !== 'insufficient_scope') return undefined
  return { status, token, scope, resourceMetadataUrl }
}

export interface AuthRequestOptions {
  /**
   * Maximum time of one request to an authorization server, in milliseconds. `Infinity` means no limit. Default:
   * 30,000.
   */
  readonly timeoutMs?: number
  /** Function that sends requests to authorization servers. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** Options for `clientCredentials`: the client, its secret or its private key, and limits of requests. */
export type ClientCredentialsOptions = ServiceClient & (ClientSecret | ClientKey)

interface ServiceClient extends AuthRequestOptions {
  readonly clientId: string
  /**
   * URL of the authorization server that registered the client, exactly as in its metadata. The client sends its secret or its signed assertion
   * only to this server.
   */
  readonly issuer: string
  /**
   * Scopes (permissions) that the client requests, in addition to the scopes that the MCP server requires. Default:
   * only the scopes of the MCP server.
   */
  readonly scopes?: readonly string[]
}

interface ClientSecret {
  readonly clientSecret: string
}

/**
 * Key for the authentication method `private_key_jwt`: the client sends an assertion that is signed with the key and valid for 5 minutes. The client
 * does not send its key.
 */
interface ClientKey {
  /** Private key of the client: a PEM text in the format PKCS#8, or a JWK. Register the public key at the authorization server. */
  readonly privateKey: string | Readonly<Record<string, unknown>>
  /** Algorithm of the signature, such as `ES256` or `RS256`. */
  readonly algorithm: string
}

/**
 * Authenticates a service, without a user, with the OAuth grant `client_credentials`. The client stores tokens in
 * memory and renews a token when the server rejects the token. A failed request throws an `McpCallError`. The code is
 * `unauthorized` if the authorization server rejects the client.
 *
 * @throws {TypeError} if an option is missing or has a wrong type.
 * @throws {RangeError} if `timeoutMs` is invalid.
 *
 * @example
 * const auth = clientCredentials({ clientId: 'reports', clientSecret, issuer: 'https://login.example.com' })
 * const caller = httpCaller({ url: 'https://tools.example.com/mcp', auth })
 *
 * @example
 * const key = await readFile('reports.pem', 'utf8')
 * const auth = clientCredentials({ clientId: 'reports', privateKey: key, algorithm: 'ES256', issuer: 'https://login.example.com' })
 */
export function clientCredentials(options: ClientCredentialsOptions): HttpAuth {
  const { clientId, issuer, timeoutMs } = options
  requireTimeLimit('timeoutMs', timeoutMs)
  requireOption('clientId', clientId, isText(clientId), 'a string')
  requireOption('issuer', issuer, isText(issuer) && URL.canParse(issuer), 'the URL of the authorization server')
  if ('privateKey' in options) {
    const { privateKey, algorithm } = options
    const isPem = isText(privateKey) && privateKey.includes('-----BEGIN PRIVATE KEY-----')
    requireOption('privateKey', privateKey, isPem || isFields(privateKey), 'PEM text in the format PKCS#8, or a JWK')
    requireOption('algorithm', algorithm, isText(algorithm), "the algorithm of the signature, such as 'ES256'")
  } else requireOption('clientSecret', options.clientSecret, isText(options.clientSecret), 'a string')
  return { forServer: (url) => new ClientAuth(url, options) }
}

class ClientAuth extends TokenAuth {
  readonly #options: ClientCredentialsOptions
  readonly #provider: ClientCredentialsProvider | PrivateKeyJwtProvider
  #scope: string | undefined
  readonly #renewing = new SharedWork<string>()

  constructor(server: URL, options: ClientCredentialsOptions) {
    super(server, options)
    const { clientId, issuer, scopes } = options
    this.#options = options
    this.#scope = scopes?.join(' ')
    const client = { clientId, expectedIssuer: issuer }
    if ('privateKey' in options) {
      const { privateKey, algorithm } = options
      const key = isText(privateKey) ? privateKey : { ...privateKey }
      this.#provider = new PrivateKeyJwtProvider({ ...client, privateKey: key, algorithm })
    } else {
      const { clientSecret } = options
      this.#provider = new ClientCredentialsProvider({ ...client, clientSecret })
      this.secrets.add(clientSecret)
    }
  }

  protected async current(): Promise<string | undefined> {
    return this.#provider.tokens()?.access_token
  }

  protected renew(refusal: Refusal): Promise<string> {
    const token = this.#provider.tokens()?.access_token
    // Another request has renewed the token in the meantime.
    if (token !== undefined && token !== refusal.token) return Promise.resolve(token)
    return this.#renewing.run(() => this.#request(refusal), [])
  }

  protected async refused({ status, scope }: Refusal): Promise<McpCallError> {
    const { clientId, issuer } = this.#options
    const wanted = scope === undefined ? '' : ` It requires the scopes: ${scope}.`
    const message = `${this.server.href} rejects the token that ${issuer} has issued to the client '${clientId}'.${wanted}`
    return new McpCallError('unauthorized', message, { status })
  }

  async #request(refusal: Refusal): Promise<string> {
    try {
      const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = await this.discover(refusal)
      const resource = await selectResourceURL(this.server, this.#provider, resourceMetadata)
      this.#scope = computeScopeUnion(this.#scope, refusal.scope)
      const tokens = await fetchToken(this.#provider, authorizationServerUrl, {
        ...(authorizationServerMetadata !== undefined && { metadata: authorizationServerMetadata }),
        ...(resource !== undefined && { resource }),
        ...(this.#scope !== undefined && { scope: this.#scope }),
        fetchFn: this.send,
      })
      this.#provider.saveTokens(tokens)
      return tokens.access_token
    } catch (error) {
      throw this.failure(`no token for ${this.server.href}`, error)
    }
  }
}

export class SharedWork<Result> {
  #running: { readonly result: Promise<Result>; readonly controller: AbortController; waiting: number } | undefined

  async run(work: (signal: AbortSignal) => Promise<Result>, signals: readonly AbortSignal[]): Promise<Result> {
    let running = this.#running
    if (running === undefined) {
      const controller = new AbortController()
      running = { result: work(controller.signal), controller, waiting: 0 }
      this.#running = running
      const started = running
      const end = (): void => {
        if (this.#running === started) this.#running = undefined
      }
      running.result.then(end, end)
    }
    running.waiting += 1
    try {
      return await unlessAborted(running.result, signals)
    } finally {
      running.waiting -= 1
      if (running.waiting === 0) {
        // Later calls must not wait for work that is aborted.
        if (this.#running === running) this.#running = undefined
        running.controller.abort(new McpCallError('unauthorized', 'no call waits for the token any more'))
      }
    }
  }
}
