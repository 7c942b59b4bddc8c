import process from 'node:process'
import { type Installed, loadInstalled } from '../dev/installed-runtime.js'
import { type Checked, type Diagnostic, nearest } from '../diagnostics/diagnostic.js'
import { isObject, type Json, own, type SchemaObject, stringsOf, without } from '../schema/json-schema.js'
import { fillOrigin, type McpOrigin, readOrigin, shownOrigin } from './mcp-origin.js'
import { isDeeper, leftOut, mostLevels, type ToolSource, unknownResult } from './tool-diagnostics.js'

/** What an MCP server says of itself and of its tools. */
export interface McpCapture {
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly CapturedTool[]
  /** Where the server can be asked again, as a snapshot says it. */
  readonly origin?: McpOrigin
  /** The server's names of tools whose progress becomes updates, as a snapshot says it. */
  readonly progress?: readonly string[]
}

/** A tool as `tools/list` answers it. */
export interface CapturedTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: Json
  readonly outputSchema?: SchemaObject
  readonly annotations: SchemaObject
  /** All of it, as the server sent it. */
  readonly raw: SchemaObject
}

/**
 * Reads what was captured of a server: the answer to `tools/list`, alone or in the envelope of its protocol, with the answer
 * to `initialize` beside it, or what an earlier import has written. A tool without a name is left out, and so are parts that
 * nest too deep for a snapshot; each is a warning.
 *
 * @param source what was read, for messages
 */
export function readCapture(captured: unknown, source: string): Checked<McpCapture> {
  const outer = isObject(captured) ? captured : {}
  const result = own(outer, 'result')
  const answer = isObject(result) ? result : outer
  const list = own(answer, 'tools')
  if (!Array.isArray(list)) return { diagnostics: [noList(source, 'It has no list `tools`.')] }
  const diagnostics: Diagnostic[] = []
  const tools = list.flatMap((raw: Json, index) => readTool(raw, index + 1, diagnostics) ?? [])
  const server = serverOf(outer)
  const origin = readOrigin(own(outer, 'origin'))
  const progress = stringsOf(outer, 'progress')
  const value: McpCapture = {
    ...(server !== undefined && { server }),
    tools,
    ...(origin !== undefined && { origin }),
    ...(progress.length > 0 && { progress }),
  }
  return { value, diagnostics }
}

/** @param position of the tool in its list, from 1 */
function readTool(listed: Json, position: number, diagnostics: Diagnostic[]): CapturedTool | undefined {
  const name = isObject(listed) ? textOf(listed, 'name') : undefined
  if (!isObject(listed) || name === undefined) {
    diagnostics.push(unnamedTool(`The tool ${position} of the list`))
    return undefined
  }
  const deep = Object.keys(listed).filter((key) => isDeeper(listed[key], mostLevels - 1))
  const why = `it nests more than ${mostLevels} levels deep`
  if (deep.includes('inputSchema')) {
    diagnostics.push(leftOut(mcpServer, name, why))
    return undefined
  }
  if (deep.includes('outputSchema')) diagnostics.push(unknownResult(mcpServer, name, why))
  const raw = without(listed, deep)
  const annotations = own(raw, 'annotations')
  const facts = isObject(annotations) ? annotations : {}
  const title = textOf(raw, 'title') ?? textOf(facts, 'title')
  const description = textOf(raw, 'description')
  const output = own(raw, 'outputSchema')
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: own(raw, 'inputSchema') ?? {},
    ...(isObject(output) && { outputSchema: output }),
    annotations: facts,
    raw,
  }
}

function serverOf(outer: SchemaObject): McpCapture['server'] {
  const initialize = own(outer, 'initialize')
  const info = isObject(initialize) ? own(initialize, 'serverInfo') : own(outer, 'server')
  if (!isObject(info)) return undefined
  const name = textOf(info, 'name')
  return name === undefined ? undefined : { name, version: textOf(info, 'version') ?? '' }
}

