import process from 'node:process'
import { defined } from '../defined.js'
import { loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own, type SchemaObject, stringsOf, without } from '../schema/json-schema.js'
import { fillOrigin, type McpOrigin, missingVariables, readOrigin, shownOrigin } from './mcp-origin.js'
import { isDeeper, leftOut, maxLevels, type ToolSource, unknownResult, warning } from './tool-diagnostics.js'

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

/** An MCP server as the source of tools. */
export const mcpServer: ToolSource = {
  subject: 'The server',
  fix: 'Tell those who make the server',
  rename: 'fromMcp(toolset, { rename: { tool: "name" } })',
}

/**
 * Reads a response to `tools/list`, alone or in the envelope of the protocol, with the response to `initialize` beside it, or
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
    diagnostics.push(leftOut(mcpServer, name, why))
    return undefined
  }
  if (deep.includes('outputSchema')) diagnostics.push(unknownResult(mcpServer, name, why))
  const raw = without(listed, deep)
  const [annotations, output] = [own(raw, 'annotations'), own(raw, 'outputSchema')]
  const facts = isObject(annotations) ? annotations : {}
  return defined({
    name,
    title: textOf(raw, 'title') ?? textOf(facts, 'title'),
    description: textOf(raw, 'description'),
    inputSchema: own(raw, 'inputSchema') ?? {},
    outputSchema: isObject(output) ? output : undefined,
    annotations: facts,
    raw,
  })
}

/** Returns a string that is not blank. */
export function textOf(object: SchemaObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

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
    const next = `Set ${missing.length === 1 ? 'it' : 'them'} where toolgen runs; \`\${NAME}\` in a command or an address stands for a variable.`
    return {
      diagnostics: [errorAt(undefined, 'TG0014', `The server is not asked: ${missingVariables(missing)}.`, next)],
    }
  }
  const name = 'url' in origin ? 'httpCaller' : 'stdioCaller'
  const { value: connect, diagnostics } = await loadInstalled('@toolgen/runtime/mcp', name, cwd)
  if (connect === undefined) return { diagnostics }
  let caller: LiveCaller | undefined
  try {
    const made: unknown = Reflect.apply(connect, undefined, [callerOptions(filled.origin, cwd)])
    if (!isCaller(made)) throw new TypeError('the installed runtime gives no caller')
    caller = made
    const skipped: Diagnostic[] = []
    const tools = await caller.listTools({
      onSkippedTool() {
        skipped.push(unnamedTool('A tool of the list'))
      },
    })
    return { value: { initialize: { serverInfo: caller.server }, tools }, diagnostics: skipped }
  } catch (thrown) {
    const why = filled.hide(connectionError(thrown, filled.origin))
    const look =
      'url' in origin
        ? 'See whether Streamable HTTP is spoken at this address, and whether it is open to you'
        : 'Start it by hand to see whether it runs'
    const message = `The server ${shownOrigin(origin)} does not tell its tools: ${why}.`
    return {
      diagnostics: [errorAt(undefined, 'TG0012', message, `${look}; a file of its tools can be imported with --from.`)],
    }
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

function isCaller(value: unknown): value is LiveCaller {
  return typeof value === 'object' && value !== null && 'listTools' in value && 'close' in value && 'server' in value
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

/** @param which beginning of the sentence "... has no name" */
function unnamedTool(which: string): Diagnostic {
  const next = 'Nothing to change in this project. Ask the author of the server to name the tool.'
  return warning('TG6014', `${which} has no name and is left out.`, next)
}
