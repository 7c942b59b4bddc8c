import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { CallerOptions } from './caller-options.js'
import { SdkCaller } from './sdk-caller.js'

/** A server that can be connected to a transport: the SDK's `Server` and `McpServer` are. */
export interface ConnectableServer {
  /** Serves one client over this transport. */
  connect(transport: Transport): Promise<unknown>
}

/**
 * A caller of a server in the same process, for tests. Give a function to have a new server for each connection.
 *
 * @example
 * const caller = inMemoryCaller(() => newServer())
 */
export function inMemoryCaller(
  server: ConnectableServer | (() => ConnectableServer | Promise<ConnectableServer>),
  options: CallerOptions = {},
): SdkCaller {
  return new SdkCaller(
    {
      name: 'in this process',
      open: async () => {
        const [mine, theirs] = InMemoryTransport.createLinkedPair()
        const target = typeof server === 'function' ? await server() : server
        await target.connect(theirs)
        return mine
      },
    },
    options,
  )
}
