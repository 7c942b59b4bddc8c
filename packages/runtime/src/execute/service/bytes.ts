import { resultBreaksContract, unusableArgument } from './conversion-failure.js'

/**
 * The bytes of a base64 string with its padding.
 *
 * @throws {ToolFailure} `domain_rejection` for anything else.
 */
export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text, 'base64')
  // Buffer skips what it cannot read; writing the bytes again shows whether it did.
  if (bytes.toString('base64') !== text) throw unusableArgument('A base64 text')
  const exact = new Uint8Array(bytes.byteLength)
  exact.set(bytes)
  return exact
}

/**
 * Bytes as base64 with padding; a `Buffer` is a `Uint8Array`.
 *
 * @throws {ToolFailure} `malformed_result` for anything but bytes.
 */
export function bytesToBase64(bytes: Uint8Array | ArrayBuffer): string {
  if (bytes instanceof ArrayBuffer) return Buffer.from(bytes).toString('base64')
  if (!(bytes instanceof Uint8Array)) throw resultBreaksContract('something other than bytes')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}
