import type { IncomingMessage, ServerResponse } from 'node:http'

/** Settings that a test can change while the server runs. */
export interface AuthorizationSettings {
  /** Audience of the tokens for a resource. Default: the resource. */
  audience(resource: string): string
  /** Scopes of all resources. Default: `read write`. */
  scopes: string
  /** Lifetime of the tokens in seconds. Default: 3,600. */
  tokenSeconds: number
  /** Answers a request instead of the server. Returns true if it does. */
  answer?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
}

export interface AuthorizationServer {
  readonly issuer: string
  readonly provider: any
  /** Method and path of every request. */
  readonly requests: string[]
  readonly settings: AuthorizationSettings
  close(): Promise<void>
}

export function startAuthorizationServer(
  options?: Partial<AuthorizationSettings> & {
    readonly clients?: readonly object[]
    /** Function that requests client ID metadata documents. Default: they are not supported. */
    readonly documents?: typeof fetch
  },
): Promise<AuthorizationServer>
