import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type HttpCallerOptions, httpCaller, inMemoryCaller, type SdkCaller, stdioCaller } from '@toolgen/runtime/mcp'
import { atEnd, listening } from './http-server.fixture.js'
import { TaskServer } from './task-server.mjs'

type Options = Omit<HttpCallerOptions, 'url'>
type Requests = TaskServer['requests']

/** A server with tasks, which all its callers share. */
export interface ReachedServer {
  caller(options?: Options): SdkCaller
  requests(): Requests
}

export type Reach = (server?: TaskServer) => Promise<ReachedServer>

export function opened(caller: SdkCaller): SdkCaller {
  atEnd(() => caller.close())
  return caller
}

export const inMemory: Reach = async (server = new TaskServer()) => ({
  requests: () => server.requests,
  caller: (options) => {
    const connect = async (transport: any): Promise<void> => {
      transport.onmessage = async ({ id, method, params }: any) => {
        const answer = server.answer(method, params)
        if (answer !== undefined && 'fault' in answer) await transport.close()
        else if (answer !== undefined && (id ?? answer.id) !== undefined)
          await transport.send({ jsonrpc: '2.0', id, ...answer })
      }
      await transport.start()
    }
    return opened(inMemoryCaller(() => ({ connect }), options))
  },
})

/** Each caller starts another process. The processes share a file with their tasks. */
export const overStdio: Reach = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-tasks-'))
  atEnd(async () => rmSync(folder, { recursive: true }))
  const script = fileURLToPath(new URL('./task-server.mjs', import.meta.url))
  const store = join(folder, 'tasks.json')
  return {
    requests: () => JSON.parse(readFileSync(store, 'utf8')).requests,
    caller: (options) =>
      opened(stdioCaller({ command: process.execPath, args: [script], env: { STORE: store }, ...options })),
  }
}

const overHttp =
  (kind: 'application/json' | 'text/event-stream'): Reach =>
  async (server = new TaskServer()) => {
    const url = await listening(async (request, response) => {
      const { id, method, params } = JSON.parse((await text(request)) || '{}')
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { 'mcp-name': name, 'mcp-method': header } = request.headers
      if (method.startsWith('tasks/') && (name !== params.taskId || header !== method))
        throw new Error(`${method} has the headers ${name} and ${header}`)
      const answer = server.answer(method, params)
      // The client ends the request when it no longer waits.
      if (answer === undefined) return
      if ('fault' in answer) {
        if (answer.fault === 'lost') return void request.socket.destroy()
        return void response.writeHead(answer.fault.status, answer.fault.headers).end()
      }
      const message = JSON.stringify({ jsonrpc: '2.0', id, ...answer })
      response.writeHead(200, { 'content-type': kind })
      response.end(kind === 'application/json' ? message : `event: message\ndata: ${message}\n\n`)
    })
    return { requests: () => server.requests, caller: (options) => opened(httpCaller({ url, ...options })) }
  }

export const overJson: Reach = overHttp('application/json')
export const overEvents: Reach = overHttp('text/event-stream')

export const methods = (requests: Requests): readonly string[] => requests.map(({ method }) => method)
