import { lineWidth } from '../text/literal.js'

/** A call: on one line where it fits, else one argument per line. */
export function callText(callee: string, args: readonly string[], indent: number): string {
  const flat = `${callee}(${args.join(', ')})`
  if (indent + flat.length + 1 <= lineWidth) return flat
  const margin = ' '.repeat(indent)
  return `${callee}(\n${args.map((arg) => `${margin}  ${arg},\n`).join('')}${margin})`
}

/** A property whose type takes type arguments: on one line where it fits, else one argument per line. */
export function genericMember(property: string, type: string, args: readonly string[], indent: number): string {
  const start = `readonly ${property}: ${type}`
  const flat = `${start}<${args.join(', ')}>`
  if (indent + flat.length <= lineWidth) return flat
  const margin = ' '.repeat(indent)
  return `${start}<\n${args.map((arg) => `${margin}  ${arg}`).join(',\n')}\n${margin}>`
}
