import { discoverAuthorizationServerMetadata } from '@modelcontextprotocol/client'
import {
  type AuthInfo,
  bearerAuthChallengeResponse,
  buildOAuthProtectedResourceMetadata,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  oauthMetadataResponse,
  verifyBearerToken,
} from '@modelcontextprotocol/server'
import { ignoreErrors } from '../call/telemetry.js'
import { requireTimeLimit } from '../call/timers.js'
import { isFields } from '../schema/json-values.js'
import { authFetch, isOfThisMachine, Secrets } from './auth-requests.js'
import { AUTH_MS } from './token-auth.js'

/** Claims of an access token. */
export interface TokenClaims {
  /** Subject: the id that the authorization server has assigned to the user or client. */
  readonly sub: string
  /** Issuer: the URL of the authorization server. */
  readonly iss?: string
  /** Audience: the servers that accept the token. */
  readonly aud?: string | readonly string[]
  /** Time at which the token expires, in seconds since the Unix epoch. */
  readonly exp?: number
  /** Time at which the token becomes valid, in seconds since the Unix epoch. */
  readonly nbf?: number
  /** Scopes (permissions of the token), separated by spaces. */
  readonly scope?: string
  readonly [claim: string]: unknown
}

/** Options for `bearerAuth`. */
export interface BearerAuthOptions<Claims extends TokenClaims = TokenClaims> {
  /** URL of the authorization server, exactly as in its metadata. The MCP server publishes this URL to clients. */
  readonly issuer: string
  /**
   * URL under which clients reach the MCP server. The MCP server publishes this URL to clients. Default: the URL on which `serveMcp` listens.
   * Required if other machines can reach this URL.
   */
  readonly resource?: string
  /** Value that the claim `aud` of a token must contain. Default: `resource`. */
  readonly audience?: string
  /** Scopes (permissions) that every token must have. Default: no scopes. */
  readonly requiredScopes?: readonly string[]
  /**
   * URL of the public keys of the authorization server. Default: `jwks_uri` in the metadata of the authorization
   * server.
   */
  readonly jwksUrl?: string
  /**
   * Verifies tokens that are not JWTs, for example by introspection. Returns the claims, or `undefined` for an invalid
   * token. `bearerAuth` validates the returned claims: `aud` (required), `exp`, `nbf`, `iss` and the scopes. If the
   * function throws an error, the client receives status 503. Default: the package `jose` verifies the tokens as JWTs.
   */
  readonly verify?: (token: string) => Promise<Claims | undefined> | Claims | undefined
  /**
   * Maximum difference between the clocks of the authorization server and the MCP server, in seconds, for the validation of `exp` and `nbf`. Default:
   * 30.
   */
  readonly clockToleranceSeconds?: number
  /**
   * Maximum time of a request to the authorization server, in milliseconds. `Infinity` means no limit. Default: 30,000.
   */
  readonly timeoutMs?: number
  /** Function that requests the metadata and keys of the authorization server. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /**
   * Receives errors that prevent the validation of tokens, for example if the keys cannot be loaded. The client receives status 503, with or
   * without this function. Default: the errors are not reported.
   */
  readonly onError?: (error: unknown) => void
}

/** Authenticates the clients of an MCP server. Created by `bearerAuth`. `Claims` is the type of a token's claims. */
export interface BearerAuth<Claims = TokenClaims> {
  /**
   * Prepares the validation of tokens. Loads the public keys of the authorization server if the option `verify` is not
   * set. Resolves with a function that receives the URL of the service and creates a `TokenCheck`. `serveMcp` calls
   * this method.
   */
  open(): Promise<(service: URL) => TokenCheck<Claims>>
}

/** Validates the tokens of requests to one service. */
export interface TokenCheck<Claims = TokenClaims> {
  /** Returns the response to a request for the protected resource metadata, or `undefined` for any other request. */
  metadata(request: Request): Response | undefined
  /** Returns the valid token of a request. If the request has no valid token, returns the error response. */
  check(request: Request): Promise<CheckedToken<Claims> | Response>
}

/** Valid token of a request. */
export interface CheckedToken<Claims = TokenClaims> extends AuthInfo {
  /** Claims of the token. */
  extra: { readonly claims: Claims }
}

