import { createHash } from 'node:crypto'

/**
 * SHA-256 in hex over a file's bytes with every CRLF read as LF, so that a checkout that converts line ends counts as
 * unchanged.
 */
export function contentHash(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : Buffer.from(content)
  return createHash('sha256').update(withLfEnds(bytes)).digest('hex')
}

function withLfEnds(bytes: Buffer): Buffer {
  if (!bytes.includes('\r\n')) return bytes
  // Latin 1 maps every byte to one character and back, so bytes that are no UTF-8 survive.
  return Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
}
