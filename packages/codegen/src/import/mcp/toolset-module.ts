import { isInheritedName } from '../../emit/inherited-name.js'
import { block, schemaText } from '../../emit/schema-text.js'
import { assignNames } from '../../ir/names/names.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { docComment, lineComment } from '../../text/doc-comment.js'
import { flatLiteral, keyText, literalText } from '../../text/literal.js'
import type { McpCapture } from './capture.js'
import type { ImportedTool, ImportedTools } from './imported-tools.js'

/** What stands in the first lines of every file that an import writes. */
const importMark = 'Written by `toolgen import'

/** Whether an import has written a text. */
export function isImported(text: string): boolean {
  return text.slice(0, 400).includes(importMark)
}

/** The first line of a written file: by which command, and what to do instead of editing it. */
export function importNote(toolset: string): string {
  return `${importMark} mcp ${toolset}\`. Do not edit; import again, and select and rename with \`fromMcp\`.`
}

/** The names of what is written for a toolset. */
export function importNames(toolset: string): { readonly file: string; readonly constant: string } {
  const [named] = assignNames({ toolsets: [{ name: toolset, tools: [], defs: [] }], agents: [] }).toolsets
  if (named === undefined) throw new Error('Naming lost a toolset.')
  const { folder, descriptor } = named.names
  const taken = descriptor === 'defineTool' || descriptor === 'defineToolset'
  return { file: folder, constant: taken ? `${descriptor}_` : descriptor }
}

/** The module that declares the tools of a server as a toolset; the same tools give the same bytes. */
export function toolsetModule(
  toolset: string,
  { server }: Pick<McpCapture, 'server'>,
  { tools, unused }: ImportedTools,
): string {
  const who = server === undefined ? 'an MCP server' : `the MCP server ${server.name}`
  const about = `Tools of ${who}.`
  // A checker takes what every object inherits for a name that is not said.
  const names = tools.filter(({ tool, name }) => tool !== name || isInheritedName(tool))
  const mcp = [
    'captured: true',
    ...(server === undefined ? [] : [entry('server', { name: server.name, version: server.version }, 4)]),
    ...(names.length === 0
      ? []
      : [
          `names: ${block(
            names.map(({ tool, name }) => entry(tool, name, 6)),
            4,
          )}`,
        ]),
    ...(unused.length === 0 ? [] : [entry('unused', unused, 4)]),
  ]
  const parts = [entry('description', about, 2), `mcp: ${block(mcp, 2)}`, `tools: ${block(tools.map(toolText), 2)}`]
  const words = tools.length === 0 ? 'defineToolset' : 'defineTool, defineToolset'
  return `${lineComment(importNote(toolset))}

import { ${words} } from '@toolgen/dsl'

${docComment(about, 0)}
export const ${importNames(toolset).constant} = defineToolset(${flatLiteral(toolset)}, ${block(parts, 0)})
`
}

/** What a server says of how far a call has come. */
const progressSchema: SchemaObject = {
  type: 'object',
  properties: { progress: { type: 'number' }, total: { type: 'number' }, message: { type: 'string' } },
  required: ['progress'],
}

function toolText({ tool, wireName, title, description, payload, result, flags, progress }: ImportedTool): string {
  const facts = [
    entry('description', description, 6),
    ...(title === undefined ? [] : [entry('title', title, 6)]),
    entry('wireName', wireName, 6),
    `payload: ${schemaText(payload, 6)}`,
    `result: ${schemaText(result, 6)}`,
    ...(progress ? [entry('streaming', { updates: progressSchema }, 6)] : []),
    ...Object.entries(flags).map(([flag, value]) => `${flag}: ${value}`),
  ]
  return `${keyText(tool)}: defineTool(${block(facts, 4)})`
}

function entry(key: string, value: Json, indent: number): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent, used: indent + start.length + 1 })}`
}
