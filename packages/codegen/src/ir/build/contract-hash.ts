import { createHash } from 'node:crypto'
import type { Json } from '../types.js'

/**
 * SHA-256 over compact JSON text with the keys in their declared order (the order is part of what callers and models
 * see): the first 16 hexadecimal characters.
 */
export function contractHash(value: Json): string {
  return createHash('sha256').update(JSON.stringify(value), 'utf8').digest('hex').slice(0, 16)
}
