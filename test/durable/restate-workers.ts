import { once } from 'node:events'
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import type { DurableAgents } from '@toolgen/runtime/durable'
import { type RestateAgentsOptions, restateAgents } from '@toolgen/runtime/restate'
import { NoRestateError, type RestateServer, startRestate } from '../../scripts/lib/restate.mjs'

/** Workers in this process, at an address of the loopback interface. */
export interface Workers {
  readonly address: string
  /** Closes the connections of Restate, like a crash of the process. */
  disconnect(): void
  close(): Promise<void>
}

/** Serves agents in this process. */
export async function serveWorkers(agents: DurableAgents, options: RestateAgentsOptions): Promise<Workers> {
  const handler = createEndpointHandler({ ...restateAgents(agents, options), logger: () => undefined })
  const server: Http2Server = createServer(handler)
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => sessions.add(session.once('close', () => sessions.delete(session))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const disconnect = (): void => {
    for (const session of sessions) session.destroy()
  }
  return {
    address: `http://127.0.0.1:${port}`,
    disconnect,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      disconnect()
      await closed
    },
  }
}

/** Starts a Restate server. Returns `undefined` if the server cannot be installed. */
export async function restateServer(): Promise<RestateServer | undefined> {
  return startRestate().catch((error: unknown) => {
    if (error instanceof NoRestateError) return undefined
    throw error
  })
}

let services = 0

/** Returns a service name that is unique in this process. */
export function newServiceName(): string {
  services += 1
  return `service-${services}`
}
