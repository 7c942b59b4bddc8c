import { randomBytes } from 'node:crypto'
import {
  auth,
  computeScopeUnion,
  fetchToken,
  isStrictScopeSuperset,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  validateAuthorizationResponseIssuer,
} from '@modelcontextprotocol/client'
import { requireTimeLimit } from '../call/timers.js'
import { isFields } from '../schema/json-values.js'
import type { JsonObject } from '../types/json.js'
import { requireTls } from './auth-requests.js'
import { unlessAborted } from './connection.js'
import { McpCallError } from './mcp-call-error.js'
import {
  type AuthRequestOptions,
  type HttpAuth,
  type Refusal,
  type ServerAuth,
  SharedWork,
  TokenAuth,
} from './token-auth.js'
import { memoryTokenStore, type TokenStore } from './token-store.js'

/** Sends users to the login page of an authorization server. `loopbackLogin` creates such an object. */
export interface Login {
  /** Prepares the login of one user, for example starts a server that receives the redirect. */
  start(): Promise<LoginAttempt>
}

/** Login of one user. Ends after success or failure. */
export interface LoginAttempt {
  /** URL to which the authorization server redirects the user after the login. */
  readonly redirectUrl: string
  /**
   * Opens the login page for the user. Resolves with the URL to which the authorization server redirected the user, including the query. Rejects if
   * the user does not finish the login, or if the signal is aborted.
   */
  authorize(url: URL, signal: AbortSignal): Promise<URL>
  /** Releases the resources of the login. Called once after success or error. */
  close(): Promise<void>
}

/**
 * Client that is registered at an authorization server. The secret is sent only to the authorization server `issuer`.
 */
export type RegisteredClient =
  | { readonly id: string; readonly issuer?: string; readonly secret?: undefined }
  | { readonly id: string; readonly issuer: string; readonly secret: string }

/** Options for `oauth`. */
export interface OAuthOptions extends AuthRequestOptions {
  /** Store for tokens and client registrations. Default: `memoryTokenStore()`. */
  readonly store?: TokenStore
  /** Object that lets the user log in. Default: no login; a call that needs a login fails with an `McpCallError` with the code `unauthorized`. */
  readonly login?: Login
  /** URL of the page in your web application that calls `finishLogin`. Required for `startLogin`. Default: no URL. */
  readonly redirectUrl?: string
  /**
   * Scopes (permissions) that the client requests, in addition to the scopes that the server requires. Default: only
   * the scopes that the server requires.
   */
  readonly scopes?: readonly string[]
  /**
   * Registered client. Default: the client described at `clientMetadataUrl`, or a new registration at each
   * authorization server.
   */
  readonly client?: RegisteredClient
  /**
   * URL of a client ID metadata document, for authorization servers that accept such a URL as client id. Default: no
   * URL.
   */
  readonly clientMetadataUrl?: string
  /** Name of the client in a new registration. The login page shows this name to users. Default: `toolgen`. */
  readonly clientName?: string
}

/**
 * Authenticates HTTP callers with OAuth. The authentication finds the authorization server of the MCP server, registers a client if needed, logs the
 * user in, and refreshes tokens. If a call needs additional scopes (permissions), the authentication requests these scopes. The time limits of a call
 * do not include the wait for a login. Simultaneous calls share one login and one refresh. The authorization server must support TLS, and PKCE with
 * S256.
 *
 * If the login fails or the option `login` is missing, a call that needs a login throws an `McpCallError` with the code `unauthorized`.
 *
 * @throws {TypeError} if a URL is invalid.
 * @throws {RangeError} if `timeoutMs` is invalid.
 *
 * @example
 * const auth = oauth({ store: fileTokenStore(), login: loopbackLogin(), scopes: ['read'] })
 * const caller = httpCaller({ url: 'https://tools.example.com/mcp', auth })
 */
export function oauth(options: OAuthOptions = {}): OAuth {
  return new OAuth(options)
}

/** OAuth authentication for the callers of one user, returned by `oauth`. */
export class OAuth implements HttpAuth {
  readonly #options: OAuthOptions
  readonly #store: TokenStore
  readonly #servers = new Map<string, UserAuth>()
  /** Logins that a call of `finishLogin` is removing from the store. A second call with the same key fails. */
  readonly #finishing = new Set<string>()

