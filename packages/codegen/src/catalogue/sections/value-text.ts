import { keyText, type LiteralPlace, lineWidth, stringText } from '../../text/literal.js'

/** A value of an example as code: JSON, dates, bigints and bytes; on one line where it fits, else one entry per line. */
export function valueText(value: unknown, place: LiteralPlace): string {
  const flat = flatText(value)
  const isNested =
    typeof value === 'object' && value !== null && !(value instanceof Date || value instanceof Uint8Array)
  if (!isNested || place.used + flat.length <= lineWidth) return flat
  const indent = place.indent + 2
  const margin = ' '.repeat(indent)
  const lines = Object.entries(value).map(([key, item]) => {
    const start = Array.isArray(value) ? margin : `${margin}${keyText(key)}: `
    return `${start}${valueText(item, { indent, used: start.length + 1 })},\n`
  })
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${lines.join('')}${' '.repeat(place.indent)}${close}`
}

function flatText(value: unknown): string {
  if (typeof value === 'string') return stringText(value)
  if (typeof value === 'bigint') return `${value}n`
  if (value instanceof Date) return `new Date(${stringText(value.toISOString())})`
  if (value instanceof Uint8Array) return `Uint8Array.of(${[...value].join(', ')})`
  if (Array.isArray(value)) return `[${value.map(flatText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${flatText(item)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
