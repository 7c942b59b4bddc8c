import { isFields } from '../schema/json-values.js'
import type { RunSuspension, SuspensionSigner } from '../types/outcome.js'
import { SuspensionError } from './suspension-error.js'

export interface SignSuspensionsOptions {
  /** Key to sign and verify suspensions, with at least 32 random bytes. A string is encoded as UTF-8. */
  readonly key: string | Uint8Array
  /** Earlier keys, which only verify existing signatures. Default: none. */
  readonly previousKeys?: readonly (string | Uint8Array)[]
}

const MIN_KEY_BYTES = 32

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const

/** Increase the version after a change of `signedText`. */
const VERSION = '1'

const KEY_ID_BYTES = 9

/**
 * Creates a signer for the `suspensions` option of a runtime. The signer uses HMAC-SHA-256. With a signer, the runtime resumes a suspension only
 * if it was signed with a known key and was not changed later. The signature covers the whole suspension: the conversation, the calls and nested
 * suspensions. The signer does not encrypt the suspension. The `claims` option, not the signature, prevents a second resumption of the same
 * suspension.
 *
 * To change the key, set the new key as `key`, and add the old key to `previousKeys`. Keep the old key until all suspensions with its
 * signature are resumed.
 *
 * @throws {TypeError} if a key is neither a string nor a `Uint8Array`.
 * @throws {RangeError} if a key has less than 32 bytes.
 *
 * @example
 * // openssl rand -base64 32
 * const runtime = new Runtime({ suspensions: signSuspensions({ key: process.env.SUSPENSION_KEY ?? '' }) })
 */
export function signSuspensions({ key, previousKeys = [] }: SignSuspensionsOptions): SuspensionSigner {
  if (!Array.isArray(previousKeys)) throw new TypeError('signSuspensions: previousKeys must be an array of keys.')
  const own = keyOf(key, 'key')
  const keys = [own, ...previousKeys.map((each, index) => keyOf(each, `previousKeys[${index}]`))]
  return {
    sign: async (text) => {
      const { id, secret } = await own()
      const mac = await crypto.subtle.sign(ALGORITHM, secret, bytesOf(text))
      return [VERSION, id, base64Url(new Uint8Array(mac))].join('.')
    },
    verify: async (text, signature) => {
      const [version, id, mac, ...more] = signature.split('.')
      const bytes = mac === undefined || more.length > 0 || version !== VERSION ? undefined : bytesOfBase64Url(mac)
      if (bytes === undefined) return 'invalid'
      const known = await Promise.all(keys.map((each) => each()))
      const found = known.find((each) => each.id === id)
      if (found === undefined) return 'unknown_key'
      // Web Crypto compares in constant time.
      return (await crypto.subtle.verify(ALGORITHM, found.secret, bytes, bytesOf(text))) ? 'valid' : 'invalid'
    },
  }
}

export async function signedSuspension(suspension: RunSuspension, signer: SuspensionSigner): Promise<RunSuspension> {
  return { ...suspension, signature: await signer.sign(signedText(suspension)) }
}

export async function requireSigned(suspension: RunSuspension, signer: SuspensionSigner | undefined): Promise<void> {
  if (signer === undefined) return
  const { signature } = suspension
  if (signature === undefined) {
    throw new SuspensionError(
      'unsigned',
      'The suspension has no signature, but this runtime requires one. Use the same `suspensions` option in all runtimes.',
    )
  }
  const check = await signer.verify(signedText(suspension), signature)
  if (check === 'valid') return
  if (check === 'unknown_key') {
    throw new SuspensionError(
      'unknown_key',
      'The suspension was signed with a key that this runtime does not have. Add the key to `previousKeys` of signSuspensions.',
    )
  }
  throw new SuspensionError(
    'invalid_signature',
    'The signature of the suspension is invalid, because the suspension was changed. Pass `run.suspension` unchanged.',
  )
}

function signedText({ signature: _, ...content }: RunSuspension): string {
  const sorted = (_: string, part: unknown): unknown =>
    isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part
  return `toolgen suspension ${VERSION}\n${JSON.stringify(content, sorted)}`
}

interface ImportedKey {
  readonly id: string
  readonly secret: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

function keyOf(key: string | Uint8Array, option: string): () => Promise<ImportedKey> {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
    throw new TypeError(
      `signSuspensions: ${option} must be a string or a Uint8Array, for example from \`openssl rand -base64 32\`.`,
    )
  }
  const bytes = typeof key === 'string' ? bytesOf(key) : Uint8Array.from(key)
  if (bytes.length < MIN_KEY_BYTES) {
    throw new RangeError(
      `signSuspensions: ${option} has ${bytes.length} bytes. Use at least ${MIN_KEY_BYTES} random bytes, for example from \`openssl rand -base64 32\`.`,
    )
  }
  let imported: Promise<ImportedKey> | undefined
  return () => {
    imported ??= importedKey(bytes)
    return imported
  }
}

async function importedKey(bytes: Uint8Array<ArrayBuffer>): Promise<ImportedKey> {
  const secret = await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['sign', 'verify'])
  const mac = await crypto.subtle.sign(ALGORITHM, secret, bytesOf('toolgen suspension key'))
  return { id: base64Url(new Uint8Array(mac).subarray(0, KEY_ID_BYTES)), secret }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function bytesOfBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  } catch {
    // The signature is not base64.
    return undefined
  }
}
