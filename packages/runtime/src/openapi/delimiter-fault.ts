import { isFields } from '../codec/json/kind.js'
import type { ValueStyle } from './styled-value.js'

/**
 * Why a value cannot be written with a mark between its parts: in words that end a sentence about it. OpenAPI has no way to write
 * a part that has the mark itself: whoever reads it would see two.
 */
export function delimiterFault(
  value: unknown,
  { style, explode }: Pick<ValueStyle, 'style' | 'explode'>,
): string | undefined {
  if (explode || (style !== 'spaceDelimited' && style !== 'pipeDelimited')) return undefined
  const [mark, name] = style === 'spaceDelimited' ? [' ', 'spaces'] : ['|', '"|"']
  const parts = Array.isArray(value) ? value : isFields(value) ? Object.entries(value).flat() : []
  const hasMark = parts.some((part) => (typeof part === 'string' ? part : JSON.stringify(part)).includes(mark))
  return hasMark ? `is sent with ${name} between its parts, so that none of these may have any` : undefined
}
