import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { httpCaller, inMemoryCaller, type SdkCaller, sseCaller } from '../../packages/runtime/src/mcp.js'
import { atEnd, calledServer, endAll, listening } from './http-server.fixture.js'
import { boundOver, faultCaller, faultImport, isAlive } from './served.fixture.js'

afterEach(() => {
  vi.useRealTimers()
  return endAll()
})

const { signal } = new AbortController()

function opened(caller: SdkCaller): SdkCaller {
  atEnd(() => caller.close())
  return caller
}

async function said(caller: SdkCaller, name: string): Promise<unknown> {
  const { content } = await caller.callTool({ name, arguments: {} }, { signal })
  return content
}

const pidOf = async (caller: SdkCaller): Promise<number> => {
  const content: any = await said(caller, 'process')
  return Number(content[0].text)
}

describe('a server over stdio', () => {
  it('that closes its stdout has ended: the call fails, the next has another process, this one is killed', async () => {
    const caller = opened(faultCaller({ timeoutMs: Infinity }))
    const first = await pidOf(caller)
    await expect(said(caller, 'mute')).rejects.toMatchObject({ code: 'closed' })
    expect(await pidOf(caller)).not.toBe(first)
    await expect.poll(() => isAlive(first)).toBe(false)
  })

  it('that closes its stdin has ended once a call finds out', async () => {
    const caller = opened(faultCaller({ timeoutMs: Infinity }))
    const first = await pidOf(caller)
    await said(caller, 'deaf')
    await expect(said(caller, 'process')).rejects.toMatchObject({ code: 'closed' })
    expect(await pidOf(caller)).not.toBe(first)
    await expect.poll(() => isAlive(first)).toBe(false)
  })

  it('that does not shake hands is killed when its caller closes, and the call fails at once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolgen-'))
    atEnd(async () => rmSync(folder, { recursive: true }))
    const started = join(folder, 'pid')
    const caller = faultCaller({ env: { MUTE: '1', STUBBORN: '1', STARTED: started } })
    const waiting = said(caller, 'process').catch((error: unknown) => error)
    await expect.poll(() => readFileSync(started, 'utf8')).not.toBe('')
    // Neither the grace of two seconds nor the time-out passes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    await caller.close()
    expect(await waiting).toMatchObject({ code: 'unreachable', message: expect.stringContaining('closed') })
    expect(isAlive(Number(readFileSync(started, 'utf8')))).toBe(false)
  })

  it('is not started for a call that was cancelled before', async () => {
    const started = join(tmpdir(), `toolgen-${process.pid}-never`)
    const caller = opened(faultCaller({ env: { STARTED: started } }))
    const call = caller.callTool({ name: 'process', arguments: {} }, { signal: AbortSignal.abort(new Error('early')) })
    await expect(call).rejects.toThrow('early')
    await caller.close()
    expect(existsSync(started)).toBe(false)
  })

  it('may be called as often as one likes with one signal', async () => {
    const warned: unknown[] = []
    const hear = (warning: Error): unknown => warned.push(warning)
    process.on('warning', hear)
    atEnd(async () => void process.off('warning', hear))
    const caller = opened(faultCaller())
    await Promise.all(Array.from({ length: 30 }, () => pidOf(caller)))
    await new Promise((resolve) => setImmediate(resolve))
    expect(warned).toEqual([])
  })
})

describe('a stream of events that could be taken up again', () => {
  const events = { 'content-type': 'text/event-stream' }

  it('and is not fails the call', async () => {
    const url = await calledServer((_, response) => {
      response.writeHead(200, events).end('retry: 1\nid: 1\ndata:\n\n')
    })
    const caller = opened(httpCaller({ url, timeoutMs: Infinity }))
    await expect(said(caller, 'go')).rejects.toMatchObject({ code: 'closed' })
  })

  it('is taken up, and its answer is that of the call', async () => {
    const asked: (string | undefined)[] = []
    const url = await listening(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { id, method, params } = body === '' ? { id: undefined } : JSON.parse(body)
      const answer = (of: number, result: object): string =>
        `data: ${JSON.stringify({ jsonrpc: '2.0', id: of, result })}\n\n`
      const { protocolVersion } = params ?? {}
      const lastEventId = request.headers['last-event-id']
      if (method === 'initialize') {
        const result = { protocolVersion, capabilities: {}, serverInfo: { name: 'f', version: '1' } }
        response.writeHead(200, events).end(answer(id, result))
      } else if (method === 'tools/call') response.writeHead(200, events).end(`retry: 1\nid: call-${id}\ndata:\n\n`)
      else if (request.method === 'GET' && lastEventId !== undefined) {
        asked.push(String(lastEventId))
        const [, called] = String(lastEventId).split('-')
        response.writeHead(200, events).end(answer(Number(called), { content: ['taken up'] }))
      } else response.writeHead(request.method === 'GET' ? 405 : 202).end()
    })
    const caller = opened(httpCaller({ url, timeoutMs: Infinity }))
    expect(await said(caller, 'go')).toEqual(['taken up'])
    expect(asked).toEqual(['call-1'])
  })

  it.each(['0', '-1', 'soon'])('is not taken up without a pause if the server requests %s', async (retry) => {
    let resumed = 0
    const url = await listening(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { id, method, params } = body === '' ? { id: undefined } : JSON.parse(body)
      const isResumed = request.headers['last-event-id'] !== undefined
      if (method === 'initialize') {
        const { protocolVersion } = params
        const result = { protocolVersion, capabilities: {}, serverInfo: { name: 'f', version: '1' } }
        response.writeHead(200, events).end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
      } else if (method === 'tools/call' || isResumed) {
        if (isResumed) resumed += 1
        response.writeHead(200, events).end(`retry: ${retry}\nid: 1\ndata:\n\n`)
      } else response.writeHead(request.method === 'GET' ? 405 : 202).end()
    })
    const caller = opened(httpCaller({ url, timeoutMs: 300 }))
    await expect(said(caller, 'go')).rejects.toMatchObject({ code: 'timeout' })
    expect(resumed).toBeLessThan(10)
  })
})

describe('the limits of a caller', () => {
  it.each([
    ['timeoutMs', Number.NaN, 'timeoutMs is NaN'],
    ['timeoutMs', 0, 'timeoutMs is 0'],
    ['connectTimeoutMs', -1, 'connectTimeoutMs is -1'],
    ['maxMessageBytes', Number.NaN, 'maxMessageBytes must be a number of at least 1, but is NaN'],
  ])('are refused when it is made: %s %d', (option, value, message) => {
    const makers = [
      () => faultCaller({ [option]: value }),
      () => httpCaller({ url: 'http://127.0.0.1/mcp', [option]: value }),
      () => sseCaller({ url: 'http://127.0.0.1/mcp', [option]: value }),
      () => inMemoryCaller(() => ({ connect: async () => undefined }), { [option]: value }),
    ]
    for (const make of makers) expect(make).toThrow(new RegExp(`^${message}`))
  })

  it('are refused of an executor and of a call too', async () => {
    const caller = opened(faultCaller())
    expect(() => boundOver(caller, faultImport, { timeoutMs: 0 })).toThrow(/^timeoutMs is 0/)
    const call = caller.callTool({ name: 'process', arguments: {} }, { signal, timeoutMs: -1 })
    await expect(call).rejects.toThrow(/^timeoutMs is -1/)
  })

  it.each([Infinity, 2 ** 31])('may be as long as %d ms', async (limit) => {
    const caller = opened(faultCaller({ timeoutMs: limit, connectTimeoutMs: limit }))
    expect(await pidOf(caller)).toBeGreaterThan(0)
  })
})
