import { lineWidth, propertyNameText } from '../text/literal.js'
import type { BoundTool } from './bound-tool.js'
import { type ImportSet, runtimeModule } from './import-set.js'

/** The member of the options that holds a tool's mappers: required where one of them is. */
export function mapperMember({ tool, text, payload, args, answer }: BoundTool, imports: ImportSet): string {
  const name = propertyNameText(tool.name)
  const [payloads, results] = [
    [payload, args],
    [answer, text.resultType],
  ]
  if (text.requires.length === 0) {
    return member(`${name}?`, imports.type(runtimeModule, 'ToolMappers'), [...payloads, ...results], 4)
  }
  const side = (which: 'payload' | 'result', map: string, wrap: string, types: readonly string[]): string => {
    const required = text.requires.includes(which)
    return member(`${which}${required ? '' : '?'}`, imports.type(runtimeModule, required ? map : wrap), types, 6)
  }
  const sides = [
    side('payload', 'PayloadMap', 'PayloadWrap', payloads),
    side('result', 'ResultMap', 'ResultWrap', results),
  ]
  return `readonly ${name}: {\n${sides.map((line) => `      ${line}\n`).join('')}    }`
}

/** A member on one line, else its type on the next one, else each argument of its type on its own. */
function member(name: string, type: string, types: readonly string[], indent: number): string {
  const start = `readonly ${name}:`
  const flat = `${type}<${types.join(', ')}>`
  const margin = ' '.repeat(indent)
  if (indent + start.length + 1 + flat.length <= lineWidth) return `${start} ${flat}`
  if (indent + 2 + flat.length <= lineWidth) return `${start}\n${margin}  ${flat}`
  return `${start} ${type}<\n${types.map((each) => `${margin}  ${each}`).join(',\n')}\n${margin}>`
}
