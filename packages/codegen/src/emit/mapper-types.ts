import { propertyNameText } from '../text/literal.js'
import type { BoundTool } from './bound-tool.js'
import { type ImportSet, runtimeModule } from './import-set.js'
import { typeMember } from './type-member.js'

/** The member of the options that holds a tool's mappers: required where one of them is. */
export function mapperMember({ tool, text, payload, args, answer }: BoundTool, imports: ImportSet): string {
  const name = propertyNameText(tool.name)
  const [payloads, results] = [
    [payload, args],
    [answer, text.resultType],
  ]
  if (text.requires.length === 0) {
    const type = imports.type(runtimeModule, 'ToolMappers')
    return typeMember({ name: `${name}?`, type, parameters: [...payloads, ...results], indent: 4 })
  }
  const side = (which: 'payload' | 'result', map: string, wrap: string, parameters: readonly string[]): string => {
    const required = text.requires.includes(which)
    const type = imports.type(runtimeModule, required ? map : wrap)
    return typeMember({ name: `${which}${required ? '' : '?'}`, type, parameters, indent: 6 })
  }
  const sides = [
    side('payload', 'PayloadMap', 'PayloadWrap', payloads),
    side('result', 'ResultMap', 'ResultWrap', results),
  ]
  return `readonly ${name}: {\n${sides.map((line) => `      ${line}\n`).join('')}    }`
}
