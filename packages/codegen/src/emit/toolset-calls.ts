import type { MetaPath, ToolsetIr } from '../ir/types.js'
import { docComment } from '../text/doc-comment.js'
import { functionHead } from './function-head.js'
import { header } from './header.js'
import { type ImportingFile, importSet, runtimeModule } from './import-set.js'
import { requiresNothing } from './requires-nothing.js'
import { needsType } from './tool-types.js'

/** What `toolset-calls.hbs` shows. */
export interface ToolsetCallsView {
  readonly header: string
  readonly imports: string
  readonly newToolCall: string
  readonly calls: readonly {
    readonly comment: string
    readonly head: string
    readonly spec: string
    readonly codec: string
  }[]
}

/**
 * The call builders of a toolset in the order of the design.
 *
 * @param nested the meta fields that agents need which serve the toolset
 */
export function toolsetCallsView(
  toolset: ToolsetIr,
  nested: readonly MetaPath[],
  file: ImportingFile,
): ToolsetCallsView {
  const imports = importSet(file)
  if (toolset.tools.length === 0) return { header: header(toolset.place), imports: '', newToolCall: '', calls: [] }
  const folder = `toolsets/${toolset.names.folder}`
  const codecs = imports.values({ generated: `${folder}/codecs` }, 'codecs')
  const specs = imports.values({ generated: `${folder}/specs` }, 'specs')
  const types = imports.types({ generated: `${folder}/types` }, 'types')
  const call = imports.type(runtimeModule, 'ToolCall')
  const options = imports.type(runtimeModule, 'ToolCallOptions')
  const newToolCall = imports.value(runtimeModule, 'newToolCall')
  const calls = toolset.tools.map((tool) => {
    const needs = needsType(tool, nested)
    const args = `args: ${types}.${tool.names.arguments}${requiresNothing(tool, toolset) ? ' = {}' : ''}`
    const returns = `${call}<${types}.${tool.names.result}${needs === 'never' ? '' : `, ${needs}`}>`
    return {
      comment: docComment(tool.description, 0),
      head: functionHead(tool.names.call, [args, `options?: ${options}`], returns),
      spec: `${specs}.${tool.names.spec}`,
      codec: `${codecs}.${tool.names.payloadCodec}`,
    }
  })
  return { header: header(toolset.place), imports: imports.text(), newToolCall, calls }
}