  constructor(options: OAuthOptions) {
    const { timeoutMs, clientMetadataUrl, redirectUrl, store = memoryTokenStore() } = options
    requireTimeLimit('timeoutMs', timeoutMs)
    if (clientMetadataUrl !== undefined && !/^https:\/\/[^/]+\/./.test(clientMetadataUrl)) {
      throw new TypeError(`clientMetadataUrl must be an https URL with a path, but is '${clientMetadataUrl}'`)
    }
    if (redirectUrl !== undefined && !URL.canParse(redirectUrl)) {
      throw new TypeError(`redirectUrl must be a URL, but is '${redirectUrl}'`)
    }
    this.#options = options
    this.#store = store
  }

  /** Returns the authentication for the MCP server at a URL. Callers of MCP servers use this method. */
  forServer(url: URL): ServerAuth {
    return this.#authFor(url)
  }

  /**
   * Starts a login in a web application. Returns the URL of the login page. Redirect the user to this URL. After the login, the authorization
   * server redirects the user to the option `redirectUrl`.
   *
   * @param server URL of the MCP server
   * @throws {McpCallError} `unauthorized` if the server does not support logins; another code if a server does not respond.
   *
   * @example
   * app.get('/connect', async (c) => c.redirect(String(await authOf(user(c)).startLogin('https://tools.example.com/mcp'))))
   */
  async startLogin(server: string | URL): Promise<URL> {
    const { redirectUrl } = this.#options
    if (redirectUrl === undefined) throw new TypeError('startLogin needs the option `redirectUrl` of `oauth`')
    const pending = await this.#authFor(server).begin(redirectUrl)
    await this.#store.set(keyOf(pending.state), asJson(pending))
    return new URL(pending.url)
  }

  /**
   * Finishes a login that `startLogin` started. Another process with the same store can also finish the login. Each login can be finished only
   * once.
   *
   * @param callbackUrl URL of the request that your page at `redirectUrl` received, with its query
   * @throws {McpCallError} `unauthorized` if the user declined the login, or if the URL does not belong to a login that this user has started.
   *
   * @example
   * app.get('/callback', async (c) => {
   *   await authOf(user(c)).finishLogin(c.req.url)
   *   return c.text('Connected.')
   * })
   */
  async finishLogin(callbackUrl: string | URL): Promise<void> {
    const callback = new URL(callbackUrl)
    const key = keyOf(callback.searchParams.get('state') ?? '')
    const pending = this.#finishing.has(key) ? undefined : await this.#take(key)
    if (!isPending(pending)) {
      throw new McpCallError('unauthorized', 'the callback does not belong to a started login. Start the login again')
    }
    await this.#authFor(pending.server).complete(pending, callback)
  }

  /** If several calls request the same key, only one call receives the value. */
  async #take(key: string): Promise<unknown> {
    const work = async (): Promise<unknown> => {
      const value = await this.#store.get(key)
      await this.#store.delete(key)
      return value
    }
    this.#finishing.add(key)
    try {
      return await (this.#store.lock?.(key, work) ?? work())
    } finally {
      this.#finishing.delete(key)
    }
  }

  /** Removes the tokens and the client registration for an MCP server from the store. Does not revoke the tokens. */
  async logout(server: string | URL): Promise<void> {
    await this.#authFor(server).forget()
  }

  #authFor(url: string | URL): UserAuth {
    const server = new URL(url)
    server.hash = ''
    const known = this.#servers.get(server.href) ?? new UserAuth(server, this.#options, this.#store)
    this.#servers.set(server.href, known)
    return known
  }
}

interface Registration {
  readonly redirectUrl: string
  readonly client: StoredOAuthClientInformation
  readonly discovery: OAuthDiscoveryState
  readonly resource?: string
}

interface StoredLogin extends Registration {
  readonly tokens?: StoredOAuthTokens
}

interface PendingLogin extends Registration {
  readonly server: string
  readonly state: string
  readonly codeVerifier: string
  readonly scope?: string
  readonly url: string
}

function keyOf(state: string): string {
  return `login ${state}`
}

function asJson(value: StoredLogin | PendingLogin): JsonObject {
  return JSON.parse(JSON.stringify(value))
}

function isStored(value: unknown): value is StoredLogin {
  return isFields(value) && isFields(value.client) && isFields(value.discovery) && typeof value.redirectUrl === 'string'
}

function isPending(value: unknown): value is PendingLogin {
  return isStored(value) && 'codeVerifier' in value && 'state' in value && 'server' in value
}

interface FreshToken {
  readonly token: string
  readonly isOfLogin: boolean
  readonly scope: string | undefined
}

class UserAuth extends TokenAuth {
  readonly #options: OAuthOptions
  readonly #store: TokenStore
  readonly #refusals = new WeakMap<McpCallError, Refusal>()
  readonly #login = new SharedWork<void>()
  readonly #refresh = new SharedWork<string>()
  #stored: StoredLogin | undefined
  #fresh: FreshToken | undefined
  #lastRefusal: Refusal | undefined

