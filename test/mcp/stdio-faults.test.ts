import { execFileSync } from 'node:child_process'
import { isToolgenError } from '@toolgen/runtime'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { CallOptions, ToolOutcome } from '../../packages/runtime/src/index.js'
import type { McpDriftReport, McpExecutorOptions } from '../../packages/runtime/src/mcp.js'
import { type SdkCaller, type StdioCallerOptions, stdioCaller } from '../../packages/runtime/src/mcp.js'
import { boundOver, faultCaller, faultImport, isAlive } from './served.fixture.js'

const open: SdkCaller[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((caller) => caller.close()))
})

type Call = (tool: string, args?: object, options?: CallOptions) => Promise<ToolOutcome>

function faults(options: Partial<StdioCallerOptions> = {}, executor: McpExecutorOptions = {}): Call {
  const caller = faultCaller(options)
  open.push(caller)
  return callsOver(caller, executor)
}

function callsOver(caller: SdkCaller, executor: McpExecutorOptions = {}): Call {
  const bound = boundOver(caller, faultImport, executor)
  return (tool, args = {}, more = {}) => bound.execute({ tool: `fault.${tool}`, arguments: JSON.stringify(args) }, more)
}

const said = (outcome: ToolOutcome): unknown => (outcome.status === 'completed' ? outcome.result.data : outcome)
const reason = (outcome: ToolOutcome): unknown => (outcome.status === 'failed' ? outcome.hint.reason : outcome.status)
const pidOf = async (call: Call): Promise<number> => Number(said(await call('process')))

