import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import type { CallerOptions } from '../../packages/runtime/src/mcp/caller-options.js'
import { httpCaller, inMemoryCaller, type SdkCaller, stdioCaller } from '../../packages/runtime/src/mcp.js'
import { atEnd, type Called, endAll, listening } from './http-server.fixture.js'
import { newServerOverHttp } from './new-server.fixture.js'
import { newServer } from './new-server.mjs'
import { boundOver, importedAs } from './served.fixture.js'

afterEach(() => {
  vi.useRealTimers()
  return endAll()
})

const { signal } = new AbortController()

/** A caller of the new server, and what tells its listeners that the tools have changed. */
interface Reached {
  readonly caller: SdkCaller
  change(): Promise<unknown>
}

function opened(caller: SdkCaller): SdkCaller {
  atEnd(() => caller.close())
  return caller
}

const called = (caller: SdkCaller, name: string, args: Record<string, string | number> = {}) =>
  caller.callTool({ name, arguments: args }, { signal })

const overMemory = async (options: CallerOptions): Promise<Reached> => {
  const connect = async (transport: any): Promise<void> => void serveStdio(newServer, { transport })
  const caller = opened(inMemoryCaller(() => ({ connect }), options))
  return { caller, change: () => called(caller, 'change') }
}

const overStdio = async (options: CallerOptions): Promise<Reached> => {
  const script = fileURLToPath(new URL('./new-server.mjs', import.meta.url))
  const caller = opened(stdioCaller({ command: process.execPath, args: [script], ...options }))
  return { caller, change: () => called(caller, 'change') }
}

const overHttp = async (options: CallerOptions): Promise<Reached> => {
  const { url, handler } = await newServerOverHttp()
  const caller = opened(httpCaller({ url, ...options }))
  return { caller, change: async () => handler.notify.toolsChanged() }
}

describe.each([
  ['memory', overMemory],
  ['stdio', overStdio],
  ['Streamable HTTP', overHttp],
])('a server with protocol 2026-07-28 over %s', (_, reach) => {
  it('is called with this protocol, and lists its tools', async () => {
    const { caller } = await reach({})
    const tools = await caller.listTools()
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['era', 'find', 'region']))
    expect(tools.find(({ name }) => name === 'find')).toMatchObject({
      inputSchema: { required: ['id'] },
      outputSchema: { required: ['id', 'total'] },
    })
    expect(caller.server).toEqual({ name: 'new', version: '2.0.0' })
    expect(await called(caller, 'era')).toEqual({ content: [{ type: 'text', text: 'new' }] })
  })

  it('answers structured content, errors for models and errors of the protocol', async () => {
    const { caller } = await reach({})
    expect(await called(caller, 'find', { id: 'A' })).toMatchObject({ structuredContent: { id: 'A', total: 12.5 } })
    expect(await called(caller, 'fail')).toEqual({
      content: [{ type: 'text', text: 'There is no such order.' }],
      isError: true,
    })
    await expect(called(caller, 'none')).rejects.toMatchObject({ code: 'refused', rpcCode: -32602 })
  })

  it('reports progress', async () => {
    const { caller } = await reach({})
    const updates: object[] = []
    const onProgress = (progress: object): unknown => updates.push(progress)
    await caller.callTool({ name: 'count', arguments: {} }, { signal, onProgress })
    expect(updates).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ])
  })

  it('is notified when a call is cancelled, and other calls continue', async () => {
    const { caller } = await reach({})
    const seen = async (): Promise<any> => {
      const { content }: any = await called(caller, 'seen')
      return JSON.parse(content[0].text)
    }
    const before = await seen()
    const controller = new AbortController()
    const waiting = caller.callTool({ name: 'wait', arguments: {} }, { signal: controller.signal })
    await expect.poll(seen).toMatchObject({ waiting: before.waiting + 1, cancelled: before.cancelled })
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect.poll(seen).toMatchObject({ cancelled: before.cancelled + 1 })
  })

  it('that does not answer in time causes a timeout', async () => {
    const { caller } = await reach({ timeoutMs: 300 })
    await caller.listTools()
    await expect(called(caller, 'wait')).rejects.toMatchObject({ code: 'timeout' })
  })

  it('that asks for what the caller does not offer fails the call', async () => {
    const { caller } = await reach({})
    await expect(called(caller, 'ask')).rejects.toMatchObject({ code: 'refused', rpcCode: -32021 })
    expect(await called(caller, 'fail')).toHaveProperty('isError')
  })

  it('receives the roots that it asks for', async () => {
    const roots = [{ uri: 'file:///home', name: 'home' }]
    const { caller } = await reach({ roots })
    expect(await called(caller, 'roots')).toMatchObject({ content: [{ text: JSON.stringify(roots) }] })
  })

  it('that changes its tools notifies the caller', async () => {
    const { caller, change } = await reach({})
    let changes = 0
    caller.onToolsChanged(() => {
      changes += 1
    })
    await caller.listTools()
    // The caller listens after the first response.
    await expect
      .poll(async () => {
        await change().catch(() => undefined)
        return changes
      })
      .toBeGreaterThan(0)
  })
})

