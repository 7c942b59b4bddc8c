import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import OpenAI, { type ClientOptions } from 'openai'
import { onTestFinished } from 'vitest'

/** Body of a chat completions request. */
export interface ReceivedBody {
  readonly messages: readonly Readonly<Record<string, unknown>>[]
  readonly stream?: boolean
  readonly [field: string]: unknown
}

/** Answers one request. */
export type Reply = (response: ServerResponse, body: ReceivedBody) => void

/** Chat completions server with scripted replies. */
export interface ModelServer {
  /** Bodies of the received requests, in order. */
  readonly bodies: readonly ReceivedBody[]
  readonly headers: readonly IncomingMessage['headers'][]
  /** Returns the number of requests that the client aborted before the complete response. */
  readonly abandoned: () => number
  readonly baseURL: string
  client(options?: ClientOptions): OpenAI
}

/** API key of the clients. It must not appear in any output. */
export const KEY = 'sk-very-secret'

/** Starts a server on loopback that answers each request with the next reply. Further requests get status 418. The server ends with the test. */
export async function modelServer(...replies: readonly Reply[]): Promise<ModelServer> {
  const bodies: ReceivedBody[] = []
  const headers: IncomingMessage['headers'][] = []
  let abandoned = 0
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1
    })
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body: ReceivedBody = JSON.parse(Buffer.concat(parts).toString())
      const reply = replies[bodies.length] ?? status(418)
      bodies.push(body)
      headers.push(request.headers)
      reply(response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const baseURL = `http://127.0.0.1:${address.port}/any/v1`
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return {
    bodies,
    headers,
    abandoned: () => abandoned,
    baseURL,
    client: (options = {}) => new OpenAI({ baseURL, apiKey: KEY, logLevel: 'off', ...options }),
  }
}

/** Parts of a completion besides its message. */
export interface CompletionParts {
  readonly finish?: string
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number }
}

type Message = Readonly<Record<string, unknown>>
type Call = { readonly id?: string; readonly type?: string; readonly function: Readonly<Record<string, unknown>> }

/** A call as a model writes it. */
export function call(id: string, name: string, args: unknown): Call {
  const json = typeof args === 'string' ? args : JSON.stringify(args)
  return { id, type: 'function', function: { name, arguments: json } }
}

/** Answers with a message: complete, or in parts of a few characters if the request asks for a stream. */
export function says(message: string | Message, parts: CompletionParts = {}): Reply {
  const given: Message = typeof message === 'string' ? { content: message } : message
  const full = { role: 'assistant', content: null, refusal: null, ...given }
  return (response, body) => {
    if (body.stream === true) sendEvents(response, [...chunksOf(full, parts, body), '[DONE]'])
    else json(completion(full, parts))(response, body)
  }
}

/** Answers with calls. */
export function asks(...calls: readonly Call[]): Reply {
  return says({ tool_calls: calls }, { finish: 'tool_calls' })
}

/** Returns a complete completion. */
export function completion(message: unknown, { finish = 'stop', usage }: CompletionParts = {}): object {
  const choices = [{ index: 0, message, finish_reason: finish, logprobs: null }]
  return { id: 'c-1', object: 'chat.completion', created: 1, model: 'tiny-1', choices, ...(usage && { usage }) }
}

/** Answers with a value as JSON. */
export function json(value: unknown): Reply {
  return raw(JSON.stringify(value))
}

/** Answers with a text and status 200. */
export function raw(text: string, type = 'application/json'): Reply {
  return (response) => void response.writeHead(200, { 'content-type': type }).end(text)
}

/** Answers with an error. */
export function status(code: number, headers: Record<string, string> = {}, error: object = {}): Reply {
  const body = { error: { message: `secret words of the server, ${KEY}`, type: 'x', ...error } }
  return (response) =>
    void response.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Never answers. */
export const hangs: Reply = () => undefined

/** Begins a message, then sends nothing more. */
export const hangsInTheMiddle: Reply = (response, body) => {
  if (body.stream === true) sendEvents(response, chunksOf({ content: 'It' }, {}, body).slice(0, 1), 'open')
  else response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":[')
}

/** Begins a message, then breaks the connection. */
export const breaks: Reply = (response, body) => {
  hangsInTheMiddle(response, body)
  setTimeout(() => response.destroy(), 20)
}

/** Sends events of a stream. Texts are sent as they are, other values as JSON. */
export function events(...data: readonly unknown[]): Reply {
  return (response) => sendEvents(response, data)
}

function sendEvents(response: ServerResponse, data: readonly unknown[], end: 'end' | 'open' = 'end'): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const each of data) response.write(`data: ${typeof each === 'string' ? each : JSON.stringify(each)}\n\n`)
  if (end === 'end') response.end()
}

function chunksOf(message: Message, { finish = 'stop', usage }: CompletionParts, body: ReceivedBody): object[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: 'c-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'tiny-1',
    choices: [{ index: 0, delta, finish_reason }],
  })
  const { content, tool_calls: calls, ...rest } = message
  const texts = typeof content === 'string' ? pieces(content).map((piece) => chunk({ content: piece })) : []
  const parts = (Array.isArray(calls) ? calls : []).flatMap((each: Call, index) => {
    const { arguments: json, ...named } = each.function
    const opening = chunk({ tool_calls: [{ index, ...each, function: { ...named, arguments: '' } }] })
    const more = pieces(String(json)).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
    return [opening, ...more]
  })
  const wantsUsage = Object(body.stream_options).include_usage === true
  const account = wantsUsage && usage !== undefined ? [{ ...chunk({}), choices: [], usage }] : []
  return [chunk({ role: 'assistant', content: null, ...rest }), ...texts, ...parts, chunk({}, finish), ...account]
}

const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,5}/g) ?? []
