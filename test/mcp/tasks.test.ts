import type { HttpAuth, McpToolResult, SdkCaller } from '@toolgen/runtime/mcp'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { endAll } from './http-server.fixture.js'
import { boundOver, importedAs } from './served.fixture.js'
import { inMemory, methods, overEvents, overJson, overStdio, type ReachedServer } from './task-server.fixture.js'
import { asking, completed, TaskServer, text, working } from './task-server.mjs'

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  return endAll()
})

const { signal } = new AbortController()

const run = (caller: SdkCaller, args: object, options: object = {}): Promise<McpToolResult> =>
  caller.callTool({ name: 'run', arguments: args as any }, { signal, ...options })

const echo = (caller: SdkCaller, args: object): Promise<McpToolResult> =>
  caller.callTool({ name: 'echo', arguments: args as any }, { signal })

const count = (server: ReachedServer, method: string): number =>
  methods(server.requests()).filter((each) => each === method).length

/** Replaces the timers, and returns a function that lists the delays of all timers so far. */
function faked(): () => readonly unknown[] {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const timers = vi.spyOn(globalThis, 'setTimeout')
  return () => timers.mock.calls.map(([, delay]) => delay)
}

/** `expect.poll` would move the replaced timers. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

describe.each([
  ['memory', inMemory],
  ['stdio', overStdio],
  ['Streamable HTTP with JSON', overJson],
  ['Streamable HTTP with events', overEvents],
])('a tool that a server over %s runs as a task', (_, reach) => {
  it.each([
    ['text', text('done')],
    ['structured content', { content: [], structuredContent: { id: 'A', total: 12.5 } }],
    ['metadata of the server', { ...text('done'), _meta: { 'io.modelcontextprotocol/serverInfo': {} } }],
    ['an error for the model', { ...text('There is no such order.'), isError: true }],
    ['a declared failure', { ...text('Gone.'), isError: true, _meta: { 'toolgen/failure': { reason: 'gone' } } }],
  ])('returns the same result as a direct call: %s', async (_, result) => {
    const caller = (await reach()).caller()
    const finished = await run(caller, { steps: [working(), completed({ resultType: 'complete', ...result })] })
    expect(finished).toEqual(await echo(caller, { result }))
    expect(finished).toMatchObject({ content: result.content })
  })

  it('fails with the same error as a direct call', async () => {
    const caller = (await reach()).caller()
    const error = { code: -32603, message: 'MCP error -32603: API rate limit exceeded' }
    const failed = (call: Promise<unknown>) =>
      call.catch(({ name, code, rpcCode, message }) => [name, code, rpcCode, message])
    const direct = await failed(echo(caller, { error }))
    expect(await failed(run(caller, { steps: [{ status: 'failed', error }] }))).toEqual(direct)
    expect(direct).toEqual(['McpCallError', 'refused', -32603, 'API rate limit exceeded'])
  })

  it('reports new status messages as progress', async () => {
    const server = await reach()
    const updates: object[] = []
    const onProgress = (progress: object): unknown => updates.push(progress)
    const steps = [working('Reading.'), working('Writing.'), working('Writing.'), working(), completed(text('done'))]
    await run(server.caller(), { seed: { statusMessage: 'Queued.' }, steps }, { onProgress })
    expect(updates).toEqual([
      { progress: 1, message: 'Queued.' },
      { progress: 2, message: 'Reading.' },
      { progress: 3, message: 'Writing.' },
    ])
    expect(server.requests().at(-1)?.params._meta).not.toHaveProperty('progressToken')
  })

  it('fails if the server cancels the task', async () => {
    const server = await reach()
    const steps = [working(), { status: 'cancelled', statusMessage: 'Maintenance.' }]
    await expect(run(server.caller(), { steps })).rejects.toMatchObject({
      code: 'refused',
      rpcCode: undefined,
      message: 'the server cancelled the task: Maintenance.',
    })
    expect(count(server, 'tasks/cancel')).toBe(0)
  })

  it('is cancelled once with its call', async () => {
    const server = await reach()
    const controller = new AbortController()
    const waiting = run(server.caller(), { steps: [working()] }, { signal: controller.signal })
    waiting.catch(() => undefined)
    await expect.poll(() => count(server, 'tasks/get')).toBeGreaterThan(1)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(count(server, 'tasks/cancel')).toBe(1)
    expect(server.requests().at(-1)).toMatchObject({ method: 'tasks/cancel', params: { taskId: 'task-1' } })
  })

  it.each([
    ['closes', (caller: SdkCaller) => caller.close()],
    [
      'closes at once after the call was cancelled',
      async (caller: SdkCaller, controller: AbortController) => {
        controller.abort(new Error('enough'))
        await caller.close()
      },
    ],
  ])('is cancelled if the caller %s', async (_, end) => {
    const server = await reach()
    const caller = server.caller()
    const controller = new AbortController()
    const waiting = run(caller, { steps: [working()] }, { signal: controller.signal })
    waiting.catch(() => undefined)
    await expect.poll(() => count(server, 'tasks/get')).toBeGreaterThan(0)
    await end(caller, controller)
    expect(count(server, 'tasks/cancel')).toBe(1)
    await expect(waiting).rejects.toThrow()
  })

  it('continues after a lost connection', async () => {
    const server = await reach()
    const steps = [working(), { fault: 'lost' }, working(), { fault: 'lost' }, completed(text('done'))]
    expect(await run(server.caller(), { steps })).toEqual(text('done'))
    expect(count(server, 'tools/call')).toBe(1)
    expect(count(server, 'tasks/get')).toBe(5)
  })

  it('that ends before the first poll is not polled again', async () => {
    const server = await reach()
    expect(await run(server.caller(), { seed: { status: 'completed' }, steps: [completed(text('done'))] })).toEqual(
      text('done'),
    )
    expect(count(server, 'tasks/get')).toBe(1)
  })
})

describe.each([
  ['memory', inMemory],
  ['stdio', overStdio],
])('a task whose call ended before the response of the server over %s', (_, reach) => {
  it.each([
    ['a cancellation', {}, 'enough'],
    ['a time limit', { timeoutMs: 50 }, 'no response within 50 ms'],
  ])('is cancelled after %s', async (_, options, message) => {
    const server = await reach()
    const controller = new AbortController()
    const caller = server.caller()
    const args = { isLate: true, steps: [working()] }
    const waiting = run(caller, args, { signal: controller.signal, ...options })
    waiting.catch(() => undefined)
    await expect.poll(() => count(server, 'tools/call')).toBe(1)
    if (message === 'enough') controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow(message)
    await expect.poll(() => count(server, 'tasks/cancel')).toBe(1)
    expect(server.requests().at(-1)).toMatchObject({ method: 'tasks/cancel', params: { taskId: 'task-1' } })
    expect(await echo(caller, { result: text('next') })).toEqual(text('next'))
  })
})

describe('a task over HTTP', () => {
  it.each([
    ['JSON', overJson],
    ['events', overEvents],
  ])('is cancelled if the call is cancelled while its response arrives as %s', async (_, reach) => {
    const server = await reach()
    const controller = new AbortController()
    const lateFetch: typeof fetch = async (url, { signal, ...init } = {}) => {
      const response = await fetch(url, init)
      if (String(init.body).includes('tools/call')) controller.abort(new Error('enough'))
      return response
    }
    const call = run(server.caller({ fetch: lateFetch }), { steps: [working()] }, { signal: controller.signal })
    await expect(call).rejects.toThrow('enough')
    await expect.poll(() => count(server, 'tasks/cancel')).toBe(1)
  })

  it.each([502, 503, 504, 429])('continues after the status %i between polls', async (status) => {
    const server = await overJson()
    const steps = [{ fault: { status, headers: { 'retry-after': '0' } } }, completed(text('done'))]
    expect(await run(server.caller(), { steps })).toEqual(text('done'))
  })

  it('waits as long as the server requires with Retry-After', async () => {
    const server = await overJson()
    const delays = faked()
    const steps = [{ fault: { status: 429, headers: { 'retry-after': '7' } } }, completed(text('done'))]
    const result = run(server.caller(), { seed: { status: 'completed' }, steps })
    await until(() => delays().includes(7_000))
    await vi.advanceTimersByTimeAsync(6_999)
    expect(count(server, 'tasks/get')).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(await result).toEqual(text('done'))
  })

  it('fails after several failed polls in a row, and is cancelled', async () => {
    const server = await overJson()
    const fault = { fault: { status: 503 } }
    const steps = [fault, fault, fault, working(), fault, fault, fault, fault, fault, fault]
    await expect(run(server.caller(), { steps })).rejects.toMatchObject({ code: 'http', status: 503 })
    expect(count(server, 'tasks/get')).toBe(10)
    expect(count(server, 'tasks/cancel')).toBe(1)
  })

  it.each([400, 401, 403, 404])('fails at the status %i', async (status) => {
    const server = await overJson()
    await expect(run(server.caller(), { steps: [{ fault: { status } }] })).rejects.toMatchObject({
      code: 'http',
      status,
    })
    expect(count(server, 'tasks/get')).toBe(1)
  })
})

describe('a task of a server that requires a login', () => {
  const authOver = (logIn: (status: unknown) => Promise<void> | undefined): HttpAuth => ({
    forServer: () => ({
      authorize: (send) => send,
      logIn: (error) => logIn(Object(error).status),
      hide: (text) => text.replaceAll('token-1', '[secret]'),
    }),
  })

  it('continues after a login between polls', async () => {
    const server = await overJson()
    const logins: unknown[] = []
    const auth = authOver((status) => {
      if (status !== 401) return undefined
      logins.push(status)
      return Promise.resolve()
    })
    const steps = [{ fault: { status: 401 } }, completed(text('done'))]
    expect(await run(server.caller({ auth }), { steps })).toEqual(text('done'))
    expect(logins).toEqual([401])
  })

  it('reports texts of the server without the token', async () => {
    const server = await overJson()
    const caller = server.caller({ auth: authOver(() => undefined) })
    const error = { code: -32603, message: 'token-1 is blocked' }
    const updates: object[] = []
    const onProgress = (progress: object): unknown => updates.push(progress)
    const failed = { status: 'failed', error }
    await expect(run(caller, { steps: [working('token-1'), failed] }, { onProgress })).rejects.toThrow(/^.secret. is/)
    expect(updates).toEqual([{ progress: 1, message: '[secret]' }])
    await expect(run(caller, { steps: [{ status: 'cancelled', statusMessage: 'token-1' }] })).rejects.toThrow(
      /: .secret.$/,
    )
  })
})

describe('a task', () => {
  it('is declared to servers with the extension only', async () => {
    const server = await inMemory(new TaskServer({ hasTasks: false }))
    const caller = server.caller()
    await expect(run(caller, { steps: [completed(text('done'))] })).rejects.toMatchObject({ rpcCode: -32021 })
    expect(await echo(caller, { result: text('direct') })).toEqual(text('direct'))
    await expect(echo(caller, { result: { resultType: 'task', taskId: 'a' } })).rejects.toMatchObject({
      code: 'malformed',
    })
    expect(server.requests().at(-1)?.params._meta['io.modelcontextprotocol/clientCapabilities']).toEqual({})
  })

  it('is not accepted as the result of another request', async () => {
    class WrongServer extends TaskServer {
      override answer(method: string, params?: object) {
        const result = { resultType: 'task', taskId: 'a', status: 'working' }
        return method === 'tools/list' ? { result } : super.answer(method, params)
      }
    }
    const caller = (await inMemory(new WrongServer())).caller()
    await expect(caller.listTools()).rejects.toMatchObject({ code: 'malformed' })
    await expect(run(caller, { steps: [{ resultType: 'task' }] })).rejects.toMatchObject({ code: 'malformed' })
  })

  it.each<[string, object, object?]>([
    ['without an id', { taskId: 5 }],
    ['with an empty id', { taskId: '' }],
    ['with an unknown status', { status: 'paused' }],
    ['with a status message that is not a text', { statusMessage: 5 }],
    ['with a negative poll interval', { pollIntervalMs: -1 }],
    ['with a fractional poll interval', { pollIntervalMs: 0.5 }],
    ['with a lifetime that is not a number', { ttlMs: '60000' }],
    ['of another call', {}, { ...working(), taskId: 'task-2' }],
    ['without a status', {}, { status: undefined }],
    ['that completed without a result', {}, { status: 'completed' }],
    ['that completed with malformed content', {}, completed({ content: [{ type: 'text' }] })],
    ['that completed without content', {}, completed({ structuredContent: {} })],
    ['that completed with another task', {}, completed({ resultType: 'task', taskId: 'task-2', ...text('done') })],
    ['that completed with questions', {}, completed({ resultType: 'input_required', inputRequests: {}, ...text('') })],
    ['that failed without an error', {}, { status: 'failed' }],
    ['that failed with an error without a code', {}, { status: 'failed', error: { message: 'x' } }],
    ['that requires input without requests', {}, { status: 'input_required' }],
    ['that asks a question without a text', {}, asking({ a: { method: 'elicitation/create', params: {} } })],
    ['that requires input without a method', {}, asking({ a: 5 })],
    ['that requires input with a method that is not a text', {}, asking({ a: { method: { toString: 1 } } })],
  ])('%s is malformed', async (_, seed, step) => {
    const server = await inMemory()
    const call = run(server.caller(), { seed, steps: [step ?? completed(text('done'))] }, { allowInputRequired: true })
    await expect(call).rejects.toMatchObject({ code: 'malformed' })
    expect(count(server, 'tasks/get')).toBe(step === undefined ? 0 : 1)
    const hasId = !('taskId' in seed)
    await expect.poll(() => count(server, 'tasks/cancel')).toBe(hasId ? 1 : 0)
  })

  it('is malformed in the same cases as a direct result', async () => {
    const caller = (await inMemory()).caller()
    for (const result of [
      { structuredContent: {} },
      { content: [{ type: 'text' }] },
      { resultType: 'other', content: [] },
    ])
      for (const call of [echo(caller, { result }), run(caller, { steps: [completed(result)] })])
        await expect(call).rejects.toMatchObject({ code: 'malformed' })
  })

  it('is cancelled before the caller closes, also if its response is malformed', async () => {
    const server = await inMemory()
    const caller = server.caller()
    await expect(run(caller, { seed: { ttlMs: -1 } })).rejects.toMatchObject({ code: 'malformed' })
    await caller.close()
    expect(count(server, 'tasks/cancel')).toBe(1)
  })

  it('does not delay the end of the caller if the server does not confirm the cancellation', async () => {
    const server = await inMemory()
    const caller = server.caller({ timeoutMs: Infinity })
    const waiting = run(caller, { steps: [working()], isMute: true })
    waiting.catch(() => undefined)
    await expect.poll(() => count(server, 'tasks/get')).toBeGreaterThan(0)
    const delays = faked()
    const closing = caller.close()
    await until(() => delays().includes(1_000))
    await vi.advanceTimersByTimeAsync(1_000)
    await closing
    await expect(waiting).rejects.toThrow('the caller is closed')
    expect(count(server, 'tasks/cancel')).toBe(1)
  })

  it.each([
    ['the interval of the server', { pollIntervalMs: 5_000 }, 5_000],
    ['one second by default', { pollIntervalMs: undefined }, 1_000],
    ['a minimum', { pollIntervalMs: 0 }, 50],
    ['a maximum', { pollIntervalMs: 86_400_000 }, 300_000],
  ])('is polled with %s', async (_, facts, intervalMs) => {
    const server = await inMemory()
    const caller = server.caller()
    await caller.listTools()
    const delays = faked()
    const steps = [{ ...working(), ...facts }, completed(text('done'))]
    const result = run(caller, { seed: facts, steps })
    for (const polls of [0, 1]) {
      await until(() => delays().filter((delay) => delay === intervalMs).length > polls)
      expect(count(server, 'tasks/get')).toBe(polls)
      await vi.advanceTimersByTimeAsync(intervalMs - 1)
      expect(count(server, 'tasks/get')).toBe(polls)
      await vi.advanceTimersByTimeAsync(1)
    }
    expect(await result).toEqual(text('done'))
    expect(count(server, 'tasks/get')).toBe(2)
  })

  it.each([
    [
      'expired',
      0,
      {
        code: 'timeout',
        message: expect.stringContaining('has expired, and the server no longer knows it: Task not found'),
      },
    ],
    ['was forgotten', null, { code: 'refused', message: expect.stringContaining('no longer knows the task') }],
  ])('that %s fails the call, and not because of its arguments', async (_, ttlMs, error) => {
    const server = new TaskServer()
    const reached = await inMemory(server)
    const steps = [{ ...working(), ttlMs }, { error: { code: -32602, message: 'Task not found', isResponse: true } }]
    await expect(run(reached.caller(), { steps })).rejects.toMatchObject({ rpcCode: undefined, ...error })
    expect(count(reached, 'tasks/cancel')).toBe(0)
  })

  it('continues after an internal error of the server', async () => {
    const server = await inMemory()
    const steps = [{ error: { code: -32603, message: 'busy', isResponse: true } }, completed(text('done'))]
    expect(await run(server.caller(), { steps })).toEqual(text('done'))
  })

  it('is not awaited if the server does not confirm its cancellation', async () => {
    const server = await inMemory()
    const controller = new AbortController()
    const args = { steps: [working()], isMute: true }
    const waiting = run(server.caller({ timeoutMs: Infinity }), args, { signal: controller.signal })
    waiting.catch(() => undefined)
    await expect.poll(() => count(server, 'tasks/get')).toBeGreaterThan(0)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(count(server, 'tasks/cancel')).toBe(1)
  })

  it('ends with the caller', async () => {
    const server = await inMemory()
    const caller = server.caller()
    const waiting = run(caller, { steps: [{ ...working(), pollIntervalMs: 300_000 }] })
    waiting.catch(() => undefined)
    await expect.poll(() => count(server, 'tasks/get')).toBe(1)
    await caller.close()
    await expect(waiting).rejects.toThrow('the caller is closed')
  })

  it('has a time limit for each request, not for the whole task', async () => {
    const server = await inMemory()
    const caller = server.caller({ timeoutMs: 2_000 })
    await caller.listTools()
    const delays = faked()
    const slow = { ...working(), pollIntervalMs: 60_000 }
    const result = run(caller, { seed: slow, steps: [slow, slow, completed(text('done'))] })
    await until(() => delays().includes(60_000))
    await vi.advanceTimersByTimeAsync(180_000)
    expect(await result).toEqual(text('done'))
  })

  it('does not fail if the listener for progress fails', async () => {
    const errors: unknown[] = []
    const caller = (await inMemory()).caller({ onError: (error) => errors.push(error) })
    const onProgress = (): never => {
      throw new Error('listener')
    }
    const steps = [working('Reading.'), completed(text('done'))]
    expect(await run(caller, { steps }, { onProgress })).toEqual(text('done'))
    expect(errors.map(String)).toEqual(['Error: listener'])
  })

  it('streams its status messages as updates of a tool that was imported with its progress', async () => {
    const updates = {
      type: 'object',
      properties: { progress: { type: 'number' }, message: { type: 'string' } },
    } as const
    const imported = importedAs('jobs', { run: { updates } })
    const tools = boundOver((await inMemory()).caller(), imported)
    const received: string[] = []
    const steps = [working('Reading.'), working('Writing.'), completed(text('done'))]
    const call = { tool: 'jobs.run', arguments: JSON.stringify({ steps }) }
    const outcome = await tools.execute(call, { onUpdate: (update) => received.push(update) })
    expect(outcome).toMatchObject({ status: 'completed', json: '"done"' })
    expect(received).toEqual(['{"progress":1,"message":"Reading."}', '{"progress":2,"message":"Writing."}'])
  })

  it('reports invalid arguments of the tool like a direct call', async () => {
    const imported = importedAs('jobs', { run: {} })
    const tools = boundOver((await inMemory()).caller(), imported)
    const steps = [{ status: 'failed', error: { code: -32602, message: 'Invalid region.' } }]
    const outcome = await tools.execute({ tool: 'jobs.run', arguments: JSON.stringify({ steps }) })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'invalid_arguments' } })
  })
})
