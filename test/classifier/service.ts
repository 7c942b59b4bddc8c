import { createServer, type Server, type ServerResponse } from 'node:http'
import type { Server as NetServer } from 'node:net'
import { SECRET } from './thrown.js'

/** Response of a service: complete, or with a network failure. */
export type Answer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'resets the connection'
  | 'never answers'
  | 'stops within its answer'
  | 'breaks off its answer'

/** Service on the loopback interface that answers all requests as configured last. */
export interface Service {
  readonly url: string
  answer: Answer
  close(): Promise<void>
}

const json = { 'content-type': 'application/json' }
const body = JSON.stringify({ message: SECRET, error: { message: SECRET, type: 'invalid' } })

/** Starts a service on a free port. */
export async function startService(): Promise<Service> {
  const server = createServer((request, response) => {
    request.resume()
    reply(response, service.answer)
  })
  const port = await listen(server)
  const service: Service = {
    url: `http://127.0.0.1:${port}`,
    answer: { status: 200 },
    close: () => stop(server),
  }
  return service
}

function reply(response: ServerResponse, answer: Answer): void {
  if (answer === 'never answers') return
  if (answer === 'resets the connection') {
    response.socket?.destroy()
  } else if (typeof answer === 'string') {
    response.writeHead(200, { ...json, 'content-length': '100' })
    response.write('{"a":', () => {
      if (answer === 'breaks off its answer') setTimeout(() => response.socket?.destroy(), 20)
    })
  } else {
    response.writeHead(answer.status, { ...json, ...answer.headers })
    response.end(answer.body ?? body)
  }
}

/** Returns the address of a port without a listener. */
export async function deserted(): Promise<string> {
  const server = createServer()
  const port = await listen(server)
  await stop(server)
  return `http://127.0.0.1:${port}`
}

/** Listens on a free port of the loopback interface and resolves with the port. */
export function listen(server: NetServer): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (typeof address === 'object' && address !== null) resolve(address.port)
    })
  })
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
