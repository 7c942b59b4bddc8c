import process from 'node:process'
import { defined } from '../defined.js'
import { loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, errorAt, warning } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { block, entry, isInheritedName } from '../emit/layout.js'
import { elementAt, importedToolNames } from '../ir/names.js'
import { isDeeper } from '../schema/json-error.js'
import { isObject, type Json, own, type SchemaObject, stringsOf, without } from '../schema/json-schema.js'
import { fillOrigin, type McpOrigin, missingVariables, readOrigin, secretIn, shownOrigin } from './sources.js'
import { maxLevels, renamed, type ToolSource, textOf, undescribed, unusableSide, usableSchema } from './tools.js'
import { type DeclaredTool, noImport, type ToolsetImport, toolListChanges, toolsetImport } from './toolset-module.js'

/** An MCP server as the source of tools. */
const mcpServer: ToolSource = {
  subject: 'The server',
  fix: 'Tell those who make the server',
  rename: 'fromMcp(toolset, { rename: { tool: "name" } })',
}

interface McpImportOptions {
  readonly captured: unknown
  /** Name of the input in messages. */
  readonly source: string
  /** Origin of the server. Default: that of the capture. Not recorded if it seems to hold a secret. */
  readonly origin?: McpOrigin
  /** The server's names of tools whose progress becomes updates. Default: those of the capture. */
  readonly progress?: readonly string[]
  readonly earlier?: McpCapture
}

/** Creates a toolset of captured tools. The same capture gives the same bytes, also as the snapshot of an earlier import. */
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
      'If warnings name tools that were left out, correct these tools at the server. Or import from another server.'
    const message = `${source} lists no tool that can be imported; nothing was written.`
    return noImport([...found, errorAt(undefined, 'TG6001', message, next)])
  }
  if (secret !== undefined) {
    const message = `The snapshot does not say how to ask the server of \`${toolset}\` again: \`${secret}\` seems to hold a secret.`
    const next = "Import again with a variable of the environment in its place, in single quotes: `'${SECRET}'`."
    found.push(warning('TG6007', message, next))
  }
  const { server } = capture
  const names = tools
    // The type checker takes a missing name for the inherited one.
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

/** A declared tool, and the server's name of it. */
interface ImportedTool extends DeclaredTool {
  readonly name: string
}

interface ImportedTools {
  readonly tools: readonly ImportedTool[]
  /** The server's names of tools that are left out. */
  readonly unused: readonly string[]
}

/**
 * Declares captured tools, each once and with legal, unique names. Reports what differs from the server.
 *
 * @param progress the server's names of tools whose progress is wanted
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
      const message = `--progress names \`${name}\`, and the server has no such tool.`
      return unknownNameAt(undefined, 'TG0001', message, name, known, `Its tools are: ${known.join(', ')}.`)
    })
  const report = (diagnostic: Diagnostic): void => {
    diagnostics.push(diagnostic)
  }
  const once = new Map<string, CapturedTool>()
  for (const tool of listed) {
    const { name } = tool
    const message = `The server lists \`${name}\` more than once; the first one is taken.`
    if (once.has(name)) report(warning('TG6002', message, 'Tell those who make the server.'))
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
      const message = `The server runs \`${name}\` as a task alone, which callers do not ask for: it will refuse every call.`
      const next = 'Leave it out where an agent uses the toolset: `fromMcp(toolset, { only: [...] })`.'
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

/** Hints of a server by the flags of a design. */
const hints = { readOnly: 'readOnlyHint', destructive: 'destructiveHint', idempotent: 'idempotentHint' }

/** Returns `true` for a tool that the server runs only as a task, whose result is requested later. */
function requiresTask({ raw }: CapturedTool): boolean {
  const execution = own(raw, 'execution')
  return isObject(execution) && own(execution, 'taskSupport') === 'required'
}

/** The tools of an MCP server, and further facts of a snapshot. */
export interface McpCapture {
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly CapturedTool[]
  readonly origin?: McpOrigin
  /** The server's names of tools whose progress becomes updates. */
  readonly progress?: readonly string[]
}

/** A tool in the response to `tools/list`. */
export interface CapturedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Json
  readonly outputSchema?: SchemaObject
  readonly annotations: SchemaObject
  readonly raw: SchemaObject
}

/**
 * Reads a response to `tools/list`, alone or in the envelope of the protocol, with or without the response to `initialize`, or
 * the snapshot of an earlier import. Tools without a name and parts that nest too deep are left out with a warning.
 *
 * @param source name of the input in messages
 */
export function readCapture(captured: unknown, source: string): Checked<McpCapture> {
  const outer = isObject(captured) ? captured : {}
  const result = own(outer, 'result')
  const list = own(isObject(result) ? result : outer, 'tools')
  if (!Array.isArray(list)) {
    const message = `${source} is no answer to \`tools/list\`. It has no list \`tools\`.`
    const next = 'Give JSON such as `{ "tools": [{ "name": "read_file", "inputSchema": { "type": "object" } }] }`.'
    return { diagnostics: [errorAt(undefined, 'TG6001', message, next)] }
  }
  const diagnostics: Diagnostic[] = []
  const tools = list.flatMap(
    (raw: Json, index) => readTool(raw, `The tool ${index + 1} of the list`, diagnostics) ?? [],
  )
  const initialize = own(outer, 'initialize')
  const info = isObject(initialize) ? own(initialize, 'serverInfo') : own(outer, 'server')
  const name = isObject(info) ? textOf(info, 'name') : undefined
  const progress = stringsOf(outer, 'progress')
  const value = defined({
    server: isObject(info) && name !== undefined ? { name, version: textOf(info, 'version') ?? '' } : undefined,
    tools,
    origin: readOrigin(own(outer, 'origin')),
    progress: progress.length > 0 ? progress : undefined,
  })
  return { value, diagnostics }
}