/**
 * Authenticates HTTP clients of an MCP server by OAuth access tokens. Each request needs a token that the authorization server `issuer` has issued
 * for this server. Requests without such a token receive status 401 or 403 with `WWW-Authenticate`. Clients find the authorization server in the
 * protected resource metadata of the service. The claims of the token are passed to the option `context` of `serveMcp`. Only the user or client
 * (claim `sub`) that opened a session can use the session.
 *
 * JWTs must be signed with an asymmetric algorithm and have the claims `iss`, `aud`, `exp` and `sub`. Public keys are cached for 10 minutes. An
 * unknown key id causes a new request for the keys, at most every 30 seconds.
 *
 * @throws {TypeError} if a URL is invalid, or if `issuer` is a URL without https on another machine.
 * @throws {RangeError} if `clockToleranceSeconds` or `timeoutMs` is invalid.
 *
 * @example
 * await serveMcp(runtime, {
 *   toolsets: [orders],
 *   transport: { port: 8080, auth: bearerAuth({ issuer: 'https://login.example.com', requiredScopes: ['orders'] }) },
 *   context: ({ claims }) => ({ labels: { user: claims.sub } }),
 * })
 */
export function bearerAuth<Claims extends TokenClaims = TokenClaims>(
  options: BearerAuthOptions<Claims>,
): BearerAuth<Claims> {
  const { issuer, resource, jwksUrl, clockToleranceSeconds = 30, timeoutMs } = options
  for (const [option, url] of Object.entries({ issuer, resource, jwksUrl })) {
    if (url !== undefined && !URL.canParse(url)) throw new TypeError(`bearerAuth: ${option} is not a URL: '${url}'`)
  }
  const url = new URL(issuer)
  if (url.protocol !== 'https:' && !isOfThisMachine(url)) {
    throw new TypeError(`bearerAuth: issuer must be an https URL, but is '${issuer}'`)
  }
  if (!(clockToleranceSeconds >= 0)) {
    throw new RangeError(`bearerAuth: clockToleranceSeconds must be at least 0, but is ${clockToleranceSeconds}`)
  }
  requireTimeLimit('timeoutMs', timeoutMs)
  return {
    open: async () => {
      const verify = options.verify ?? (await jwtVerifier<Claims>(options, clockToleranceSeconds))
      return (service) => newCheck(options, verify, clockToleranceSeconds, service)
    },
  }
}

type Verify<Claims extends TokenClaims> = NonNullable<BearerAuthOptions<Claims>['verify']>

function newCheck<Claims extends TokenClaims>(
  options: BearerAuthOptions<Claims>,
  verify: Verify<Claims>,
  toleranceSeconds: number,
  service: URL,
): TokenCheck<Claims> {
  const { issuer, requiredScopes = [], onError } = options
  if (options.resource === undefined && !isOfThisMachine(service)) {
    throw new TypeError('bearerAuth: other machines can reach the service. Set `resource` to the URL that they use')
  }
  const resource = options.resource === undefined ? service : new URL(options.resource)
  // Authorization servers differ in the final slash of a URL without a path.
  const audiences =
    options.audience === undefined ? [resource.href, resource.href.replace(/\/$/, '')] : [options.audience]
  const metadata = {
    // Only the issuer is published, because this server does not forward requests for other metadata.
    oauthMetadata: {
      issuer,
      authorization_endpoint: issuer,
      token_endpoint: issuer,
      response_types_supported: ['code'],
    },
    resourceServerUrl: resource,
    ...(requiredScopes.length > 0 && { scopesSupported: [...requiredScopes] }),
  }
  buildOAuthProtectedResourceMetadata(metadata)
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resource)
  const path = new URL(resourceMetadataUrl).pathname
  const challenge = { requiredScopes: [...requiredScopes], resourceMetadataUrl }
  const verified = async (token: string): Promise<Claims> => {
    const claims = await verify(token)
    if (claims === undefined) throw invalidToken('The token is invalid')
    const now = Date.now() / 1_000
    if (!audiencesOf(claims).some((audience) => audiences.includes(String(audience)))) {
      throw invalidToken('The token was issued for another server')
    }
    if (claims.iss !== undefined && claims.iss !== issuer) throw invalidToken('The token has another issuer')
    if (claims.nbf !== undefined && claims.nbf > now + toleranceSeconds)
      throw invalidToken('The token is not valid yet')
    if (typeof claims.sub !== 'string' || claims.sub === '') throw invalidToken('The token has no subject')
    return claims
  }
  const verifyAccessToken = async (token: string): Promise<CheckedToken<Claims>> => {
    const claims = await verified(token)
    const expiresAt = (claims.exp ?? Number.POSITIVE_INFINITY) + toleranceSeconds
    const clientId = String(claims.client_id ?? claims.sub)
    return { token, clientId, scopes: scopesOf(claims), expiresAt, extra: { claims } }
  }
  return {
    metadata: (request) =>
      new URL(request.url).pathname === path ? oauthMetadataResponse(request, metadata) : undefined,
    check: async (request) => {
      try {
        const header = request.headers.get('authorization')
        const info = await verifyBearerToken(header, { verifier: { verifyAccessToken }, ...challenge })
        // The SDK returns the result of the verifier, but with a more general type.
        return info as CheckedToken<Claims>
      } catch (error) {
        if (error instanceof OAuthError) return bearerAuthChallengeResponse(error, challenge)
        ignoreErrors(() => onError?.(error))
        return unavailable()
      }
    },
  }
}

