import { defined, elementAt } from '../defined.js'
import { type Checked, type Diagnostic, errorAt, warning } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { block, entry, isInheritedName } from '../emit/layout.js'
import { importedToolNames } from '../ir/tool-names.js'

import { isObject, own, type SchemaObject } from '../schema/json-schema.js'
import { type CapturedTool, type McpCapture, mcpServer, readCapture } from './mcp-capture.js'
import { type McpOrigin, secretIn } from './origin.js'
import { toolListChanges } from './tool-list-changes.js'
import { usableSchema } from './tool-schemas.js'
import { renamed, undescribed } from './tool-source.js'
import { type DeclaredTool, noImport, type ToolsetImport, toolsetImport } from './toolset-module.js'

interface McpImportOptions {
  readonly captured: unknown
  /** Name of the captured data in messages. */
  readonly source: string
  /** Origin of the server. Default: the origin in `captured`. An origin that seems to contain a secret is not recorded. */
  readonly origin?: McpOrigin
  /** Names, on the server, of the tools whose progress notifications become updates. Default: the tools in the capture. */
  readonly progress?: readonly string[]
  readonly earlier?: McpCapture
}

/** Creates a toolset of captured tools. The same capture gives the same bytes, also when imported from a snapshot. */
export function importMcp(toolset: string, { captured, source, earlier, ...options }: McpImportOptions): ToolsetImport {
  const { value: capture, diagnostics } = readCapture(captured, source)
  if (capture === undefined) return noImport(diagnostics)
  const { origin = capture.origin, progress = capture.progress ?? [] } = options
  const secret = origin === undefined ? undefined : secretIn(origin)
  const imported = importTools(capture, toolset, progress)
  const { tools, unused } = imported.value
  const found = [...diagnostics, ...imported.diagnostics]
  if (tools.length === 0) {
    const next =
      'If warnings name skipped tools, correct these tools on the server. Otherwise import from another server.'
    const message = `${source} lists no tool that can be imported. Nothing was written.`
    return noImport([...found, errorAt(undefined, 'TG6001', message, next)])
  }
  if (secret !== undefined) {
    const message = `The snapshot does not record the server of \`${toolset}\`: \`${secret}\` looks like a secret.`
    const next = "Import again with an environment variable instead, in single quotes: `'${SECRET}'`."
    found.push(warning('TG6007', message, next))
  }
  const { server } = capture
  const names = tools
    // The type checker would not report a missing entry for an inherited name such as `constructor`.
    .filter(({ tool, name }) => tool !== name || isInheritedName(tool))
    .map(({ tool, name }) => entry(tool, name, 6))
  const mcp = ['captured: true']
  if (server !== undefined) mcp.push(entry('server', { ...server }, 4))
  if (names.length > 0) mcp.push(`names: ${block(names, 4)}`)
  if (unused.length > 0) mcp.push(entry('unused', unused, 4))
  const declared = {
    kind: 'mcp',
    name: toolset,
    description: `Tools of ${server === undefined ? 'an MCP server' : `the MCP server ${server.name}`}.`,
    entries: [`mcp: ${block(mcp, 2)}`],
    tools,
    snapshot: {
      ...(origin !== undefined && secret === undefined && { origin: { ...origin } }),
      ...(progress.length > 0 && { progress }),
      ...(server !== undefined && { server: { ...server } }),
      tools: capture.tools.map(({ raw }) => raw),
    },
  } as const
  return toolsetImport(declared, toolListChanges(earlier?.tools, capture.tools), found)
}

/** A declared tool with its name on the server. */
interface ImportedTool extends DeclaredTool {
  readonly name: string
}

interface ImportedTools {
  readonly tools: readonly ImportedTool[]
  /** Names, on the server, of tools that are not imported. */
  readonly unused: readonly string[]
}

/**
 * Declares captured tools without duplicates, with valid, unique names. Reports names and schemas that differ from the
 * server's.
 *
 * @param progress names, on the server, of the tools whose progress is requested
 */
export function importTools(
  { tools: listed }: McpCapture,
  toolset: string,
  progress: readonly string[],
): Required<Checked<ImportedTools>> {
  const known = listed.map(({ name }) => name)
  const diagnostics: Diagnostic[] = progress
    .filter((name) => !known.includes(name))
    .map((name) => {
      const message = `Unknown tool \`${name}\` in --progress.`
      return unknownNameAt(undefined, 'TG0001', message, name, known, `Tools of the server: ${known.join(', ')}.`)
    })
  const report = (diagnostic: Diagnostic): void => {
    diagnostics.push(diagnostic)
  }
  const once = new Map<string, CapturedTool>()
  for (const tool of listed) {
    const { name } = tool
    const message = `The server lists \`${name}\` more than once. The first one is imported.`
    if (once.has(name)) report(warning('TG6002', message, 'Report the problem to the authors of the server.'))
    else once.set(name, tool)
  }
  const unused: string[] = []
  const locals = importedToolNames([...once.keys()])
  const toolNames = importedToolNames([...once.keys()].map((name) => `${toolset}_${name}`))
  const tools = [...once.values()].flatMap((captured, index): readonly ImportedTool[] => {
    const { name, title, description, inputSchema, outputSchema, annotations } = captured
    const payload = usableSchema('arguments', name, inputSchema, mcpServer, report)
    if (payload === undefined) {
      unused.push(name)
      return []
    }
    const result = (outputSchema && usableSchema('result', name, outputSchema, mcpServer, report)) ?? true
    if (description === undefined) report(undescribed(mcpServer, name))
    if (requiresTask(captured)) {
      const message = `The server runs \`${name}\` only as an MCP task, which toolgen does not support: the server will reject every call.`
      const next = 'Exclude the tool where an agent uses the toolset: `fromMcp(toolset, { only: [...] })`.'
      report(warning('TG6012', message, next))
    }
    const [{ tool }, { toolName }] = [elementAt(locals, index), elementAt(toolNames, index)]
    const wanted = `${toolset}_${name}`
    if (toolName !== wanted) report(renamed(mcpServer, name, wanted, toolName))
    const flags = Object.entries(hints).map(([flag, hint]) => [flag, own(annotations, hint) ?? null] as const)
    const facts = {
      ...(progress.includes(name) && { streaming: { updates: progressSchema } }),
      ...Object.fromEntries(flags.filter(([, value]) => typeof value === 'boolean')),
    }
    return [defined({ tool, name, toolName, title, description: description ?? title ?? name, payload, result, facts })]
  })
  return { value: { tools, unused }, diagnostics }
}

const progressSchema: SchemaObject = {
  type: 'object',
  properties: { progress: { type: 'number' }, total: { type: 'number' }, message: { type: 'string' } },
  required: ['progress'],
}

/** Names of a server's annotations, by the names of the DSL flags. */
const hints = { readOnly: 'readOnlyHint', destructive: 'destructiveHint', idempotent: 'idempotentHint' }

/** Checks for a tool that the server runs only as an MCP task, so that its result must be requested later. */
function requiresTask({ raw }: CapturedTool): boolean {
  const execution = own(raw, 'execution')
  return isObject(execution) && own(execution, 'taskSupport') === 'required'
}