  constructor(server: URL, options: OAuthOptions, store: TokenStore) {
    super(server, options)
    this.#options = options
    this.#store = store
    this.secrets.add(options.client?.secret)
  }

  logIn(error: unknown, signals: readonly AbortSignal[]): Promise<void> | undefined {
    const { login } = this.#options
    const refusal = error instanceof McpCallError ? this.#refusals.get(error) : undefined
    if (login === undefined || refusal === undefined) return undefined
    return this.#login.run((signal) => this.#logIn(login, refusal, signal), signals)
  }

  async begin(redirectUrl: string, refusal: Refusal | undefined = this.#lastRefusal): Promise<PendingLogin> {
    const { scopes, client, clientMetadataUrl, clientName = 'toolgen' } = this.#options
    try {
      const earlier = await this.#read()
      const resourceMetadataUrl = refusal?.resourceMetadataUrl
      const discovery = {
        ...(await this.discover({ resourceMetadataUrl })),
        ...(resourceMetadataUrl !== undefined && { resourceMetadataUrl: resourceMetadataUrl.href }),
      }
      requirePkce(discovery)
      const isStepUp = refusal?.status === 403
      const wanted = computeScopeUnion(isStepUp ? earlier?.tokens?.scope : undefined, scopes?.join(' '), refusal?.scope)
      const provider = new LoginProvider({
        redirectUrl,
        discovery,
        clientName,
        state: randomBytes(32).toString('base64url'),
        ...(client !== undefined && { client }),
        ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
        ...(earlier !== undefined && isRegisteredFor(earlier, redirectUrl, wanted) && { registered: earlier.client }),
      })
      await auth(provider, {
        serverUrl: this.server,
        fetchFn: this.send,
        ...(wanted !== undefined && { scope: wanted }),
      })
      return provider.pending(this.server)
    } catch (error) {
      throw this.failure(`the login for ${this.server.href} failed`, error)
    }
  }

