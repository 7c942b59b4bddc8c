import type { TransformText } from '../service/text/tool-text.js'
import { docComment } from '../text/doc-comment.js'
import { propertyNameText } from '../text/literal.js'
import type { BoundTool } from './bound-tool.js'
import { type ImportSet, runtimeModule } from './import-set.js'
import { typeMember } from './type-member.js'

/** The member of the options that holds a tool's mappers: required where one of them is. */
export function mapperMember(bound: BoundTool, imports: ImportSet): string {
  const name = propertyNameText(bound.tool.name)
  const transforms = transformsOf(bound)
  if (!needsMapper(bound)) {
    const type = imports.type(runtimeModule, bound.text.stream === undefined ? 'ToolMappers' : 'StreamMappers')
    return typeMember({
      name: `${name}?`,
      type,
      parameters: transforms.flatMap(([, { from, to }]) => [from, to]),
      indent: 4,
    })
  }
  const sides = transforms.map(([side, { body, reason, from, to }]) => {
    const required = body === undefined
    const comment = reason === undefined ? '' : `${docComment(`A mapper is required: ${reason}.`, 6)}\n      `
    const type = imports.type(runtimeModule, `${sideNames[side]}${required ? 'Map' : 'Wrap'}`)
    return `${comment}${typeMember({ name: `${side}${required ? '' : '?'}`, type, parameters: [from, to], indent: 6 })}`
  })
  return `readonly ${name}: {\n${sides.map((line) => `      ${line}\n`).join('')}    }`
}

const sideNames = { payload: 'Payload', update: 'Update', result: 'Result' } as const

/** Whether a tool needs a mapper of the application. */
export function needsMapper(bound: BoundTool): boolean {
  return transformsOf(bound).some(([, { body }]) => body === undefined)
}

/** The transforms of a tool that a mapper may wrap or must replace, in the order in which they run. */
function transformsOf({ text }: BoundTool): readonly (readonly ['payload' | 'update' | 'result', TransformText])[] {
  const { payload, stream, result } = text
  return [['payload', payload], ...(stream ? [['update', stream.update] as const] : []), ['result', result]]
}
