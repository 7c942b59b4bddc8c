import { describe, expect, it, vi } from 'vitest'
import { within } from '../runs/agents.fixture.js'
import { agentOf, SOON } from './model-agent.fixture.js'
import { asks, breaks, call, events, hangs, KEY, modelServer, raw, says, status } from './model-server.fixture.js'

/** Result of work, and the waits that it asked the clock for, in milliseconds. */
async function waiting<Value>(work: () => PromiseLike<Value>): Promise<readonly [Value, readonly unknown[]]> {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  try {
    const value = await work()
    return [value, timers.mock.calls.map(([, milliseconds]) => milliseconds)]
  } finally {
    timers.mockRestore()
  }
}

describe('a request that fails for the moment', () => {
  it('is sent again after as long as the server says', async () => {
    const server = await modelServer(status(429, { 'retry-after': '0.2' }), says('Here.'))
    const [run, waits] = await waiting(() => agentOf(server).run('Where?'))
    expect(run).toMatchObject({ status: 'completed', result: { text: 'Here.' } })
    expect(waits).toContain(200)
    expect(server.bodies).toHaveLength(2)
    expect(server.bodies[1]).toEqual(server.bodies[0])
  })

  it('waits for milliseconds where the server counts in them', async () => {
    const server = await modelServer(status(503, { 'retry-after-ms': '120', 'retry-after': '60' }), says('Here.'))
    const [run, waits] = await waiting(() => agentOf(server).run('Where?'))
    expect(run.status).toBe('completed')
    expect(waits).toContain(120)
  })

  it.each([500, 502, 503, 504, 408, 429])('is sent three times in all, then ends the run: %d', async (code) => {
    const server = await modelServer(status(code), status(code), status(code), says('Too late.'))
    const run = await agentOf(server).run('Where?')
    const reason = code === 429 ? 'rate_limited' : code === 504 || code === 408 ? 'timeout' : 'unavailable'
    expect(run).toMatchObject({ status: 'failed', stop: { reason: 'failed' }, error: { reason } })
    expect(server.bodies).toHaveLength(3)
    expect(run.error?.cause).toMatchObject({ status: code })
    expect(JSON.stringify(run)).not.toContain(KEY)
    expect(JSON.stringify(run)).not.toContain('secret words')
  })

  it.each([
    [400, 'domain_rejection', {}, 'The server rejected the request. Check the name of the model and the options.'],
    [401, 'denied', {}, 'The server denied access. Check the API key, its permissions and its quota.'],
    [403, 'denied', {}, 'The server denied access. Check the API key, its permissions and its quota.'],
    [404, 'domain_rejection', {}, 'The server rejected the request. Check the name of the model and the options.'],
    [
      429,
      'denied',
      { code: 'insufficient_quota' },
      'The server denied access. Check the API key, its permissions and its quota.',
    ],
    [501, 'internal', {}, 'See the cause of this error.'],
  ])('is not sent again where that does not help: %d %s', async (code, reason, error, problem) => {
    const server = await modelServer(status(code, {}, error), says('Too late.'))
    const run = await agentOf(server).run('Where?')
    const message = `The model request of the driver 'openai' failed with the HTTP status ${code}. ${problem}`
    expect(run).toMatchObject({ status: 'failed', error: { reason, message }, stop: { message } })
    expect(server.bodies).toHaveLength(1)
    expect(JSON.stringify(run)).not.toContain(KEY)
  })

  it('obeys a server that says whether to send it again', async () => {
    const never = await modelServer(status(500, { 'x-should-retry': 'false' }), says('Too late.'))
    expect(await agentOf(never).run('Where?')).toMatchObject({ status: 'failed' })
    const again = await modelServer(status(409, { 'x-should-retry': 'true' }), says('Here.'))
    expect(await agentOf(again).run('Where?')).toMatchObject({ status: 'completed' })
  })

  it('has the attempts of the driver, not those of the client or the tools', async () => {
    const server = await modelServer(status(500), says('Too late.'))
    const client = server.client({ maxRetries: 9 })
    const run = await agentOf(server, { client, driver: { retry: { attempts: 1 } } }).run('Where?')
    expect(run.status).toBe('failed')
    expect(server.bodies).toHaveLength(1)
  })

  it('ends the run where the server asks for a longer wait than is allowed', async () => {
    const server = await modelServer(status(429, { 'retry-after': '20' }), says('Too late.'))
    const driver = { retry: { ...SOON, maxWaitMs: 10_000 } }
    const [run, waits] = await waiting(() => agentOf(server, { driver }).run('Where?'))
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'rate_limited' } })
    expect(waits).not.toContain(20_000)
    expect(server.bodies).toHaveLength(1)
  })

  it('ends with the run while it waits', async () => {
    const server = await modelServer(status(429, { 'retry-after': '20' }), says('Too late.'))
    const controller = new AbortController()
    const running = agentOf(server).run('Where?', { signal: controller.signal })
    await expect.poll(() => server.bodies).toHaveLength(1)
    controller.abort()
    const run = await within(running)
    expect(run).toMatchObject({ status: 'cancelled' })
    expect(server.bodies).toHaveLength(1)
  })

  it('is sent again where nobody answers at first', async () => {
    const server = await modelServer((response) => response.destroy(), says('Here.'))
    expect(await agentOf(server).run('Where?')).toMatchObject({ status: 'completed' })
    const nobody = server.client({ baseURL: 'http://127.0.0.1:1/v1' })
    const run = await agentOf(server, { client: nobody }).run('Where?')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'unavailable' } })
  })

  it('ends at the time limit of the client, and is sent again', async () => {
    // An answer that a busy machine does not bring in time is asked for again too.
    const server = await modelServer(hangs, ...Array.from({ length: 20 }, () => says('Here.')))
    const parts = { client: server.client({ timeout: 100 }), driver: { retry: { ...SOON, attempts: 21 } } }
    expect(await within(agentOf(server, parts).run('Where?'))).toMatchObject({ status: 'completed' })
    expect(server.bodies.length).toBeGreaterThan(1)
    const slow = await modelServer(hangs, hangs, hangs)
    const run = await within(agentOf(slow, { client: slow.client({ timeout: 50 }) }).run('Where?'))
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'timeout' } })
  })

  it.each([false, true])('is sent again where the answer breaks off, streamed: %s', async (stream) => {
    const server = await modelServer(breaks, says('Here.'))
    const run = await agentOf(server, { driver: { stream } }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'Here.' } })
    expect(run.messages).toHaveLength(3)
    const broken = await modelServer(breaks, breaks, breaks)
    const failed = await agentOf(broken, { driver: { stream } }).run('Where?')
    expect(failed).toMatchObject({ status: 'failed', error: { reason: 'unavailable' } })
    expect(broken.bodies).toHaveLength(3)
  })

  it('is sent again where a stream ends before its message does', async () => {
    const part = { choices: [{ index: 0, delta: { content: 'It is' } }] }
    const server = await modelServer(events(part), events(part, '[DONE]'), says('Here.'))
    const run = await agentOf(server, { driver: { stream: true } }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'Here.' } })
  })

  it('is not sent again once somebody heard of its answer', async () => {
    const server = await modelServer(status(500), breaks, says('Too late.'))
    const heard: unknown[] = []
    const driver = { stream: true, onDelta: (delta: object) => void heard.push(delta) }
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'unavailable' } })
    expect(server.bodies).toHaveLength(2)
    expect(heard).toHaveLength(1)
  })

  it.each([false, true])('may fail with an error in a good answer, streamed: %s', async (stream) => {
    const sent = (error: object) => (stream ? events({ error }) : raw(JSON.stringify({ error })))
    const passing = await modelServer(sent({ code: 'rate_limit_exceeded' }), sent({ code: 502 }), says('Here.'))
    expect(await agentOf(passing, { driver: { stream } }).run('Where?')).toMatchObject({ status: 'completed' })
    for (const [error, reason] of [
      [{ type: 'invalid_request_error', message: KEY }, 'domain_rejection'],
      [{ code: 401, message: KEY }, 'denied'],
      [{ code: 'constructor', type: '__proto__' }, 'unavailable'],
    ] as const) {
      const server = await modelServer(sent(error), sent(error), sent(error))
      const run = await agentOf(server, { driver: { stream } }).run('Where?')
      expect(run).toMatchObject({ status: 'failed', error: { reason, cause: { code: 'error_response' } } })
      expect(JSON.stringify(run)).not.toContain(KEY)
    }
  })

  it('does not run tools again', async () => {
    const server = await modelServer(
      asks(call('a', 'orders_getOrder', '{"orderId":"A-1"}')),
      status(500),
      says('Here.'),
    )
    let times = 0
    const execute = () => {
      times += 1
      return { id: 'A-1', total: 1 }
    }
    const run = await agentOf(server, { execute }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', usage: { turns: 2, toolCalls: 1 } })
    expect(times).toBe(1)
    expect(server.bodies).toHaveLength(3)
  })

  it.each([
    [{ attempts: 0 }],
    [{ attempts: 1.5 }],
    [{ initialMs: -1 }],
    [{ initialMs: Number.POSITIVE_INFINITY }],
    [{ maxWaitMs: Number.NaN }],
  ])('takes no numbers that are none: %j', async (retry) => {
    const server = await modelServer()
    expect(() => agentOf(server, { driver: { retry } })).toThrow(RangeError)
  })
})