  async complete(pending: PendingLogin, { searchParams }: URL): Promise<void> {
    const { discovery, client, redirectUrl, resource, scope } = pending
    const { authorizationServerUrl, authorizationServerMetadata: metadata } = discovery
    try {
      if (searchParams.get('state') !== pending.state) throw new Error('the callback belongs to another login')
      const iss = searchParams.get('iss') ?? undefined
      validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: metadata?.issuer,
        issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
      })
      const code = searchParams.get('code')
      if (code === null) throw new Error(deniedBy(searchParams))
      this.secrets.add(code)
      const { clientName = 'toolgen' } = this.#options
      const { state, codeVerifier } = pending
      const provider = new LoginProvider({
        redirectUrl,
        discovery,
        clientName,
        state,
        registered: client,
        codeVerifier,
      })
      const tokens = await fetchToken(provider, authorizationServerUrl, {
        ...(metadata !== undefined && { metadata }),
        ...(resource !== undefined && { resource }),
        ...(iss !== undefined && { iss }),
        authorizationCode: code,
        fetchFn: this.send,
      })
      // A response without scopes grants the requested scopes.
      const granted = { ...tokens, ...(tokens.scope === undefined && scope !== undefined && { scope }) }
      const registration = { redirectUrl, client, discovery, ...(resource !== undefined && { resource }) }
      await this.#save(registration, granted, scope ?? granted.scope)
    } catch (error) {
      throw this.failure(`the login for ${this.server.href} failed`, error)
    }
  }

  async forget(): Promise<void> {
    this.#stored = undefined
    this.#fresh = undefined
    await this.#store.delete(this.server.href)
  }

  protected async current(): Promise<string | undefined> {
    return (this.#stored ?? (await this.#read()))?.tokens?.access_token
  }

  protected override accepted(token: string | undefined): void {
    if (this.#fresh?.token === token) this.#fresh = undefined
  }

  protected async renew(refusal: Refusal): Promise<string> {
    // A refresh does not add scopes.
    if (refusal.status === 403) throw await this.refused(refusal)
    const work = (): Promise<string> => this.#refreshed(refusal)
    return this.#refresh.run(() => this.#store.lock?.(this.server.href, work) ?? work(), [])
  }

  protected async refused(refusal: Refusal): Promise<McpCallError> {
    const { status, token, scope } = refusal
    const fresh = this.#fresh?.token === token ? this.#fresh : undefined
    if (fresh?.isOfLogin === true && !(status === 403 && isStrictScopeSuperset(scope, fresh.scope))) {
      const issuer = this.#stored?.discovery.authorizationServerUrl
      if (status === 401) await this.#forgetTokens()
      const reason = status === 401 ? '' : ` The server requires the scopes: ${scope}.`
      const message = `${this.server.href} rejects the token that ${issuer} has just issued.${reason}`
      return new McpCallError('unauthorized', message, { status })
    }
    const needed = status === 403 && scope !== undefined ? `further scopes (${scope}), so a new login` : 'a login'
    const next =
      this.#options.login === undefined
        ? 'Pass `login` to `oauth`, for example `loopbackLogin()`, or log in with `startLogin` and `finishLogin`.'
        : 'Another login does not help. Ask the operator of the server which scopes the call requires.'
    const message = `${this.server.href} requires ${needed}. ${next}`
    const error = new McpCallError('unauthorized', message, { status })
    this.#refusals.set(error, refusal)
    this.#lastRefusal = refusal
    return error
  }

  async #logIn(login: Login, refusal: Refusal, signal: AbortSignal): Promise<void> {
    const token = (await this.#read())?.tokens?.access_token
    // Another call or process has logged in meanwhile.
    if (token !== undefined && token !== refusal.token) return
    const attempt = await login.start()
    try {
      const pending = await this.begin(attempt.redirectUrl, refusal)
      const callback = await unlessAborted(attempt.authorize(new URL(pending.url), signal), [signal])
      await this.complete(pending, callback)
    } catch (error) {
      signal.throwIfAborted()
      throw this.failure(`the login for ${this.server.href} failed`, error)
    } finally {
      await attempt.close()
    }
  }

  async #refreshed(refusal: Refusal): Promise<string> {
    const stored = await this.#read()
    const { tokens } = stored ?? {}
    // Another process has refreshed the token.
    if (tokens !== undefined && tokens.access_token !== refusal.token) return tokens.access_token
    const isFresh = this.#fresh !== undefined && this.#fresh.token === refusal.token
    if (stored === undefined || tokens?.refresh_token === undefined || isFresh) throw await this.refused(refusal)
    const { discovery, client, resource } = stored
    const { authorizationServerUrl, authorizationServerMetadata: metadata } = discovery
    try {
      const refreshed = await refreshAuthorization(authorizationServerUrl, {
        ...(metadata !== undefined && { metadata }),
        ...(resource !== undefined && { resource }),
        clientInformation: client,
        refreshToken: tokens.refresh_token,
        fetchFn: this.send,
      })
      const { scope = tokens.scope } = refreshed
      await this.#save(stored, { ...refreshed, ...(scope !== undefined && { scope }) })
      return refreshed.access_token
    } catch (error) {
      const code = error instanceof OAuthError ? error.code : undefined
      if (code === OAuthErrorCode.InvalidClient || code === OAuthErrorCode.UnauthorizedClient) await this.forget()
      else if (code === OAuthErrorCode.InvalidGrant) await this.#forgetTokens()
      else throw this.failure(`the token for ${this.server.href} cannot be refreshed`, error)
      throw await this.refused(refusal)
    }
  }

  async #read(): Promise<StoredLogin | undefined> {
    const value = await this.#store.get(this.server.href)
    if (value !== undefined && !isStored(value)) {
      const message = `the stored login for ${this.server.href} is invalid. Remove it with \`logout\` and log in again`
      throw new McpCallError('unauthorized', message)
    }
    for (const secrets of [value?.tokens, value?.client]) this.secrets.addAllOf({ ...secrets })
    this.#stored = value
    return value
  }

  /** A login passes `loginScope`, even if the value is `undefined`. A refresh omits the argument. */
  async #save(registration: Registration, tokens: OAuthTokens, ...loginScope: [string?]): Promise<void> {
    const { client, discovery, redirectUrl, resource } = registration
    const issuer = discovery.authorizationServerMetadata?.issuer ?? discovery.authorizationServerUrl
    const shared = { client, discovery, redirectUrl, ...(resource !== undefined && { resource }) }
    const stored: StoredLogin = { ...shared, tokens: { ...tokens, issuer } }
    this.#fresh = { token: tokens.access_token, isOfLogin: loginScope.length > 0, scope: loginScope[0] }
    await this.#store.set(this.server.href, asJson(stored))
    this.#stored = stored
  }

  async #forgetTokens(): Promise<void> {
    const { tokens: _, ...registration } = this.#stored ?? {}
    if (!isStored(registration)) return
    this.#stored = registration
    await this.#store.set(this.server.href, asJson(registration))
  }
}

