import type { Fields } from '../../codec/json/kind.js'
import { without } from '../keywords/annotations.js'
import type { Report } from '../report/change.js'

/** Writes exclusive bounds of whole numbers as inclusive ones, which Gemini reads. */
export function geminiBounds(schema: Fields, pointer: string, report: Report): Fields {
  if (schema.type !== 'integer') return schema
  let written = schema
  const bounds = [
    ['exclusiveMinimum', 'minimum', 1],
    ['exclusiveMaximum', 'maximum', -1],
  ] as const
  for (const [exclusive, inclusive, step] of bounds) {
    const bound = schema[exclusive]
    if (typeof bound !== 'number' || !Number.isSafeInteger(bound)) continue
    const known = schema[inclusive]
    const nearest = bound + step
    const value = typeof known !== 'number' ? nearest : step > 0 ? Math.max(known, nearest) : Math.min(known, nearest)
    written = { ...without(written, [exclusive]), [inclusive]: value }
    const message = `\`${exclusive}\` is written as \`${inclusive}\`, which for whole numbers says the same.`
    report({ pointer, keyword: exclusive, kind: 'changed', message, loosens: false })
  }
  return written
}
