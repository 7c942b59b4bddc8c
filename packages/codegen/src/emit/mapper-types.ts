import { lineWidth, propertyNameText } from '../text/literal.js'
import type { BoundTool } from './bound-tool.js'
import { type ImportSet, runtimeModule } from './import-set.js'

/** The member of the executor's options that holds a tool's mappers: required where one of them is. */
export function mapperMember({ tool, text, payload, args, answer }: BoundTool, imports: ImportSet): string {
  const name = propertyNameText(tool.name)
  const [payloads, results] = [`${payload}, ${args}`, `${answer}, ${text.resultType}`]
  if (text.requires.length === 0) {
    const start = `readonly ${name}?:`
    const type = `${imports.type(runtimeModule, 'ToolMappers')}<${payloads}, ${results}>`
    return 4 + start.length + 1 + type.length <= lineWidth ? `${start} ${type}` : `${start}\n      ${type}`
  }
  const sides = [
    side('payload', text.requires.includes('payload'), ['PayloadMap', 'PayloadWrap'], payloads, imports),
    side('result', text.requires.includes('result'), ['ResultMap', 'ResultWrap'], results, imports),
  ]
  return `readonly ${name}: {\n${sides.map((line) => `      ${line}\n`).join('')}    }`
}

function side(
  name: string,
  required: boolean,
  [map, wrap]: readonly [map: string, wrap: string],
  types: string,
  imports: ImportSet,
): string {
  const type = imports.type(runtimeModule, required ? map : wrap)
  return `readonly ${name}${required ? '' : '?'}: ${type}<${types}>`
}
