import { type BoundAgent, Runtime } from '@toolgen/runtime'
import type { McpCaller } from '@toolgen/runtime/mcp'
import { registerBookkeeper } from '../gen/agents/bookkeeper/index.js'

/** Callers of the servers that provide the tools of the bookkeeper. */
export interface BookkeeperServers {
  readonly files: McpCaller
  readonly everything: McpCaller
}

/** Registers the agent with both servers. The design selects and renames its tools. */
export function openBookkeeper({ files, everything }: BookkeeperServers): BoundAgent {
  return registerBookkeeper(new Runtime(), {
    toolsets: { files: { caller: files }, everything: { caller: everything } },
  })
}