describe('a server over stdio', () => {
  it('that dies during calls fails them and serves the next from a new process', async () => {
    const call = faults()
    const first = await pidOf(call)
    const [slow, dead] = await Promise.all([call('echo', { text: 'a', afterMs: 2 ** 30 }), call('die')])
    expect([reason(slow), reason(dead)]).toEqual(['unavailable', 'unavailable'])
    expect(dead).toMatchObject({
      error: { cause: { code: 'closed', message: 'the server ended with code 7 before it responded' } },
    })
    expect(await pidOf(call)).not.toBe(first)
    expect(isAlive(first)).toBe(false)
  })

  it('defect 14: that ends because the application closes the caller is not reported to onError', async () => {
    const errors: unknown[] = []
    const caller = faultCaller({ onError: (error) => errors.push(error) })
    const pid = await pidOf(callsOver(caller))
    await caller.close()
    // The transport reports an end after it has read the last messages.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(isAlive(pid)).toBe(false)
    expect(errors).toEqual([])
  })

  it('that never answers causes a timeout, receives a cancellation, and other calls continue', async () => {
    const caller = faultCaller()
    open.push(caller)
    const [brief, call] = [callsOver(caller, { timeoutMs: 50 }), callsOver(caller)]
    await call('echo')
    const [silent, echo] = await Promise.all([brief('silent'), call('echo', { text: 'a' })])
    expect([reason(silent), said(echo)]).toEqual(['timeout', 'a'])
    expect(said(await call('cancelled'))).toHaveLength(1)
  })

  it('is notified when a call is cancelled', async () => {
    const call = faults()
    await call('echo')
    const controller = new AbortController()
    const silent = call('silent', {}, { signal: controller.signal })
    await call('echo')
    controller.abort()
    expect(reason(await silent)).toBe('cancelled')
    expect(said(await call('cancelled'))).toHaveLength(1)
  })

  it('that writes invalid lines still works, and the lines are reported', async () => {
    const errors: unknown[] = []
    const call = faults({ onError: (error) => errors.push(error) })
    expect(said(await call('garbage'))).toEqual({ content: [] })
    expect(errors.map(String)).toEqual([
      expect.stringContaining('Server is starting...'),
      expect.stringContaining('jsonrpc'),
      expect.stringContaining('\\u0000'),
      expect.stringContaining('[]'),
    ])
  })

  it('that answers more than is taken fails that call alone', async () => {
    const call = faults({ maxMessageBytes: 100_000 })
    const first = await pidOf(call)
    const [big, fitting] = await Promise.all([call('big', { bytes: 3_000_000 }), call('big', { bytes: 90_000 })])
    expect(reason(big)).toBe('malformed_result')
    expect(big).toMatchObject({ error: { cause: { code: 'too_large' } } })
    expect(said(fitting)).toHaveLength(90_000)
    expect(await pidOf(call)).toBe(first)
  })

  it.each([
    [true, 'too_large', 'the response is longer than 100000 bytes'],
    [false, 'closed', /^the server/],
  ])(
    'that answers without an end fails the call without a time limit, with its id: %s',
    async (withId, code, message) => {
      const errors: unknown[] = []
      const caller = faultCaller({
        maxMessageBytes: 100_000,
        timeoutMs: Infinity,
        onError: (error) => errors.push(error),
      })
      open.push(caller)
      const { signal } = new AbortController()
      const error = await caller
        .callTool({ name: 'endless', arguments: { withId } }, { signal })
        .catch((thrown) => thrown)
      expect(error).toMatchObject({ name: 'McpCallError', code })
      expect(error.message).toMatch(message)
    },
  )

  it('that answers megabytes is read', async () => {
    expect(said(await faults()('big', { bytes: 20_000_000 }))).toHaveLength(20_000_000)
  })

  it('that breaks its own output schema answers a malformed result', async () => {
    expect(reason(await faults()('breaks'))).toBe('malformed_result')
  })

  it.each([
    [-32602, 'invalid_arguments'],
    [-32601, 'internal'],
    [-32603, 'internal'],
    [-32000, 'unavailable'],
  ])('that answers the JSON-RPC error %d means %s', async (code, meant) => {
    expect(reason(await faults()('error', { code }))).toBe(meant)
  })

  it('that changes its tools while connected is compared again', async () => {
    const reports: McpDriftReport[] = []
    const call = faults({}, { onDrift: (report) => reports.push(report) })
    await call('change')
    await expect.poll(() => reports.at(-1)?.changes).toMatchObject([{ tool: 'echo', kind: 'removed' }])
  })

  it('sends progress, which is reported as updates, also if it arrives together with the result', async () => {
    const updates: string[] = []
    await faults()('progress', {}, { onUpdate: (update) => updates.push(update) })
    expect(updates).toEqual(['{"progress":1,"total":2}', '{"progress":2,"total":2}'])
  })

  it('receives its roots', async () => {
    const roots = [{ uri: 'file:///home', name: 'home' }]
    expect(said(await faults({ roots })('roots'))).toEqual({ roots })
  })

  it('that cannot be started is unavailable, without further tries', async () => {
    const outcome = await faults({ command: 'no-such-server', reconnect: { initialMs: 60_000 } })('echo')
    expect(outcome).toMatchObject({
      hint: { reason: 'unavailable' },
      error: { cause: { code: 'unreachable', cause: { code: 'ENOENT' } } },
    })
  })

  it('that dies at once is tried as often as was said', async () => {
    const ends: unknown[] = []
    const call = faults({ env: { BORN_DEAD: 'API_KEY is not set' }, onError: (error) => ends.push(error) })
    expect(reason(await call('echo'))).toBe('unavailable')
    expect(ends.map(String)).toEqual(Array(2).fill('ServerEnd: the server ended with code 3: API_KEY is not set'))
  })

  it.each([
    ['its last lines', 'npm warn old\n\none\ntwo\nthree\n\n', 'one / two / three'],
    [
      'the error that it died of',
      '/srv/a.js:1\nthrow x\n\nTypeError: no key\n    at a.js:1\n\nNode.js v20',
      'TypeError: no key',
    ],
    ['the error of a traceback', '  File "a.py"\n    raise ValueError("x")\nValueError: no key', 'ValueError: no key'],
    ['no more than there is room for', 'x'.repeat(9_000), `${'x'.repeat(500)}…`],
  ])('that dies at once is quoted with %s', async (_, stderr, quoted) => {
    const caller = faultCaller({ env: { BORN_DEAD: stderr }, reconnect: { attempts: 1 } })
    open.push(caller)
    const outcome = await boundOver(caller, faultImport).execute({ tool: 'fault.echo', arguments: '{}' })
    const cause = outcome.status === 'failed' ? outcome.error.cause : undefined
    expect(isToolgenError(cause, 'McpCallError') && cause.code).toBe('unreachable')
    expect(String(cause)).toMatch(/^McpCallError: cannot connect to the MCP server /)
    expect(String(cause)).toContain(`fault-server.mjs: the server ended with code 3 before it responded: ${quoted}`)
  })

  it('that dies without reading is quoted too, whether its end or its closed pipe is heard of first', async () => {
    const dies = ['-c', 'echo "need API_KEY" >&2; exit 3']
    const tries = Array.from({ length: 8 }, async () => {
      const caller = stdioCaller({ command: 'sh', args: dies, reconnect: { attempts: 1 } })
      open.push(caller)
      return caller.listTools().catch(String)
    })
    for (const said of await Promise.all(tries)) {
      expect(said).toContain('the server ended with code 3 before it responded: need API_KEY')
    }
  })

  it('that does not shake hands in time is unavailable', async () => {
    const call = faults({ env: { MUTE: '1' }, connectTimeoutMs: 150, reconnect: { attempts: 1 } })
    expect(reason(await call('echo'))).toBe('unavailable')
  })

  it('has of the environment only what it was given, and what every program needs', async () => {
    vi.stubEnv('API_KEY', 'secret')
    vi.stubEnv('OTHER', 'secret')
    try {
      const none = said(await faults()('environment'))
      const given = said(await faults({ env: { API_KEY: process.env.API_KEY, UNSET: undefined } })('environment'))
      expect(none).not.toContain('API_KEY')
      expect(given).toEqual([...(Array.isArray(none) ? none : []), 'API_KEY'].sort())
      expect(given).toContain('PATH')
      expect(said(await faults({ env: process.env })('environment'))).toContain('OTHER')
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('is connected once for calls that come together', async () => {
    const call = faults()
    const pids = await Promise.all([1, 2, 3, 4].map(() => pidOf(call)))
    expect(new Set(pids).size).toBe(1)
  })
})

describe('a closed caller', () => {
  it('leaves no process, even of a server that does not want to end and of what that has started', async () => {
    const caller = faultCaller({ env: { STUBBORN: '1', LEAVES_CHILD: '1' } })
    const call = boundOver(caller, faultImport)
    const pid = Number(said(await call.execute({ tool: 'fault.process', arguments: '{}' })))
    const group = (): readonly string[] =>
      execFileSync('ps', ['-eo', 'pgid,stat,args'], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.trim().startsWith(`${pid} `) && !/^\s*\d+\s+Z/.test(line))
    expect(group().join()).toContain('sleep 300')
    await caller.close()
    expect(isAlive(pid)).toBe(false)
    await expect.poll(() => group()).toEqual([])
  })

  it('fails calls under way and refuses later ones', async () => {
    const caller = faultCaller()
    const bound = boundOver(caller, faultImport)
    await bound.execute({ tool: 'fault.echo', arguments: '{}' })
    const silent = bound.execute({ tool: 'fault.silent', arguments: '{}' })
    await new Promise((resolve) => setTimeout(resolve, 5))
    await caller.close()
    expect(reason(await silent)).toBe('unavailable')
    expect(reason(await bound.execute({ tool: 'fault.echo', arguments: '{}' }))).toBe('unavailable')
  })
})
