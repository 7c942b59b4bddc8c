import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpCaller, type SdkCaller, sseCaller } from '../../packages/runtime/src/mcp.js'
import { atEnd, type Called, calledEventServer, calledServer, endAll, listening } from './http-server.fixture.js'
import { faultCaller } from './served.fixture.js'

afterEach(() => {
  vi.useRealTimers()
  return endAll()
})

const { signal } = new AbortController()
const stream = { 'content-type': 'text/event-stream' }
const asJson = { 'content-type': 'application/json' }

async function called(caller: SdkCaller, name = 'go', args = {}): Promise<object> {
  atEnd(() => caller.close())
  return caller.callTool({ name, arguments: args }, { signal })
}

/** What a call comes to whose answer has such fields beside the version and its id; no time-out ends it. */
const routes: readonly (readonly [string, (answer: object) => Promise<object>])[] = [
  ['stdio', (answer) => called(faultCaller({ timeoutMs: Infinity }), 'raw', { ...answer })],
  ['JSON', (answer) => overHttp((id, response) => response.writeHead(200, asJson).end(text(id, answer)))],
  ['a stream', (answer) => overHttp((id, response) => response.writeHead(200, stream).write(event(id, answer)))],
  [
    'server-sent events',
    async (answer) => {
      const url = await calledEventServer((id, response) => response.write(event(id, answer)))
      return called(sseCaller({ url, timeoutMs: Infinity }))
    },
  ],
]

const text = (id: number, answer: object): string => JSON.stringify({ jsonrpc: '2.0', id, ...answer })
const event = (id: number, answer: object): string => `data: ${text(id, answer)}\n\n`

async function overHttp(answering: Called): Promise<object> {
  const url = await calledServer(answering)
  return called(httpCaller({ url, timeoutMs: Infinity, reconnect: { attempts: 1 } }))
}

describe.each(routes)('over %s', (_, answered) => {
  it.each([
    ['a text for a result', { result: 'done' }],
    ['null for a result', { result: null }],
    ['neither result nor error', {}],
    ['a result and an error', { result: {}, error: { code: 1, message: 'x' } }],
    ['an error without a code', { error: { message: 'x' } }],
    ['a text for an error', { error: 'x' }],
  ])('an answer with %s is malformed at once', async (_what, answer) => {
    await expect(answered(answer)).rejects.toMatchObject({ code: 'malformed' })
  })

  it.each([
    ['a time-out', { code: -32001, message: 'Request timed out' }],
    ['too long an answer', { code: -32000, message: 'x', data: 'toolgen.too_large' }],
    ['a fault of a caller', { code: -32000, message: 'x', data: { name: 'McpCallError', code: 'too_large' } }],
  ])('a server cannot make its error pass for %s', async (_what, error) => {
    await expect(answered({ error })).rejects.toMatchObject({ code: 'refused', rpcCode: error.code })
  })
})

describe('over Streamable HTTP', () => {
  it.each<[string, Called]>([
    ['accepts the request as if it were none', (_, response) => response.writeHead(202).end()],
    ['answers an empty list', (_, response) => response.writeHead(200, asJson).end('[]')],
    ['answers nothing', (_, response) => response.writeHead(200, asJson).end()],
    [
      'answers with a notification',
      (_, response) => response.writeHead(200, asJson).end('{"jsonrpc":"2.0","method":"notifications/x"}'),
    ],
    ['answers another request', (id, response) => response.writeHead(200, asJson).end(text(id + 1, { result: {} }))],
    ['ends a stream of garbage', (_, response) => response.writeHead(200, stream).end('data: {{{\n\n')],
  ])('a server that %s answers malformed', async (_, answering) => {
    await expect(overHttp(answering)).rejects.toMatchObject({ code: 'malformed' })
  })

  it('a server whose error does not end is not read on', async () => {
    let closed = false
    const url = await calledServer((_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('x'.repeat(100_000)));
      }
      response
        .writeHead(500)
        .on('drain', write)
        .on('close', () => {
          closed = true
        })
      write()
    })
    await expect(called(httpCaller({ url }))).rejects.toMatchObject({ code: 'http', status: 500 })
    await expect.poll(() => closed).toBe(true)
  })

  it.each<[string, Called]>([
    ['does not answer', () => undefined],
    ['writes on and on', (_, response) => response.writeHead(200, stream).write(': working\n\n')],
  ])('nothing more is read of a server that %s once the call has timed out', async (_, answering) => {
    let [isCalled, closed] = [false, false]
    const errors: unknown[] = []
    const url = await calledServer((id, response) => {
      response.on('close', () => {
        closed = true
      })
      answering(id, response)
      isCalled = true
    })
    const caller = httpCaller({ url, timeoutMs: 50, onError: (error) => errors.push(error) })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const ended = expect(called(caller)).rejects.toMatchObject({ code: 'timeout' })
    await expect.poll(() => isCalled).toBe(true)
    vi.advanceTimersByTime(50)
    await ended
    vi.useRealTimers()
    await expect.poll(() => closed).toBe(true)
    expect(errors).toEqual([])
  })
})

it('a stream whose answer has come is let go of, though its server does not end it', async () => {
  let closed = false
  const url = await calledServer((id, response) => {
    response.on('close', () => {
      closed = true
    })
    response.writeHead(200, stream).write(event(id, { result: { content: [] } }))
  })
  expect(await called(httpCaller({ url }))).toEqual({ content: [] })
  await expect.poll(() => closed).toBe(true)
})

it('over server-sent events a server that asks for patience is heard', async () => {
  const url = await listening((_, response) => response.writeHead(429, { 'retry-after': '4' }).end('Later.'))
  await expect(called(sseCaller({ url, reconnect: { attempts: 1 } }))).rejects.toMatchObject({
    code: 'http',
    status: 429,
    retryAfterMs: 4_000,
  })
})
