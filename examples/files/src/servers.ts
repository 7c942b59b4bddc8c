import { createRequire } from 'node:module'
import { type SdkCaller, stdioCaller } from '@toolgen/runtime/mcp'

const require = createRequire(import.meta.url)

/** The file server, which may work in one folder. It is a dev dependency: nothing is fetched to start it. */
export function filesServer(folder: string): SdkCaller {
  const server = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
  return stdioCaller({ command: process.execPath, args: [server, '.'], cwd: folder })
}

/** The server that shows everything a server may do. */
export function everythingServer(): SdkCaller {
  const server = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
  return stdioCaller({ command: process.execPath, args: [server, 'stdio'] })
}
