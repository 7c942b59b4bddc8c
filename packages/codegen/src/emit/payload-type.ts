import type { ToolIr } from '../ir/types.js'
import type { Shape } from '../schema/shape/shape.js'
import { typeText } from '../schema/shape/type-text.js'
import { docComment } from '../text/doc-comment.js'
import { lineWidth, propertyNameText, stringText } from '../text/literal.js'
import type { Definitions } from './definitions.js'
import { type ImportSet, runtimeModule } from './import-set.js'

/**
 * A payload's type said in terms of the arguments' type: the same, or `Received`, which names the fields that have a
 * default, with the server-owned fields added. Absent where more differs; the payload is then written out.
 */
export function payloadFromArguments(
  tool: ToolIr,
  sent: Shape,
  payload: Shape,
  definitions: Definitions,
  imports: ImportSet,
): string | undefined {
  const { names } = tool
  if (tool.serverOwned.length === 0 && !definitions.differs(payload))
    return `export type ${names.payload} = ${names.arguments}`
  if (sent.kind !== 'object' || payload.kind !== 'object') return undefined
  const simple = sent.additional === undefined && sent.fields.length > 0
  if (!simple || sent.fields.some((field) => definitions.differs(field.shape))) return undefined
  const defaulted = sent.fields.filter((field) => field.default !== undefined).map((field) => stringText(field.name))
  const received = `${imports.type(runtimeModule, 'Received')}<${[names.arguments, ...union(defaulted)].join(', ')}>`
  const owned = new Set(tool.serverOwned.map(({ field }) => field))
  if (owned.size === 0) return declaration(`export type ${names.payload} =`, received)
  const nameOf = (definition: string): string => definitions.nameOf(definition, 'read')
  const added = payload.fields
    .filter((field) => owned.has(field.name))
    .map(({ name, shape, description }) => {
      const start = `readonly ${propertyNameText(name)}: `
      const member = `  ${start}${typeText(shape, { form: 'read', nameOf }, { indent: 2, used: start.length + 2 })}\n`
      return description?.trim() ? `  ${docComment(description, 2)}\n${member}` : member
    })
  return `${declaration(`export interface ${names.payload} extends`, received)} {\n${added.join('')}}`
}

function union(literals: readonly string[]): readonly string[] {
  return literals.length === 0 ? [] : [literals.join(' | ')]
}

function declaration(start: string, type: string): string {
  return start.length + type.length + 3 <= lineWidth ? `${start} ${type}` : `${start}\n  ${type}`
}