describe('over Streamable HTTP with protocol 2026-07-28', () => {
  it('a response that is longer than the limit fails its call alone', async () => {
    const { caller } = await overHttp({ maxMessageBytes: 100_000 })
    await expect(called(caller, 'big', { bytes: 3_000_000 })).rejects.toMatchObject({ code: 'too_large' })
    expect(await called(caller, 'big', { bytes: 9 })).toMatchObject({ content: [{ text: 'x'.repeat(9) }] })
  })

  it('arguments are sent as headers, also if the tools were not listed before', async () => {
    const headers: (string | null)[] = []
    const { url } = await newServerOverHttp((request) => headers.push(request.headers.get('mcp-param-region')))
    const caller = opened(httpCaller({ url }))
    expect(await called(caller, 'region', { region: 'west' })).toMatchObject({ content: [{ text: 'west' }] })
    headers.length = 0
    expect(await called(caller, 'region', { region: 'east' })).toMatchObject({ content: [{ text: 'east' }] })
    expect(headers).toEqual(['east'])
  })

  it('tools whose arguments cannot be sent as headers are skipped', async () => {
    const skipped: unknown[] = []
    const { url } = await newServerOverHttp(undefined, () => {
      const server = newServer()
      const note = z.string().meta({ 'x-mcp-header': 'Two words' })
      server.registerTool('unsendable', { inputSchema: z.object({ note }) }, () => ({ content: [] }))
      return server
    })
    const caller = opened(httpCaller({ url }))
    const tools = await caller.listTools({ onSkippedTool: ({ message }) => skipped.push(message) })
    expect(tools.map(({ name }) => name)).toContain('region')
    expect(tools.map(({ name }) => name)).not.toContain('unsendable')
    expect(skipped).toEqual(["the tool 'unsendable' has an invalid x-mcp-header and is skipped"])
  })

  it('requests have no session, and nothing is left of a closed caller', async () => {
    const requests: [string, string | null][] = []
    const { url } = await newServerOverHttp(({ method, headers }) =>
      requests.push([method, headers.get('mcp-session-id')]),
    )
    const caller = opened(httpCaller({ url }))
    await caller.listTools()
    await caller.close()
    expect(new Set(requests.map(String))).toEqual(new Set(['POST,']))
    await expect(caller.listTools()).rejects.toMatchObject({ code: 'unreachable' })
  })
})

const json = { 'content-type': 'application/json' }
const discovered = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
}

/** A server that is right until a tool is called. */
function calledServer(answering: Called, discover: object = { result: discovered }): Promise<string> {
  return listening(async (request, response) => {
    const { id, method } = JSON.parse((await text(request)) || '{}')
    if (method === 'server/discover')
      response.writeHead(200, json).end(JSON.stringify({ jsonrpc: '2.0', id, ...discover }))
    else if (method === 'tools/call') answering(id, response)
    else response.writeHead(405).end()
  })
}

async function calledOver(answering: Called): Promise<object> {
  const url = await calledServer(answering)
  return called(opened(httpCaller({ url, timeoutMs: Infinity, reconnect: { attempts: 1 } })), 'go')
}

const answers =
  (fields: object, status = 200): Called =>
  (id, response) =>
    void response.writeHead(status, json).end(JSON.stringify({ jsonrpc: '2.0', id, ...fields }))

