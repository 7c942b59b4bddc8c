import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { httpCaller, type SdkCaller } from '../../packages/runtime/src/mcp.js'
import { atEnd, endAll, listening } from './http-server.fixture.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  return endAll()
})

const events = { 'content-type': 'text/event-stream' }

type Stream = (response: ServerResponse, count: number) => void

/** A server whose tools change, and what it has received. `stream` answers the requests for the stream of notifications. */
async function changingServer(stream: Stream, { isOld }: { readonly isOld: boolean }) {
  const received = { streams: 0, refusals: 0, openPages: 0, isGone: false, isPage: false }
  const url = await listening(async (request, response) => {
    const { id, method, params } = JSON.parse((await text(request)) || '{}')
    const respond = (fields: object): void => {
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'session' })
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...fields }))
    }
    const answer = (result: object): void => respond({ result })
    const capabilities = { tools: { listChanged: true } }
    const serverInfo = { name: 'changing', version: '1' }
    const isStream = isOld ? request.method === 'GET' : method === 'subscriptions/listen'
    if (isStream) {
      received.streams += 1
      if (received.isGone && received.streams > 1) return void response.writeHead(404).end()
      if (received.isPage) {
        received.openPages += 1
        response.once('close', () => {
          received.openPages -= 1
        })
        return void response.writeHead(200, { 'content-type': 'text/html' }).write('<html>')
      }
      if (received.streams <= received.refusals)
        return respond({ error: { code: -32_603, message: 'Too many streams' } })
      response.writeHead(200, events)
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
      const acknowledged = { _meta, notifications: { toolsListChanged: true } }
      const message = {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: acknowledged,
      }
      response.write(isOld ? ': open\n\n' : `data: ${JSON.stringify(message)}\n\n`)
      stream(response, received.streams)
    } else if (method === 'server/discover' && !isOld) {
      const supported = { supportedVersions: ['2026-07-28'], serverInfo, ttlMs: 0, cacheScope: 'private' }
      answer({ resultType: 'complete', capabilities, ...supported })
    } else if (method === 'initialize') {
      answer({ protocolVersion: params.protocolVersion, capabilities, serverInfo })
    } else if (method === 'tools/list') {
      answer({ resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' })
    } else if (id === undefined) response.writeHead(202).end()
    else respond({ error: { code: -32_601, message: 'Method not found' } })
  })
  const caller = httpCaller({ url, timeoutMs: Infinity, connectTimeoutMs: Infinity })
  atEnd(() => caller.close())
  return { caller, received }
}

const REOPENED_AFTER = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]

/** Delays before the attempts that start from now on. `fetch` starts timers with other delays. */
function reopeningTimers(): readonly number[] {
  const delays: number[] = []
  const start = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((...timer: Parameters<typeof setTimeout>) => {
    const [, delayMs = 0] = timer
    if (REOPENED_AFTER.includes(delayMs)) delays.push(delayMs)
    return start(...timer)
  }) as typeof setTimeout)
  return delays
}

async function delaysOf(caller: SdkCaller, attempts: () => number, count: number): Promise<readonly number[]> {
  const delays = reopeningTimers()
  await caller.listTools()
  for (let attempt = 1; attempt <= count; attempt += 1) {
    await expect.poll(() => [attempts(), delays.length]).toEqual([attempt, attempt])
    await vi.advanceTimersByTimeAsync(delays.at(-1) ?? 0)
  }
  return delays.slice(0, count)
}

describe.each([
  ['2026-07-28', false],
  ['2025-11-25', true],
])('a stream of notifications with protocol %s', (_, isOld) => {
  it('that the server ends at once is opened less and less often', async () => {
    const { caller, received } = await changingServer((response) => response.end(), { isOld })
    expect(await delaysOf(caller, () => received.streams, REOPENED_AFTER.length)).toEqual(REOPENED_AFTER)
  })

  it('is opened again after a long outage, and the changes in between are reported', async () => {
    const { caller, received } = await changingServer(
      (response, count) => {
        if (count < 6) response.destroy()
      },
      { isOld },
    )
    let changes = 0
    caller.onToolsChanged(() => {
      changes += 1
    })
    await delaysOf(caller, () => received.streams, 5)
    await expect.poll(() => received.streams).toBe(6)
    await vi.advanceTimersByTimeAsync(30_000)
    await expect.poll(() => changes).toBeGreaterThan(0)
    const { streams } = received
    await vi.advanceTimersByTimeAsync(600_000)
    expect(received.streams).toBe(streams)
  })
})

it('a server with too many streams of notifications is requested again later', async () => {
  const { caller, received } = await changingServer(() => undefined, { isOld: false })
  received.refusals = 4
  await delaysOf(caller, () => received.streams, 4)
  await expect.poll(() => received.streams).toBe(5)
})

describe('a server with an older protocol', () => {
  it('that requests no delay before its stream is opened again is not requested without a pause', async () => {
    const { caller, received } = await changingServer((response) => response.end('retry: 0\nid: 1\ndata:\n\n'), {
      isOld: true,
    })
    expect(await delaysOf(caller, () => received.streams, 5)).toEqual(REOPENED_AFTER.slice(0, 5))
  })

  it('is not requested again if it responds with a page in place of a stream', async () => {
    const { caller, received } = await changingServer(() => undefined, { isOld: true })
    received.isPage = true
    await caller.listTools()
    await expect.poll(() => received.streams).toBe(1)
    await expect.poll(() => received.openPages).toBe(0)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(received.streams).toBe(1)
  })

  it('is not requested again if it no longer has the session', async () => {
    const { caller, received } = await changingServer((response) => response.destroy(), { isOld: true })
    received.isGone = true
    await delaysOf(caller, () => received.streams, 1)
    await expect.poll(() => received.streams).toBe(2)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(received.streams).toBe(2)
  })
})