function readTool(listed: Json, position: string, diagnostics: Diagnostic[]): CapturedTool | undefined {
  const name = isObject(listed) ? textOf(listed, 'name') : undefined
  if (!isObject(listed) || name === undefined) {
    diagnostics.push(unnamedTool(position))
    return undefined
  }
  const deep = Object.keys(listed).filter((key) => isDeeper(listed[key], maxLevels - 1))
  const why = `it nests more than ${maxLevels} levels deep`
  if (deep.includes('inputSchema')) {
    diagnostics.push(unusableSide('arguments', mcpServer, name, why))
    return undefined
  }
  if (deep.includes('outputSchema')) diagnostics.push(unusableSide('result', mcpServer, name, why))
  const raw = without(listed, deep)
  const [written, output] = [own(raw, 'annotations'), own(raw, 'outputSchema')]
  const annotations = isObject(written) ? written : {}
  return defined({
    name,
    title: textOf(raw, 'title') ?? textOf(annotations, 'title'),
    description: textOf(raw, 'description'),
    inputSchema: own(raw, 'inputSchema') ?? {},
    outputSchema: isObject(output) ? output : undefined,
    annotations,
    raw,
  })
}

/** @param position beginning of the sentence "... has no name" */
function unnamedTool(position: string): Diagnostic {
  const next = 'Nothing to change in this project. Ask the author of the server to name the tool.'
  return warning('TG6014', `${position} has no name and is left out.`, next)
}

/** A caller of the installed runtime. */
interface LiveCaller {
  readonly server: unknown
  listTools(options: { readonly onSkippedTool: () => void }): Promise<unknown>
  close(): Promise<unknown>
}

/** The response of a server, as an import reads it. */
interface LiveResponse {
  readonly initialize: { readonly serverInfo: unknown }
  readonly tools: unknown
}

/**
 * Requests the tools of a server, with the callers of the installed runtime.
 *
 * @param cwd folder of the project, in which the server is started: absolute
 */
export async function readLive(origin: McpOrigin, cwd: string): Promise<Checked<LiveResponse>> {
  const filled = fillOrigin(origin, process.env)
  if ('missing' in filled) {
    const { missing } = filled
    const message = `The server is not asked: ${missingVariables(missing)}.`
    const next = `Set ${missing.length === 1 ? 'it' : 'them'} where toolgen runs; \`\${NAME}\` in a command or an address stands for a variable.`
    return { diagnostics: [errorAt(undefined, 'TG0014', message, next)] }
  }
  const name = 'url' in origin ? 'httpCaller' : 'stdioCaller'
  const { value: connect, diagnostics } = await loadInstalled('@toolgen/runtime/mcp', name, cwd)
  if (connect === undefined) return { diagnostics }
  let caller: LiveCaller | undefined
  try {
    caller = Reflect.apply(connect, undefined, [callerOptions(filled.origin, cwd)]) as LiveCaller
    const skipped: Diagnostic[] = []
    const onSkippedTool = (): void => {
      skipped.push(unnamedTool('A tool of the list'))
    }
    const tools = await caller.listTools({ onSkippedTool })
    return { value: { initialize: { serverInfo: caller.server }, tools }, diagnostics: skipped }
  } catch (thrown) {
    const why = filled.hide(connectionError(thrown, filled.origin))
    const look =
      'url' in origin
        ? 'See whether Streamable HTTP is spoken at this address, and whether it is open to you'
        : 'Start it by hand to see whether it runs'
    const message = `The server ${shownOrigin(origin)} does not tell its tools: ${why}.`
    const next = `${look}; a file of its tools can be imported with --from.`
    return { diagnostics: [errorAt(undefined, 'TG0012', message, next)] }
  } finally {
    await caller?.close()
  }
}

/** The server is tried once. It has the whole environment, because keys are passed there. */
function callerOptions(origin: McpOrigin, cwd: string): object {
  const reconnect = { attempts: 1 }
  if ('url' in origin) return { url: origin.url, reconnect }
  const [command, ...args] = origin.command
  return { command, args, cwd, env: { ...process.env }, reconnect }
}

/**
 * Returns why a server did not list its tools, without the name of the server and without repetitions.
 *
 * @param thrown error of the installed runtime's caller
 * @param origin origin of the server, without variables
 */
export function connectionError(thrown: unknown, origin: McpOrigin): string {
  const prefix = `no connection to the MCP server ${'url' in origin ? origin.url : origin.command.join(' ')}`
  const parts = messagesOf(thrown).map((message) => {
    const rest = message.startsWith(prefix) ? message.slice(prefix.length).replace(/^: /, '') : message
    return (rest.split('\n')[0] ?? '').replace(/\.$/, '')
  })
  return parts
    .filter((part, index) => part !== '' && !parts.slice(0, index).some((earlier) => earlier.includes(part)))
    .join(': ')
    .replace(/^the server (?=ended\b)/, 'it ')
}

function messagesOf(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error)) return [String(thrown)]
  return [thrown.message, ...(thrown.cause === undefined ? [] : messagesOf(thrown.cause))]
}