describe('a faulty server with protocol 2026-07-28', () => {
  it.each<[string, Called, object]>([
    ['a result without its kind', answers({ result: { content: [] } }), { code: 'malformed' }],
    ['a result of another kind', answers({ result: { resultType: 'later', content: [] } }), { code: 'malformed' }],
    ['questions without questions', answers({ result: { resultType: 'input_required' } }), { code: 'malformed' }],
    [
      'a question that the caller cannot answer',
      answers({ result: { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create' } } } }),
      { code: 'malformed' },
    ],
    [
      'questions without end',
      answers({ result: { resultType: 'input_required', requestState: 'again' } }),
      { code: 'malformed' },
    ],
    ['a text for a result', answers({ result: 'done' }), { code: 'malformed' }],
    ['a result and an error', answers({ result: {}, error: { code: 1, message: 'x' } }), { code: 'malformed' }],
    [
      'an error with a status',
      answers({ error: { code: -32602, message: 'no such tool' } }, 404),
      { code: 'refused', rpcCode: -32602, message: 'no such tool' },
    ],
    [
      'an error of another request with a status',
      (_, response) => response.writeHead(400, json).end('{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"x"}}'),
      { code: 'http', status: 400 },
    ],
    ['an error that is overload', answers({ error: { code: 1, message: 'x' } }, 503), { code: 'http', status: 503 }],
    [
      'a request for patience',
      (_, response) => response.writeHead(429, { 'retry-after': '4' }).end(),
      { code: 'http', status: 429, retryAfterMs: 4_000 },
    ],
    [
      'an empty stream',
      (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
      { code: 'closed' },
    ],
    ['no answer', (_, response) => response.destroy(), { message: 'fetch failed' }],
    [
      'another format',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(),
      { code: 'malformed' },
    ],
  ])('that answers %s fails the call', async (_, answering, expected) => {
    await expect(calledOver(answering)).rejects.toMatchObject(expected)
  })

  it.each<[string, object, object]>([
    [
      'unknown protocols only',
      { error: { code: -32022, message: 'no', data: { supported: ['2099-01-01'], requested: '' } } },
      { code: 'refused' },
    ],
    ['what is no answer', { result: 'yes' }, { code: 'http', status: 405 }],
  ])('that offers %s is unreachable', async (_, discover, expected) => {
    const url = await calledServer(answers({ result: {} }), discover)
    const caller = opened(httpCaller({ url, reconnect: { attempts: 1 } }))
    await expect(called(caller, 'go')).rejects.toMatchObject(expected)
  })

  it.each([401, 403, 429, 500, 503])('whose endpoint answers status %d is not taken for an old one', async (status) => {
    let requests = 0
    const url = await listening((_, response) => {
      requests += 1
      response.writeHead(status).end('secret')
    })
    const caller = opened(httpCaller({ url, reconnect: { attempts: 1 } }))
    await expect(called(caller, 'go')).rejects.toMatchObject({ code: 'http', status })
    expect(requests).toBe(1)
  })

  it('that no longer knows the protocol is asked again', async () => {
    let isReplaced = true
    const url = await calledServer((id, response) => {
      const data = { supported: ['2026-07-28'], requested: '2026-07-28' }
      if (isReplaced) answers({ error: { code: -32022, message: 'unsupported', data } }, 400)(id, response)
      else answers({ result: { resultType: 'complete', content: [] } })(id, response)
      isReplaced = false
    })
    expect(await called(opened(httpCaller({ url })), 'go')).toEqual({ content: [] })
  })

  it('that ends the stream of changes is listened to again, and the changes between are reported', async () => {
    let listened = 0
    const url = await listening(async (request, response) => {
      const { id, method } = JSON.parse((await text(request)) || '{}')
      const result = { ...discovered, capabilities: { tools: { listChanged: true } } }
      if (method === 'server/discover') answers({ result })(id, response)
      else if (method === 'subscriptions/listen') {
        listened += 1
        const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
        const params = { _meta, notifications: { toolsListChanged: true } }
        const message = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params }
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(message)}\n\n`)
        if (listened === 1) response.end()
      } else answers({ result: { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' } })(id, response)
    })
    const caller = opened(httpCaller({ url }))
    let changes = 0
    caller.onToolsChanged(() => {
      changes += 1
    })
    await caller.listTools()
    await expect.poll(() => [listened, changes]).toEqual([2, 1])
  })
})

describe('an old server over stdio', () => {
  const old = (firstLines: string): string => `
    const { createInterface } = require('node:readline')
    let count = 0
    createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line)
      const answer = (result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n')
      count += 1
      ${firstLines}
      if (method === 'initialize') answer({ protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: 'old', version: String(count) } })
      if (method === 'tools/call') answer({ content: [] })
    })`
  const caller = (script: string, onError: (error: unknown) => void): SdkCaller =>
    opened(
      stdioCaller({
        command: process.execPath,
        args: ['-e', script],
        connectTimeoutMs: 3_000,
        reconnect: { attempts: 1 },
        onError,
      }),
    )

  it.each([
    ['ends at an unknown request', "if (method === 'server/discover') process.exit(1)", '1'],
    ['does not answer unknown requests', '', '2'],
  ])('that %s is called with its own protocol', async (_, lines, count) => {
    const errors: unknown[] = []
    const reached = caller(old(lines), (error) => errors.push(error))
    expect(await called(reached, 'go')).toEqual({ content: [] })
    expect(reached.server).toEqual({ name: 'old', version: count })
    expect(errors).toEqual([])
  })
})

it('an executor calls a server with protocol 2026-07-28', async () => {
  const { caller } = await overMemory({})
  const outcome = await boundOver(caller, importedAs('new', { find: {} })).execute({
    tool: 'new.find',
    arguments: '{"id":"A"}',
  })
  expect(outcome).toMatchObject({ status: 'completed', result: { data: { id: 'A', total: 12.5 } } })
})
