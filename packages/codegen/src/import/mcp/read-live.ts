import process from 'node:process'
import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import { type Installed, loadInstalled } from '../../installed/load-installed.js'
import { fillOrigin, type McpOrigin, shownOrigin } from './origin.js'
import { unnamedTool } from './tool-diagnostics.js'
import { whySilent } from './why-silent.js'

/** What is used of a connection. */
interface LiveCaller {
  readonly server: unknown
  listTools(options: { readonly onSkippedTool: () => void }): Promise<unknown>
  close(): Promise<unknown>
}

/** What a server answered: its name and its tools, as an import reads them. */
export interface LiveAnswer {
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
