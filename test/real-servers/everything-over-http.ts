import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** A running server process. */
export interface RunningServer {
  readonly url: string
  end(): Promise<void>
}

/** Starts server-everything over HTTP at a free port of the loopback interface. */
export async function everythingOverHttp(transport: 'streamableHttp' | 'sse'): Promise<RunningServer> {
  const preload = new URL('./loopback.mjs', import.meta.url).href
  const script = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
  const child = spawn(process.execPath, ['--import', preload, script, transport], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const exited = once(child, 'exit')
  const port: unknown = await Promise.race([
    once(child, 'message').then(([message]) => message),
    exited.then(([code]) => Promise.reject(new Error(`the server ended with ${code}`))),
  ])
  return {
    url: `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`,
    async end() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
