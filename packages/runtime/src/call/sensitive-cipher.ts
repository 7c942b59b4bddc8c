import type { SensitiveCipher } from './redactions.js'

export interface EncryptSensitiveOptions {
  /** Key to encrypt and decrypt, with at least 32 random bytes. A string is encoded as UTF-8. */
  readonly key: string | Uint8Array
  /** Earlier keys. The cipher decrypts with these keys, but does not encrypt with them. Default: no keys. */
  readonly previousKeys?: readonly (string | Uint8Array)[]
}

const MIN_KEY_BYTES = 32
const ALGORITHM = 'AES-GCM'
const IV_BYTES = 12

/**
 * Creates a cipher for the `sensitive` option of a runtime. The cipher encrypts with AES-256-GCM. The AES key is the SHA-256 hash of `key`.
 * All runtimes that share suspensions or sessions need the same key.
 *
 * @throws {TypeError} if a key is neither a string nor a `Uint8Array`.
 * @throws {RangeError} if a key has less than 32 bytes.
 *
 * @example
 * // openssl rand -base64 32
 * const runtime = new Runtime({ sensitive: encryptSensitive({ key: process.env.SENSITIVE_KEY ?? '' }) })
 */
export function encryptSensitive({ key, previousKeys = [] }: EncryptSensitiveOptions): SensitiveCipher {
  const current = imported(key, 'key')
  const all = [current, ...previousKeys.map((each, index) => imported(each, `previousKeys[${index}]`))]
  return {
    encrypt: async (text) => {
      const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const bytes = new TextEncoder().encode(text)
      const sealed = await crypto.subtle.encrypt({ name: ALGORITHM, iv }, await current(), bytes)
      return base64([...iv, ...new Uint8Array(sealed)])
    },
    decrypt: async (text) => {
      const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
      const [iv, sealed] = [bytes.slice(0, IV_BYTES), bytes.slice(IV_BYTES)]
      for (const each of all) {
        const opened = await crypto.subtle.decrypt({ name: ALGORITHM, iv }, await each(), sealed).catch(() => undefined)
        if (opened !== undefined) return new TextDecoder().decode(opened)
      }
      throw new TypeError(
        'The sensitive values cannot be decrypted: they were changed, or encrypted with another key. Add the key to `previousKeys` of encryptSensitive.',
      )
    },
  }
}

function imported(key: string | Uint8Array, option: string) {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
    throw new TypeError(
      `encryptSensitive: ${option} must be a string or a Uint8Array, for example from \`openssl rand -base64 32\`.`,
    )
  }
  const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : Uint8Array.from(key)
  if (bytes.length < MIN_KEY_BYTES) {
    throw new RangeError(
      `encryptSensitive: ${option} has ${bytes.length} bytes. Use at least ${MIN_KEY_BYTES} random bytes, for example from \`openssl rand -base64 32\`.`,
    )
  }
  const create = async () =>
    crypto.subtle.importKey('raw', await crypto.subtle.digest('SHA-256', bytes), ALGORITHM, false, [
      'encrypt',
      'decrypt',
    ])
  let created: ReturnType<typeof create> | undefined
  return () => {
    created ??= create()
    return created
  }
}

function base64(bytes: readonly number[]): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