export function subjectOf(info: AuthInfo | undefined): string | undefined {
  const claims = info?.extra?.claims
  return isFields(claims) && typeof claims.sub === 'string' ? claims.sub : undefined
}

function invalidToken(message: string): OAuthError {
  return new OAuthError(OAuthErrorCode.InvalidToken, message)
}

function unavailable(): Response {
  return Response.json({ error: 'temporarily_unavailable' }, { status: 503, headers: { 'retry-after': '5' } })
}

function audiencesOf({ aud }: TokenClaims): readonly unknown[] {
  return Array.isArray(aud) ? aud : [aud]
}

/** Some authorization servers use the claim `scp`, a string or an array, instead of the claim `scope`. */
function scopesOf({ scope, scp }: TokenClaims): string[] {
  return [scope, scp].flatMap((value) => (Array.isArray(value) ? value.map(String) : String(value ?? '').split(' ')))
}

const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** Any other error code of `jose` means that `bearerAuth` could not load the keys of the authorization server. */
const TOKEN_ERRORS: readonly unknown[] = [
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
  'ERR_JWT_INVALID',
]

async function jwtVerifier<Claims extends TokenClaims>(
  { issuer, jwksUrl, timeoutMs = AUTH_MS, fetch: send = fetch }: BearerAuthOptions<Claims>,
  clockTolerance: number,
): Promise<Verify<Claims>> {
  const { createRemoteJWKSet, customFetch, jwtVerify } = await import('jose').catch((cause: unknown) => {
    const message = 'bearerAuth needs the package `jose` to verify JWTs: npm install jose. Or set the option `verify`'
    throw new TypeError(message, { cause })
  })
  const limited = authFetch({
    send: (url, init) => send(url, init),
    server: new URL(issuer),
    timeoutMs,
    secrets: new Secrets(),
  })
  type Keys = ReturnType<typeof createRemoteJWKSet>
  const find = async (): Promise<Keys> => {
    const address = jwksUrl ?? (await discoverAuthorizationServerMetadata(issuer, { fetchFn: limited }))?.jwks_uri
    if (typeof address !== 'string') throw new TypeError(`the authorization server ${issuer} publishes no jwks_uri`)
    // The function `limited` limits the time, so `jose` needs no limit of its own.
    return createRemoteJWKSet(new URL(address), { [customFetch]: limited, timeoutDuration: 2 ** 31 - 1 })
  }
  let finding: Promise<Keys> | undefined
  const keys = (): Promise<Keys> => {
    finding ??= find().catch((error: unknown) => {
      finding = undefined
      throw error
    })
    return finding
  }
  return async (token) => {
    const set = await keys()
    try {
      const requiredClaims = ['exp', 'sub']
      const options = { issuer, algorithms: ALGORITHMS, clockTolerance, requiredClaims }
      const { payload } = await jwtVerify<Claims>(token, set, options)
      return payload
    } catch (error) {
      // The messages of these errors contain no part of the token.
      if (error instanceof Error && 'code' in error && TOKEN_ERRORS.includes(error.code)) {
        throw invalidToken(`The token is invalid: ${error.message}`)
      }
      throw error
    }
  }
}
