import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type CallerOptions, MAX_MESSAGE_BYTES } from './caller-options.js'
import { SdkCaller } from './sdk-caller.js'
import { ProcessTransport, type ServerCommand } from './transport/process-transport.js'

/** How a server is started and spoken to. */
export interface StdioCallerOptions extends ServerCommand, CallerOptions {}

/**
 * A caller of an MCP server that it starts, over stdin and stdout. The server is started by the first call and once more
 * by the call after it has died. `close` ends it with all that it started: its stdin is closed, after 2 s it gets SIGTERM,
 * after 2 s more SIGKILL. It is ended too when this process exits.
 *
 * Of the environment the server gets `HOME`, `LOGNAME`, `PATH`, `SHELL`, `TERM` and `USER`, and what `env` adds: an API key that
 * it needs is to be named there. `toolgen import` and `toolgen check --live` give a server all that they have themselves, as a
 * shell does: who types the command can say nothing else of the environment.
 *
 * @example
 * const files = stdioCaller({ command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] })
 * const search = stdioCaller({ command: 'search-server', env: { API_KEY: process.env.API_KEY } })
 */
export function stdioCaller(options: StdioCallerOptions): SdkCaller {
  return new SdkCaller(
    {
      name: [options.command, ...(options.args ?? [])].join(' '),
      open: () => transportOf(options),
      isFinal: (error) => error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn'),
    },
    options,
  )
}

function transportOf(options: StdioCallerOptions): Transport {
  const { command, args = [], env, cwd, stderr = 'ignore', maxMessageBytes = MAX_MESSAGE_BYTES } = options
  if (process.platform !== 'win32') return new ProcessTransport(options, maxMessageBytes)
  // Windows knows no process groups, and the SDK how to start its scripts.
  return new StdioClientTransport({
    command,
    args: [...args],
    stderr,
    maxBufferSize: maxMessageBytes,
    ...(env !== undefined && { env: givenVariables(env) }),
    ...(cwd !== undefined && { cwd }),
  })
}

function givenVariables(env: NonNullable<ServerCommand['env']>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
