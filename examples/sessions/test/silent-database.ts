import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** Starts a TCP server that accepts connections and never responds. */
export async function silentDatabase() {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.')
  return {
    url: `postgresql://nobody@127.0.0.1:${address.port}/none`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
