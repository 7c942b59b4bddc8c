import type { ApiCall, ApiCredential, ApiSecurity, PerCall } from './openapi-api.js'
export interface PlacedCredential {
  readonly in: 'query' | 'header' | 'cookie'
  readonly name: string
  readonly value: string
}

/** An error of `Headers` quotes the value, which may be a secret. Check a value with this function before you pass the value to `Headers`. */
export function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(text)
}

export const NOT_HEADER_TEXT = 'is sent as a header and must not contain line breaks or characters beyond Latin-1'

export async function credentialsFor(
  alternatives: readonly (readonly string[])[],
  schemes: Readonly<Record<string, ApiSecurity>>,
  auth: Readonly<Record<string, PerCall<ApiCredential>>>,
  call: ApiCall,
): Promise<readonly PlacedCredential[]> {
  for (const names of alternatives) {
    const placed: PlacedCredential[] = []
    for (const name of names) {
      const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined
      const credential = Object.hasOwn(auth, name) ? await perCall(auth[name], call) : undefined
      if (scheme === undefined || credential === undefined) break
      placed.push(placedCredential(name, scheme, credential))
    }
    if (placed.length === names.length && names.length > 0) return placed
  }
  return []
}

export async function perCall<Value extends object | string | undefined>(
  option: PerCall<Value>,
  call: ApiCall,
): Promise<Value> {
  return typeof option === 'function' ? option(call) : option
}

function placedCredential(name: string, scheme: ApiSecurity, credential: NonNullable<ApiCredential>): PlacedCredential {
  if (scheme.type === 'basic') {
    if (typeof credential === 'string') throw new TypeError(`auth.${name} must be { username, password }`)
    const encoded = Buffer.from(`${credential.username}:${credential.password}`).toString('base64')
    return { in: 'header', name: 'authorization', value: `Basic ${encoded}` }
  }
  if (typeof credential !== 'string') throw new TypeError(`auth.${name} must be a string`)
  const placed: PlacedCredential =
    scheme.type === 'bearer'
      ? { in: 'header', name: 'authorization', value: `Bearer ${credential}` }
      : { in: scheme.in, name: scheme.name, value: credential }
  if (placed.in === 'header' && !isHeaderText(credential)) throw new TypeError(`auth.${name} ${NOT_HEADER_TEXT}`)
  return placed
}
