import { isHeaderText, noHeaderText } from './header-text.js'
import type { ApiCall, ApiCredential, PerCall } from './openapi-executor-options.js'
import type { ApiSecurity } from './toolset-api.js'

/** Where credentials go in a request. */
export interface PlacedCredentials {
  readonly query: readonly (readonly [string, string])[]
  readonly headers: readonly (readonly [string, string])[]
  readonly cookies: readonly (readonly [string, string])[]
}

const none: PlacedCredentials = { query: [], headers: [], cookies: [] }

/** What of an API is needed to place credentials. */
export interface CredentialScene {
  readonly schemes: Readonly<Record<string, ApiSecurity>>
  readonly auth: Readonly<Record<string, PerCall<ApiCredential>>>
}

/** The credentials of the first alternative of which all are given; none where there is no such alternative. */
export async function placedCredentials(
  alternatives: readonly (readonly string[])[],
  { schemes, auth }: CredentialScene,
  call: ApiCall,
): Promise<PlacedCredentials> {
  for (const names of alternatives) {
    const placed: PlacedCredentials[] = []
    for (const name of names) {
      const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined
      const credential = Object.hasOwn(auth, name) ? await perCall(auth[name], call) : undefined
      if (scheme === undefined || credential === undefined) break
      placed.push(placedBy(scheme, name, credential))
    }
    if (placed.length === names.length && names.length > 0) return joined(placed)
  }
  return none
}

/** A value for one call, made where it is to be made. */
export async function perCall<Value>(given: PerCall<Value>, call: ApiCall): Promise<Value> {
  return isMade(given) ? given(call) : given
}

function isMade<Value>(given: PerCall<Value>): given is (call: ApiCall) => Value | Promise<Value> {
  return typeof given === 'function'
}

function placedBy(scheme: ApiSecurity, name: string, credential: NonNullable<ApiCredential>): PlacedCredentials {
  if (scheme.type === 'basic') return header('authorization', `Basic ${basic(name, credential)}`)
  const text = textOf(name, credential)
  const isHeader = scheme.type === 'bearer' || scheme.in === 'header'
  if (isHeader && !isHeaderText(text)) throw new TypeError(`auth.${name} ${noHeaderText}`)
  if (scheme.type !== 'apiKey') return header('authorization', `Bearer ${text}`)
  const pair = [[scheme.name, text] as const]
  switch (scheme.in) {
    case 'query':
      return { ...none, query: pair }
    case 'header':
      return { ...none, headers: pair }
    case 'cookie':
      return { ...none, cookies: pair }
  }
}

function header(name: string, value: string): PlacedCredentials {
  return { ...none, headers: [[name, value]] }
}

/** A name and a password in the form of RFC 7617, in UTF-8. */
function basic(scheme: string, credential: NonNullable<ApiCredential>): string {
  if (typeof credential === 'string') throw wrongCredential(scheme, '{ username, password }')
  const bytes = new TextEncoder().encode(`${credential.username}:${credential.password}`)
  return btoa(String.fromCharCode(...bytes))
}

function textOf(scheme: string, credential: NonNullable<ApiCredential>): string {
  if (typeof credential !== 'string') throw wrongCredential(scheme, 'a text')
  return credential
}

function wrongCredential(scheme: string, expected: string): TypeError {
  return new TypeError(`auth.${scheme} must be ${expected}`)
}

function joined(all: readonly PlacedCredentials[]): PlacedCredentials {
  return {
    query: all.flatMap(({ query }) => query),
    headers: all.flatMap(({ headers }) => headers),
    cookies: all.flatMap(({ cookies }) => cookies),
  }
}
