import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect } from 'vitest'
import { Runtime, type Tool, type ToolLayer, tool, toolset } from '../../packages/runtime/src/index.js'
import type { ServedClient } from '../../packages/runtime/src/mcp/served-client.js'
import { type McpService, serveMcp } from '../../packages/runtime/src/mcp.js'
import { atEnd } from './http-server.fixture.js'

export const TASKS = 'io.modelcontextprotocol/tasks'

type Served = Parameters<typeof serveMcp<any, any>>[1]

export const withTasks = { elicitation: {}, sampling: {}, extensions: { [TASKS]: {} } }

/** A request of protocol 2026-07-28. */
const request = (
  method: string,
  params: object,
  { capabilities = withTasks, progressToken, logLevel }: Sent = {},
): object => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...(progressToken !== undefined && { progressToken }),
      ...(logLevel !== undefined && { 'io.modelcontextprotocol/logLevel': logLevel }),
    },
  },
})

interface Sent {
  readonly capabilities?: object
  readonly token?: string | undefined
  readonly progressToken?: number
  readonly logLevel?: string
}

class Connection {
  readonly notifications: unknown[] = []
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  /** Resolves with the JSON-RPC response. */
  send(method: string, params: Record<string, unknown> = {}, sent: Sent = {}): Promise<any> {
    return this.post(request(method, params, sent), sent)
  }

  async post(message: any, { token }: Sent = {}): Promise<any> {
    const { method, params } = message
    const name = params.taskId ?? params.name
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name !== undefined && { 'mcp-name': name }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(message),
    })
    const text = await response.text()
    const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data))
    this.notifications.push(...events.slice(0, -1))
    return events.at(-1) ?? JSON.parse(text)
  }

  async call(name: string, args: object = {}, sent?: Sent): Promise<any> {
    const { result, error } = await this.send('tools/call', { name, arguments: args }, sent)
    if (error !== undefined) throw Object.assign(new Error(error.message), error)
    return result
  }

  /** Starts a task and resolves with its id. */
  async start(name: string, args: object = {}, sent?: Sent): Promise<string> {
    const created = await this.call(name, args, sent)
    expect(created).toMatchObject({ resultType: 'task', status: 'working', taskId: expect.any(String) })
    return created.taskId
  }

  async get(taskId: string, sent?: Sent): Promise<any> {
    const { result, error } = await this.send('tasks/get', { taskId }, sent)
    return result ?? error
  }

  /** Resolves when the task has the given status. */
  async until(taskId: string, status: string): Promise<any> {
    await expect.poll(async () => (await this.get(taskId)).status).toBe(status)
    return this.get(taskId)
  }

  async answer(taskId: string, inputResponses: object): Promise<any> {
    return (await this.send('tasks/update', { taskId, inputResponses })).result
  }

  async cancel(taskId: string): Promise<any> {
    return (await this.send('tasks/cancel', { taskId })).result
  }
}

/** Each call becomes a task at once. */
const tasks = { afterMs: 0 }

/** Serves tools over HTTP. */
export async function served(
  tools: readonly Tool<any>[],
  more: Partial<Omit<Served, 'toolsets'>> = {},
): Promise<Connection & { readonly service: McpService }> {
  const options = { toolsets: [toolset('jobs', ...tools)], transport: { port: 0 }, tasks, ...more } as Served
  const service = await serveMcp<any, any>(new Runtime(), options)
  atEnd(() => service.close())
  return Object.assign(new Connection(service.url ?? ''), { service })
}

export const parameters = { type: 'object' } as const
const updates = { type: 'object' } as const

interface Job {
  readonly tool: Tool
  /** Signals of the started calls. */
  readonly started: AbortSignal[]
  /** Emits an update from the last call. */
  emit(update: object): Promise<unknown>
  finish(result?: unknown): void
}

/** A streaming tool that the test controls. */
export function job(name = 'work'): Job {
  const started: AbortSignal[] = []
  let emit = async (_: object): Promise<unknown> => undefined
  let finish: (result: unknown) => void = () => undefined
  return {
    started,
    emit: (update) => emit(update),
    finish: (result = 'done') => finish(result),
    tool: tool({
      name,
      description: 'Works.',
      parameters,
      updates,
      run: (_, request) => {
        emit = async (update) => request.emit(update)
        started.push(request.meta.signal)
        return new Promise((resolve) => {
          finish = resolve
        })
      },
    }),
  }
}

export const streaming = (name: string, run: () => unknown): Tool =>
  tool({ name, description: 'Works.', parameters, updates, run })

/** A streaming tool that asks its client. */
export function asking(name: string, ask: (client: ServedClient) => Promise<unknown>): Tool<any> {
  const layer: ToolLayer<any> = () => async (call) => call.complete(await ask(call.env.client))
  return streaming(name, () => undefined).layer(layer)
}

export const ownClient: Pick<Served, 'context'> = { context: ({ client }) => ({ env: { client } }) }
export const field = (name: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string' as const } },
  required: [name],
})
export const acknowledged = { resultType: 'complete' }
export const shownAs = (result: unknown): object => ({ content: [{ type: 'text', text: result }] })
export const completedWith = (result: unknown): object => ({ ...acknowledged, ...shownAs(result) })
/** The result that a client without tasks receives. */
export const resultWithoutTask = async (server: Connection, name: string): Promise<object> => {
  const { _meta, ...result } = await server.call(name, {}, { capabilities: {} })
  return result
}

interface Messages {
  readonly service: McpService
  readonly input: PassThrough
  /** Messages of the server that are no responses. */
  readonly notifications: unknown[]
  send(method: string, params: object, sent?: Sent): Promise<any>
}

/** Serves tools over two streams. */
export async function overStreams(tools: readonly Tool<any>[]): Promise<Messages> {
  const input = new PassThrough()
  const output = new PassThrough()
  const toolsets = [toolset('jobs', ...tools)]
  const service = await serveMcp<any>(new Runtime(), {
    toolsets,
    transport: { input, output },
    tasks,
    ...ownClient,
  } as Served)
  atEnd(() => service.close())
  const notifications: unknown[] = []
  const waiting = new Map<unknown, (result: unknown) => void>()
  createInterface({ input: output }).on('line', (line) => {
    const { id, result, ...message } = JSON.parse(line)
    if (id === undefined) notifications.push(message)
    else waiting.get(id)?.(result)
  })
  const send = (method: string, params: object, sent?: Sent): Promise<any> => {
    const id = waiting.size + 1
    input.write(`${JSON.stringify({ ...request(method, params, sent), id })}\n`)
    return new Promise((resolve) => waiting.set(id, resolve))
  }
  return { service, input, notifications, send }
}
