import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { afterEach, describe, expect, it } from 'vitest'
import { Runtime, type ToolOutcome } from '../../packages/runtime/src/index.js'
import { httpCaller, serveMcp, sseCaller } from '../../packages/runtime/src/mcp.js'
import { atEnd, type Called, calledServer, endAll, listening } from './http-server.fixture.js'
import { boundOver, importedAs } from './served.fixture.js'
import { type ShopLog, shop, shopImport } from './shop.fixture.js'

afterEach(endAll)

/** What a call comes to of a server that is right until a tool is called. */
async function faulty(called: Called, timeoutMs = Infinity): Promise<ToolOutcome> {
  const url = await calledServer(called)
  const caller = httpCaller({ url, timeoutMs, maxMessageBytes: 10_000, reconnect: { attempts: 1 } })
  atEnd(() => caller.close())
  return boundOver(caller, importedAs('f', { go: {} })).execute({ tool: 'f.go', arguments: '{}' })
}

const json = { 'content-type': 'application/json' }
const events = { 'content-type': 'text/event-stream' }
const big = (id: number): string =>
  JSON.stringify({ result: { content: [{ type: 'text', text: 'x'.repeat(20_000) }] }, jsonrpc: '2.0', id })

describe('a server over Streamable HTTP', () => {
  it.each<[string, Called, string]>([
    ['closes the connection', (_, response) => response.destroy(), 'unavailable'],
    [
      'breaks off its events',
      (_, response) => {
        response.writeHead(200, events).write(': working\n\n')
        setTimeout(() => response.destroy(), 10)
      },
      'unavailable',
    ],
    [
      'ends its events without an answer',
      (_, response) => response.writeHead(200, events).end(': done\n\n'),
      'unavailable',
    ],
    ['never answers', () => undefined, 'timeout'],
    ['answers what is no JSON', (_, response) => response.writeHead(200, json).end('<html>'), 'malformed_result'],
    [
      'answers another format without an end',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('x'),
      'malformed_result',
    ],
    [
      'answers another format',
      (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('x'),
      'malformed_result',
    ],
    ['answers too much JSON', (id, response) => response.writeHead(200, json).end(big(id)), 'malformed_result'],
    [
      'answers too large an event',
      (id, response) => response.writeHead(200, events).end(`data: ${big(id)}\n\n`),
      'malformed_result',
    ],
    [
      'answers an event of too many lines',
      (_, response) => response.writeHead(200, events).end(`${`data: ${'x'.repeat(100)}\n`.repeat(200)}\n`),
      'malformed_result',
    ],
    ['asks for patience', (_, response) => response.writeHead(429).end(), 'rate_limited'],
    ['wants to know who calls', (_, response) => response.writeHead(401).end(), 'denied'],
    ['is overloaded', (_, response) => response.writeHead(503).end(), 'unavailable'],
  ])('that %s', async (_, called, reason) => {
    const timeoutMs = reason === 'timeout' ? 50 : Infinity
    expect(await faulty(called, timeoutMs)).toMatchObject({ status: 'failed', hint: { reason } })
  })

  it('that is not there is unavailable', async () => {
    const url = await listening(() => undefined)
    await endAll()
    const caller = httpCaller({ url, reconnect: { attempts: 2, initialMs: 1 } })
    const outcome = await boundOver(caller, shopImport).execute({ tool: 'client.shop_whoami', arguments: '{}' })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'unavailable' } })
  })
})

describe('a server over server-sent events', () => {
  it('that responds with a page in place of events is left, with no open connection', async () => {
    let pages = 0
    let open = 0
    const url = await listening((_, response) => {
      pages += 1
      open += 1
      response.once('close', () => {
        open -= 1
      })
      response.writeHead(200, { 'content-type': 'text/html' }).write('<html>')
    })
    const caller = sseCaller({ url, reconnect: { attempts: 3, initialMs: 1 } })
    atEnd(() => caller.close())
    await expect(caller.listTools()).rejects.toMatchObject({ code: 'unreachable' })
    expect(pages).toBe(3)
    await expect.poll(() => open).toBe(0)
  })

  const transports = new Map<string, SSEServerTransport>()
  const log: ShopLog = { waiting: [], cancelled: [] }

  async function served(): Promise<string> {
    const url = await listening(async (request, response) => {
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response)
        transports.set(transport.sessionId, transport)
        await serveMcp(new Runtime(), { toolsets: [shop(log)], transport: transport as never })
      } else {
        const id = new URL(request.url ?? '', 'http://x').searchParams.get('sessionId') ?? ''
        await transports.get(id)?.handlePostMessage(request, response)
      }
    })
    return url
  }

  it('is called; its lost stream fails the call, and the next call opens a new stream', async () => {
    const caller = sseCaller({ url: await served(), timeoutMs: Infinity })
    atEnd(() => caller.close())
    const client = boundOver(caller, shopImport)
    const find = { tool: 'client.shop_find', arguments: '{"id":"A"}' }
    expect(await client.execute(find)).toMatchObject({ status: 'completed' })
    const waiting = client.execute({ tool: 'client.shop_wait', arguments: '{}' })
    await expect.poll(() => log.waiting).toEqual(['wait'])
    for (const transport of transports.values()) await transport.close()
    expect(await waiting).toMatchObject({ hint: { reason: 'unavailable' } })
    expect(await client.execute(find)).toMatchObject({ status: 'completed' })
  })
})
