import type { MetaPath, ToolIr, ToolsetIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { keyText, lineWidth, propertyNameText } from '../text/literal.js'
import { type ImportSet, runtimeModule } from './import-set.js'
import { requiresNothing } from './requires-nothing.js'
import { needsType } from './tool-types.js'

/** A method of a toolset's client. */
export interface ClientMethod {
  readonly comment: string
  /** As a member of the client's type, indented by two. */
  readonly member: string
  /** As an entry of the client, indented by four. */
  readonly value: string
}

/** The method that calls a tool: it builds the call and executes it. */
export function clientMethod(
  tool: ToolIr,
  { toolset, nested }: { readonly toolset: ToolsetIr; readonly nested: readonly MetaPath[] },
  imports: ImportSet,
): ClientMethod {
  const folder = `toolsets/${toolset.names.folder}`
  const types = imports.types({ generated: `${folder}/types` }, 'types')
  const calls = imports.values({ generated: `${folder}/calls` }, 'calls')
  const options = optionsOf(tool, nested, imports)
  const args = `args${requiresNothing(tool, toolset) && options.optional ? '?' : ''}: ${types}.${tool.names.arguments}`
  const outcome = `${imports.type(runtimeModule, 'ToolOutcome')}<${types}.${tool.names.result}>`
  const parameters = [args, `options${options.optional ? '?' : ''}: ${options.type}`]
  const start = `readonly ${propertyNameText(tool.name)}: (`
  const end = `) => Promise<${outcome}>`
  const flat = `${start}${parameters.join(', ')}${end}`
  return {
    comment: docComment(tool.description, 2),
    member: 2 + flat.length <= lineWidth ? flat : `${start}\n    ${parameters.join(',\n    ')},\n  ${end}`,
    value: valueText(
      `${keyText(tool.name)}: async (args, given) =>`,
      `tools.execute(${calls}.${tool.names.call}(args), given)`,
    ),
  }
}

/** What a call needs beside its arguments: what server-owned fields are filled from, and somebody who confirms. */
function optionsOf(
  tool: ToolIr,
  nested: readonly MetaPath[],
  imports: ImportSet,
): { readonly type: string; readonly optional: boolean } {
  const needs = needsType(tool, nested)
  const asks = tool.confirmation !== undefined
  const type =
    needs === 'never'
      ? imports.type(runtimeModule, 'CallOptions')
      : `${imports.type(runtimeModule, 'OptionsFor')}<${needs}>`
  return {
    type: asks ? `${type} & { readonly env: ${imports.type(runtimeModule, 'HasApproval')} }` : type,
    optional: !asks && needs.split(' | ').every((field) => field === 'never' || field === "'toolCallId'"),
  }
}

function valueText(head: string, body: string): string {
  return 4 + head.length + 1 + body.length + 1 <= lineWidth ? `${head} ${body}` : `${head}\n      ${body}`
}
