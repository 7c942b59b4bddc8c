import { once } from 'node:events'
import { createServer, type Http2Server, type ServerHttp2Session } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import type { DurableAgents } from '@toolgen/runtime/durable'
import { type RestateAgentsOptions, restateAgents } from '@toolgen/runtime/restate'

/** Workers in this process, at an address of the loopback interface. */
export interface Workers {
  readonly address: string
  close(): Promise<void>
}

/** Serves agents in this process. */
export async function serveWorkers(agents: DurableAgents, options: RestateAgentsOptions): Promise<Workers> {
  const { services } = restateAgents(agents, options)
  const server: Http2Server = createServer(createEndpointHandler({ services, logger: () => undefined }))
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => sessions.add(session.once('close', () => sessions.delete(session))))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}`,
    close: async () => {
      server.close()
      for (const session of sessions) session.destroy()
      await once(server, 'close')
    },
  }
}
