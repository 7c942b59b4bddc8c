import { type BoundAgent, Runtime } from '@toolgen/runtime'
import type { McpCaller } from '@toolgen/runtime/mcp'
import { registerBookkeeper } from '../gen/agents/bookkeeper/index.js'

/** Who serves the tools of the bookkeeper. */
export interface BookkeeperServers {
  readonly files: McpCaller
  readonly everything: McpCaller
}

/** The agent over both servers. It has the tools that its design selects, under the names that it gives them. */
export function openBookkeeper({ files, everything }: BookkeeperServers): BoundAgent {
  return registerBookkeeper(new Runtime(), {
    toolsets: { files: { caller: files }, everything: { caller: everything } },
  })
}
