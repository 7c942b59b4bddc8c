import { isInheritedName } from '../../emit/inherited-name.js'
import { block } from '../../emit/schema-text.js'
import { type DeclaredToolset, entryText } from '../toolset-module.js'
import type { McpCapture } from './capture.js'
import type { ImportedTools } from './imported-tools.js'

/** The tools of a server as a toolset of a design. */
export function serverToolset(
  name: string,
  { server }: Pick<McpCapture, 'server'>,
  { tools, unused }: ImportedTools,
): DeclaredToolset {
  const who = server === undefined ? 'an MCP server' : `the MCP server ${server.name}`
  // A checker takes what every object inherits for a name that is not said.
  const names = tools.filter((each) => each.tool !== each.name || isInheritedName(each.tool))
  const mcp = [
    'captured: true',
    ...(server === undefined ? [] : [entryText('server', { name: server.name, version: server.version }, 4)]),
    ...(names.length === 0
      ? []
      : [
          `names: ${block(
            names.map((each) => entryText(each.tool, each.name, 6)),
            4,
          )}`,
        ]),
    ...(unused.length === 0 ? [] : [entryText('unused', unused, 4)]),
  ]
  return { kind: 'mcp', name, description: `Tools of ${who}.`, entries: [`mcp: ${block(mcp, 2)}`], tools }
}
