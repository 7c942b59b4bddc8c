import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'

/** Where a server is: what starts it, or its address. */
export type LiveServer = { readonly command: readonly string[] } | { readonly url: string }

/** What is used of a connection: the runtime that has those is the project's, and no dependency of this package. */
interface LiveCaller {
  readonly server: unknown
  listTools(): Promise<unknown>
  close(): Promise<unknown>
}

const callers = '@toolgen/runtime/mcp'

/**
 * Asks a server for its tools, through the callers that the project has installed.
 *
 * @param cwd the project: absolute
 */
export async function readLive(
  server: LiveServer,
  cwd: string,
): Promise<Checked<{ readonly json: unknown; readonly source: string }>> {
  const source = 'url' in server ? `\`${server.url}\`` : `\`${server.command.join(' ')}\``
  const connect = await callerOf(server, cwd)
  if (typeof connect !== 'function') return { diagnostics: [connect] }
  let caller: LiveCaller | undefined
  try {
    caller = connect()
    const tools = await caller.listTools()
    return { value: { json: { initialize: { serverInfo: caller.server }, tools }, source }, diagnostics: [] }
  } catch (error) {
    return { diagnostics: [noAnswer(source, messageOf(error))] }
  } finally {
    await caller?.close()
  }
}

async function callerOf(server: LiveServer, cwd: string): Promise<(() => LiveCaller) | Diagnostic> {
  let module: object
  try {
    module = await import(pathToFileURL(createRequire(join(cwd, 'package.json')).resolve(callers)).href)
  } catch (error) {
    return notInstalled(messageOf(error))
  }
  const name = 'url' in server ? 'httpCaller' : 'stdioCaller'
  const make: unknown = Reflect.get(module, name)
  if (typeof make !== 'function') return notInstalled(`it has no \`${name}\``)
  return () => {
    const made: unknown = Reflect.apply(make, undefined, [optionsOf(server, cwd)])
    if (!isCaller(made)) throw new TypeError(`\`${name}\` of ${callers} gives no caller`)
    return made
  }
}

/**
 * One try: nobody waits for a server that is not there. What a server complains of is shown as it is, and it has the whole
 * environment, since keys are given there.
 */
function optionsOf(server: LiveServer, cwd: string): object {
  const once = { reconnect: { attempts: 1 } }
  if ('url' in server) return { url: server.url, ...once }
  const [command, ...args] = server.command
  return { command, args, cwd, env: { ...process.env }, stderr: 'inherit', ...once }
}

function isCaller(value: unknown): value is LiveCaller {
  return typeof value === 'object' && value !== null && 'listTools' in value && 'close' in value && 'server' in value
}

/** What went wrong and what caused it, each on its first line. */
function messageOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  const what = line.replace(/\.$/, '')
  return error instanceof Error && error.cause !== undefined ? `${what}: ${messageOf(error.cause)}` : what
}

function noAnswer(source: string, why: string): Diagnostic {
  return {
    code: 'TG0012',
    severity: 'error',
    message: `The server ${source} does not tell its tools: ${why}.`,
    next: 'Start it by hand to see whether it runs; a file of its tools can be given with --from.',
  }
}

function notInstalled(why: string): Diagnostic {
  return {
    code: 'TG0013',
    severity: 'error',
    message: `A server cannot be asked, because \`${callers}\` cannot be loaded: ${why}.`,
    next: 'Install it in the project: `npm install @toolgen/runtime @modelcontextprotocol/sdk`.',
  }
}
