import { createRequire } from 'node:module'
import { type SdkCaller, stdioCaller } from '@toolgen/runtime/mcp'

const require = createRequire(import.meta.url)

/** Starts the file server, which has access only to this folder. The server is a dev dependency, so the start downloads nothing. */
export function filesServer(folder: string): SdkCaller {
  const server = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')
  return stdioCaller({ command: process.execPath, args: [server, '.'], cwd: folder })
}

/** Starts the server that demonstrates all features of MCP servers. */
export function everythingServer(): SdkCaller {
  const server = require.resolve('@modelcontextprotocol/server-everything/dist/index.js')
  return stdioCaller({ command: process.execPath, args: [server, 'stdio'] })
}