/** Authorization servers may reject a redirect URL or scope that the client has not registered. */
function isRegisteredFor(earlier: Registration, redirectUrl: string, scope: string | undefined): boolean {
  const registered: unknown = Reflect.get(earlier.client, 'scope')
  const hasScopes = typeof registered !== 'string' || !isStrictScopeSuperset(scope, registered)
  return earlier.redirectUrl === redirectUrl && hasScopes
}

function deniedBy(callback: URLSearchParams): string {
  const error = callback.get('error')
  const description = callback.get('error_description')
  if (error === null) return 'the callback contains no code'
  return `the authorization server answered ${error}${description === null ? '' : ` (${description})`}`
}

/** The SDK does not check whether the authorization server supports PKCE. */
function requirePkce({
  authorizationServerMetadata: metadata,
  authorizationServerUrl: server,
  resourceMetadata,
}: OAuthDiscoveryState): void {
  if (metadata?.code_challenge_methods_supported?.includes('S256') === true) return
  if (metadata !== undefined) throw new Error(`the authorization server ${server} does not support PKCE with S256`)
  // With protocol 2025-03-26, an MCP server does not name its authorization server, and metadata are optional.
  if ((resourceMetadata?.authorization_servers ?? []).length > 0) {
    throw new Error(`the authorization server ${server} publishes no metadata`)
  }
}

interface LoginState {
  readonly redirectUrl: string
  readonly discovery: OAuthDiscoveryState
  readonly clientName: string
  readonly state: string
  readonly client?: RegisteredClient
  readonly clientMetadataUrl?: string
  readonly registered?: StoredOAuthClientInformation
  readonly codeVerifier?: string
}

class LoginProvider implements OAuthClientProvider {
  readonly #login: LoginState
  readonly clientMetadataUrl?: string
  /** Absent if the application configured a client, so that the SDK does not register another client. */
  readonly saveClientInformation?: (client: StoredOAuthClientInformation) => void
  #client: StoredOAuthClientInformation | undefined
  #verifier: string | undefined
  #resource: string | undefined
  #url: URL | undefined

  constructor(login: LoginState) {
    this.#login = login
    this.#client = login.registered
    this.#verifier = login.codeVerifier
    if (login.clientMetadataUrl !== undefined) this.clientMetadataUrl = login.clientMetadataUrl
    if (login.client === undefined) {
      this.saveClientInformation = (client) => {
        this.#client = client
      }
    }
  }

  get redirectUrl(): string {
    return this.#login.redirectUrl
  }

  get clientMetadata(): OAuthClientMetadata {
    const { redirectUrl, clientName, discovery } = this.#login
    const methods = discovery.authorizationServerMetadata?.token_endpoint_auth_methods_supported ?? ['none']
    const method = ['none', 'client_secret_basic', 'client_secret_post'].find((each) => methods.includes(each))
    return {
      client_name: clientName,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(method !== undefined && { token_endpoint_auth_method: method }),
    }
  }

  clientInformation(context?: { readonly issuer: string }): StoredOAuthClientInformation | undefined {
    const { client } = this.#login
    if (client === undefined) return this.#client
    const issuer = client.issuer ?? context?.issuer
    const secret = client.secret === undefined ? {} : { client_secret: client.secret }
    return { client_id: client.id, ...secret, ...(issuer !== undefined && { issuer }) }
  }

  discoveryState(): OAuthDiscoveryState {
    return this.#login.discovery
  }

  state(): string {
    return this.#login.state
  }

  /** Without tokens, the SDK starts a login and does not refresh earlier tokens. */
  tokens(): undefined {
    return undefined
  }

  saveTokens(): void {
    throw new TypeError('a login that has only started has no tokens')
  }

  saveResourceUrl(resource: string): void {
    this.#resource = resource
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier ?? ''
  }

  redirectToAuthorization(url: URL): void {
    this.#url = url
  }

  pending(server: URL): PendingLogin {
    const { discovery, redirectUrl, state } = this.#login
    const issuer = discovery.authorizationServerMetadata?.issuer ?? discovery.authorizationServerUrl
    const client = this.clientInformation({ issuer })
    const url = this.#url
    if (client === undefined || url === undefined) throw new TypeError('the SDK has not created the URL of the login')
    requireTls(url, server)
    const scope = url.searchParams.get('scope') ?? undefined
    return {
      ...{
        discovery,
        redirectUrl,
        state,
        client,
        url: url.href,
        server: server.href,
        codeVerifier: this.codeVerifier(),
      },
      ...(this.#resource !== undefined && { resource: this.#resource }),
      ...(scope !== undefined && { scope }),
    }
  }
}