/** A text that says something. */
function textOf(object: SchemaObject, key: string): string | undefined {
  const value = own(object, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

function noList(source: string, why: string): Checked<McpCapture>['diagnostics'][number] {
  return {
    code: 'TG6001',
    severity: 'error',
    message: `${source} is no answer to \`tools/list\`. ${why}`,
    next: 'Give JSON such as `{ "tools": [{ "name": "read_file", "inputSchema": { "type": "object" } }] }`.',
  }
}

/** What is used of a connection. */
interface LiveCaller {
  readonly server: unknown
  listTools(options: { readonly onSkippedTool: () => void }): Promise<unknown>
  close(): Promise<unknown>
}

/** What a server answered: its name and its tools, as an import reads them. */
interface LiveAnswer {
  readonly initialize: { readonly serverInfo: unknown }
  readonly tools: unknown
}

/**
 * Asks a server for its tools, through the callers that the project has installed.
 *
 * @param cwd where the server is started, and the project: absolute
 */
export async function readLive(origin: McpOrigin, cwd: string): Promise<Checked<LiveAnswer>> {
  const filled = fillOrigin(origin, process.env)
  if ('missing' in filled) return { diagnostics: [notSet(filled.missing)] }
  const name = 'url' in origin ? 'httpCaller' : 'stdioCaller'
  const { value: connect, diagnostics } = await loadInstalled('@toolgen/runtime/mcp', name, cwd)
  if (connect === undefined) return { diagnostics }
  let caller: LiveCaller | undefined
  try {
    caller = connected(connect, optionsOf(filled.origin, cwd))
    const skipped: Diagnostic[] = []
    const onSkippedTool = (): void => {
      skipped.push(unnamedTool('A tool of the list'))
    }
    const tools = await caller.listTools({ onSkippedTool })
    return { value: { initialize: { serverInfo: caller.server }, tools }, diagnostics: skipped }
  } catch (error) {
    return { diagnostics: [noAnswer(origin, filled.hide(whySilent(error, filled.origin)))] }
  } finally {
    await caller?.close()
  }
}

function connected(connect: Installed, options: object): LiveCaller {
  const made: unknown = Reflect.apply(connect, undefined, [options])
  if (!isCaller(made)) throw new TypeError('the installed runtime gives no caller')
  return made
}

/**
 * One try: nobody waits for a server that is not there. It has the whole environment, since keys are given there. What it
 * writes beside its answers is shown only where it gives none.
 */
function optionsOf(origin: McpOrigin, cwd: string): object {
  const once = { reconnect: { attempts: 1 } }
  if ('url' in origin) return { url: origin.url, ...once }
  const [command, ...args] = origin.command
  return { command, args, cwd, env: { ...process.env }, ...once }
}

function isCaller(value: unknown): value is LiveCaller {
  return typeof value === 'object' && value !== null && 'listTools' in value && 'close' in value && 'server' in value
}

function noAnswer(origin: McpOrigin, why: string): Diagnostic {
  const look =
    'url' in origin
      ? 'See whether Streamable HTTP is spoken at this address, and whether it is open to you'
      : 'Start it by hand to see whether it runs'
  return {
    code: 'TG0012',
    severity: 'error',
    message: `The server ${shownOrigin(origin)} does not tell its tools: ${why}.`,
    next: `${look}; a file of its tools can be imported with --from.`,
  }
}

function notSet(names: readonly string[]): Diagnostic {
  const listed = names.map((name) => `\`${name}\``).join(', ')
  return {
    code: 'TG0014',
    severity: 'error',
    message: `The server is not asked: the environment has no ${listed}.`,
    next: `Set ${names.length === 1 ? 'it' : 'them'} where toolgen runs; \`\${NAME}\` in a command or an address stands for a variable.`,
  }
}

/**
 * Why a server did not tell its tools, for a sentence that has said already which server it is; nothing twice, whatever an
 * error quotes of its cause.
 *
 * @param error what the caller of the installed runtime threw
 * @param origin where the server was asked, variables filled in
 */
export function whySilent(error: unknown, origin: McpOrigin): string {
  const said = `no connection to the MCP server ${'url' in origin ? origin.url : origin.command.join(' ')}`
  const parts = messagesOf(error).map((message) => {
    const news = message.startsWith(said) ? message.slice(said.length).replace(/^: /, '') : message
    return (news.split('\n')[0] ?? '').replace(/\.$/, '')
  })
  return parts
    .filter((part, index) => !parts.slice(0, index).some((earlier) => earlier.includes(part)) && part !== '')
    .join(': ')
    .replace(/^the server (?=ended\b)/, 'it ')
}

function messagesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [error.message, ...(error.cause === undefined ? [] : messagesOf(error.cause))]
}

/** An MCP server as the source of tools. */
export const mcpServer: ToolSource = {
  subject: 'The server',
  fix: 'Tell those who make the server',
  rename: 'fromMcp(toolset, { rename: { tool: "name" } })',
}

/** The server runs a tool in a way that callers do not ask for. */
export function onlyAsTask(name: string): Diagnostic {
  return {
    code: 'TG6012',
    severity: 'warning',
    message: `The server runs \`${name}\` as a task alone, which callers do not ask for: it will refuse every call.`,
    next: 'Leave it out where an agent uses the toolset: `fromMcp(toolset, { only: [...] })`.',
  }
}

/** `--progress` names a tool that the server does not have. */
export function noSuchTool(name: string, known: readonly string[]): Diagnostic {
  const near = nearest(name, known)
  return {
    code: 'TG0001',
    severity: 'error',
    message: `--progress names \`${name}\`, and the server has no such tool.`,
    next: near[0] === undefined ? `Its tools are: ${known.join(', ')}.` : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}

/**
 * A tool that no call can name.
 *
 * @param which what it is, in words that end "... has no name"
 */
function unnamedTool(which: string): Diagnostic {
  return {
    code: 'TG6014',
    severity: 'warning',
    message: `${which} has no name and is left out.`,
    next: 'Nothing to change in this project. Ask the author of the server to name the tool.',
  }
}

/** A list without a tool that a design can have. */
export function noTools(source: string): Diagnostic {
  return {
    code: 'TG6001',
    severity: 'error',
    message: `${source} lists no tool that can be imported; nothing was written.`,
    next: 'If warnings name tools that were left out, correct these tools at the server. Or import from another server.',
  }
}

/** Several tools of one name. */
export function listedTwice(name: string): Diagnostic {
  return {
    code: 'TG6002',
    severity: 'warning',
    message: `The server lists \`${name}\` more than once; the first one is taken.`,
    next: 'Tell those who make the server.',
  }
}
