import { createServer, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'
import type { ModelRetry } from '../../packages/runtime/src/adapters/model-driver.js'
import type { ModelDriver } from '../../packages/runtime/src/types/planner.js'

/** Response of a model, independent of an API. */
export interface Reply {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: string }[]
  readonly refusal?: string
  /** Default: `stop`, or `tool_calls` if there are calls. */
  readonly finish?: 'length' | 'content_filter'
}

/** Token counts of every reply. */
export const USAGE = { prompt: 120, completion: 30, cached: 100, reasoning: 20 } as const

/** Data that APIs return with reasoning, and require in the next request. */
export const SIGNATURE = 'c2lnbmVkLXJlYXNvbmluZw=='

/** Options that all drivers have. */
export interface CommonOptions {
  readonly stream: boolean
  readonly retry: ModelRetry
  readonly onDelta?: (delta: object) => void
  /** True to use strict mode for tools. Not all drivers have this option. */
  readonly strict?: boolean
}

/** API of a provider, with its driver. */
export interface Api {
  readonly name: string
  /** Creates the driver of the API for a server. */
  driver(baseURL: string, options: CommonOptions): ModelDriver
  /** Returns true if a request asks for a stream. */
  isStream(body: RequestBody, url: string): boolean
  /** Returns a response that is not streamed. */
  whole(reply: Reply): object
  /** Returns the events of a streamed response, each as the text of a server-sent event. */
  events(reply: Reply): readonly string[]
  /** Returns the body of an error. `retryAfter` is the time to wait in seconds. */
  error(status: number, retryAfter?: string): object
  /** Event of a stream that reports an overloaded server. */
  readonly overloaded: string
  /** Returns a response without a message. */
  readonly empty: object
  /** Texts that the request after a reply with this reasoning must contain. */
  kept(reasoning: string): readonly string[]
  /**
   * Structured answer for the schema of the scenario (`text`), and a text that its request must contain (`marker`). Default: OpenAI's strict mode.
   */
  readonly structured?: { readonly marker: string; readonly text: string }
  /** Scenarios that the API does not have, with the reason. */
  readonly without?: Readonly<Record<string, string>>
}

export type RequestBody = Readonly<Record<string, unknown>>

/** Answers a request. */
export type Answer = (response: ServerResponse, context: { readonly api: Api; readonly stream: boolean }) => void

/** Server on loopback that speaks the dialect of an API. */
export interface ApiServer {
  readonly baseURL: string
  readonly bodies: readonly RequestBody[]
  /** Number of requests that the client aborted before the complete response. */
  readonly abandoned: () => number
}

/** Starts a server that answers each request with the next answer. It ends with the test. */
export async function apiServer(api: Api, ...answers: readonly Answer[]): Promise<ApiServer> {
  const bodies: RequestBody[] = []
  let abandoned = 0
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    response.on('close', () => {
      if (!response.writableFinished) abandoned += 1
    })
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body: RequestBody = JSON.parse(Buffer.concat(parts).toString())
      const answer = answers[bodies.length] ?? status(418)
      bodies.push(body)
      answer(response, { api, stream: api.isStream(body, request.url ?? '') })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  onTestFinished(() => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  return { baseURL: `http://127.0.0.1:${address.port}`, bodies, abandoned: () => abandoned }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Answers with a message. */
export function says(reply: Reply | string): Answer {
  const full = typeof reply === 'string' ? { text: reply } : reply
  return (response, { api, stream }) => {
    if (stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(api.events(full).join(''))
    else response.writeHead(200, JSON_TYPE).end(JSON.stringify(api.whole(full)))
  }
}

/** Answers with an error status. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response, { api }) => {
    response.writeHead(code, { ...JSON_TYPE, ...headers }).end(JSON.stringify(api.error(code, headers['retry-after'])))
  }
}

/** Never answers. */
export const hangs: Answer = () => undefined

/** Begins a message, then sends nothing more. */
export const hangsInTheMiddle: Answer = (response, { api, stream }) => {
  const [first = ''] = stream ? api.events({ text: 'It has' }) : ['{"id":']
  response.writeHead(200, stream ? { 'content-type': 'text/event-stream' } : JSON_TYPE).write(first)
}

/** Sends some events of a text, then reports an overloaded server. */
export const reportsError =
  (after: number): Answer =>
  (response, { api }) => {
    const events = api.events({ text: 'It has shipped.' }).slice(0, after)
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end([...events, api.overloaded].join(''))
  }

/** Begins a message, then breaks the connection. */
export const breaks: Answer = (response, context) => {
  hangsInTheMiddle(response, context)
  setImmediate(() => response.destroy())
}

/** Ends a response without an error in the middle of a call's arguments, or before the end of a stream that has arguments in one event. */
export const endsInCall: Answer = (response, { api, stream }) => {
  const reply: Reply = { calls: [{ id: 'c-1', name: 'orders_getOrder', arguments: '{"orderId":"A-1"}' }] }
  if (!stream) return void response.writeHead(200, JSON_TYPE).end(JSON.stringify(api.whole(reply)).slice(0, -20))
  const events = api.events(reply)
  const cut = events.slice(0, events.findIndex((each) => each.includes('Id')) + 1)
  return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(cut.join(''))
}

/** Sends truncated JSON. */
export const sendsHalfJson: Answer = (response, { api, stream }) => {
  if (!stream)
    return void response.writeHead(200, JSON_TYPE).end(JSON.stringify(api.whole({ text: 'Hi' })).slice(0, -9))
  const [first = ''] = api.events({ text: 'Hi' })
  return void response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(`${first.trimEnd().slice(0, -9)}\n\n${api.events({ text: 'Hi' }).slice(1).join('')}`)
}

/** Sends a response without a message. */
export const sendsNothing: Answer = (response, { api, stream }) => {
  const json = JSON.stringify(api.empty)
  if (stream) response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${json}\n\n`)
  else response.writeHead(200, JSON_TYPE).end(json)
}

/** Ends a stream before its first event. */
export const endsAtOnce: Answer = (response) =>
  void response.writeHead(200, { 'content-type': 'text/event-stream' }).end()

/** Answers with JSON and the status 200, even if the request asks for a stream. */
export const sendsJson =
  (json: (api: Api) => object): Answer =>
  (response, { api }) =>
    void response.writeHead(200, JSON_TYPE).end(JSON.stringify(json(api)))

/** Sends a stream with the content type of JSON. */
export const sendsEventsAsJson: Answer = (response, { api }) =>
  void response.writeHead(200, JSON_TYPE).end(api.events({ text: 'There.' }).join(''))

/** Returns a server-sent event. */
export function event(data: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
}

/** Splits a text into parts of a few characters. */
export const pieces = (text: string): readonly string[] => text.match(/[\s\S]{1,7}/g) ?? []
