import { setImmediate as tick } from 'node:timers/promises'
import type { Sandbox, SandboxFailure, SandboxLimits, SandboxOptions } from '@toolgen/runtime/code-mode'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bombs, escapes } from './hostile-programs.js'

/** Value that all threads of Node have, including the thread of the sandbox. Escapes try to read it. */
const secret = process.version

const limits: SandboxLimits = {
  computeMs: 500,
  totalMs: 60_000,
  calls: 100,
  parallel: 10,
  logCharacters: 1_000,
  resultCharacters: 10_000,
}

const paths = ['tools.echo', 'tools.fail', 'tools.wait']

/** Tests a sandbox with valid programs, programs that exceed a limit, and escapes. */
export function testSandbox(
  newSandbox: (options?: SandboxOptions) => Sandbox,
  /**
   * Expected failure reasons for a program that returns a deeply nested value. This value crashes QuickJS until V8 has optimized the code of QuickJS,
   * which then needs less stack.
   */
  deepReasons: readonly SandboxFailure[],
): void {
  let sandbox: Sandbox
  beforeAll(() => {
    sandbox = newSandbox({ memoryMiB: 32 })
  })
  afterAll(() => sandbox.close())

  function run(body: string, changed: Partial<SandboxLimits> = {}, own: Sandbox = sandbox, signal?: AbortSignal) {
    const program = {
      javascript: `async function program() {\n${body}\n}`,
      paths,
      now: Date.UTC(2026, 0, 2),
      seed: 7,
      limits: { ...limits, ...changed },
      ...(signal && { signal }),
    }
    return own.run(program, async (index, json, ended) => {
      if (index === 0) return { ok: true, json }
      if (index === 1) return { ok: false, message: 'It is closed.', hint: 'Open it first.' }
      await new Promise((resolve) => ended.addEventListener('abort', resolve))
      return { ok: true, json: 'null' }
    })
  }

  async function resultOf(body: string): Promise<unknown> {
    const outcome = await run(body)
    if (outcome.status === 'failed') throw new Error(`${outcome.reason}: ${outcome.message}`)
    if (outcome.status === 'suspended') throw new Error('suspended')
    return JSON.parse(outcome.json)
  }

  describe('a program in the sandbox', () => {
    it('returns JSON, and null without a value', async () => {
      expect(await resultOf('return { a: [1, "ä", null], b: undefined }')).toEqual({ a: [1, 'ä', null] })
      expect(await resultOf('')).toBeNull()
      expect(await resultOf('return () => 1')).toBeNull()
    })

    it('calls functions, one after the other and in parallel', async () => {
      expect(await resultOf('const a = await tools.echo({ n: 1 }); return tools.echo({ n: a.n + 1 })')).toEqual({
        n: 2,
      })
      expect(await resultOf('return Promise.all([3, 2, 1].map((n) => tools.echo({ n })))')).toEqual([
        { n: 3 },
        { n: 2 },
        { n: 1 },
      ])
      expect(await resultOf('return tools.echo()')).toEqual({})
    })

    it('catches the error of a call, with its hint', async () => {
      const body =
        'try { await tools.fail() } catch (error) { return [error.name, error.message, error.hint, error instanceof Error] }'
      expect(await resultOf(body)).toEqual(['ToolError', 'It is closed.', 'Open it first.', true])
      expect(await run('await tools.fail()')).toEqual({
        status: 'failed',
        reason: 'error',
        message: 'ToolError: It is closed.',
        hint: 'Open it first.',
        logs: [],
      })
    })

    it.each([
      ['throw null', 'Error: null'],
      ['throw undefined', 'Error: undefined'],
      ["throw 'Aborted by the clerk'", 'Error: Aborted by the clerk'],
      ["throw new Error('The warehouse is out of memory cards')", 'Error: The warehouse is out of memory cards'],
      ['await Promise.reject(null)', 'Error: null'],
    ])('ends with its own error after `%s`', async (body, message) => {
      expect(await run(body)).toEqual({ status: 'failed', reason: 'error', message, logs: [] })
    })

    it('ends with its own error after another program has needed much memory', async () => {
      expect(await resultOf("return 'x'.repeat(12_000_000).length")).toBe(12_000_000)
      expect(await run('throw null')).toMatchObject({ reason: 'error' })
      expect(await run('await new Promise(() => {})')).toMatchObject({
        reason: 'error',
        message: 'Error: The program waits for a promise that never settles.',
      })
    })

    it('has a fixed time and the same random numbers in every run', async () => {
      const body =
        'return [Date.now(), new Date().toISOString(), Date().length > 10, new Date(5).getTime(), Math.random(), Math.random()]'
      const first = await resultOf(body)
      const random = expect.any(Number)
      expect(first).toEqual([Date.UTC(2026, 0, 2), '2026-01-02T00:00:00.000Z', true, 5, random, random])
      expect(await resultOf(body)).toEqual(first)
    })

    it('shares nothing with the programs before and after it', async () => {
      await resultOf(
        'globalThis.kept = 1; Object.prototype.kept = 1; Array.prototype.map = null; JSON.parse = null; return 1',
      )
      expect(await resultOf('return [typeof kept, ({}).kept, [1].map((n) => n + 1)]')).toEqual(['undefined', null, [2]])
    })

    it('writes bounded lines to the console', async () => {
      const outcome = await run(
        'console.log("a", { b: 1 }, [undefined]); console.error(new Error("x")); for (;;) { console.log("y".repeat(100)); if (++n > 50) break }'.replace(
          'for',
          'let n = 0; for',
        ),
      )
      expect(outcome.logs.slice(0, 3)).toEqual(['a {"b":1} [null]', 'Error: x', 'y'.repeat(100)])
      expect(outcome.logs.join('\n').length).toBeLessThan(1_100)
      expect(outcome.logs.at(-1)).toBe('(more output was dropped)')
    })

    it('writes halves of characters as U+FFFD', async () => {
      const { logs } = await run("console.log('a😀b'.slice(0, 2), ['😀'.slice(1)], '😀')")
      expect(logs).toEqual(['a\uFFFD ["\\ude00"] 😀'])
    })

    it('ends when it is cancelled, also while it waits for a call, and when the sandbox is closed', async () => {
      const controller = new AbortController()
      const waiting = run('await tools.wait()', {}, sandbox, controller.signal)
      controller.abort()
      expect(await waiting).toMatchObject({ status: 'failed', reason: 'cancelled' })
      expect(await run('return 1', {}, sandbox, AbortSignal.abort())).toMatchObject({ reason: 'cancelled' })
      const own = newSandbox()
      const last = run('await tools.wait()', {}, own)
      await own.close()
      expect(await last).toMatchObject({ reason: 'cancelled' })
      expect(await run('return 1', {}, own)).toMatchObject({ reason: 'cancelled' })
    })
  })

  describe('a program whose calls wait', () => {
    const javascript = `async function program() {
      console.log('start')
      const waits = tools.wait({ n: 1 })
      const first = await tools.echo({ n: 2 })
      console.log('first', first.n)
      return [await waits, first, await tools.echo({ n: 3 })]
    }`
    const program = { javascript, paths, now: 0, seed: 1, limits }
    const journal = {
      calls: [
        { path: 'tools.wait', json: '{"n":1}' },
        { path: 'tools.echo', json: '{"n":2}' },
      ],
      replies: [{ call: 1, reply: { ok: true, json: '{"n":2}' } }],
    } as const

    it('is suspended when the other calls have ended', async () => {
      const made: unknown[] = []
      const outcome = await sandbox.run(program, async (index, json, _, number) => {
        made.push([number, paths[index], json])
        return index === 2 ? 'suspended' : { ok: true, json }
      })
      expect(outcome).toEqual({ status: 'suspended', logs: ['start', 'first 2'] })
      expect(made).toEqual([
        [0, 'tools.wait', '{"n":1}'],
        [1, 'tools.echo', '{"n":2}'],
      ])
    })

    it('repeats its journal without calls, and then continues', async () => {
      const made: unknown[] = []
      const outcome = await sandbox.run({ ...program, journal }, async (index, json, _, number) => {
        made.push([number, paths[index], json])
        return { ok: true, json }
      })
      expect(outcome).toEqual({
        status: 'completed',
        json: '[{"n":1},{"n":2},{"n":3}]',
        logs: ['start', 'first 2'],
      })
      expect(made).toEqual([
        [0, 'tools.wait', '{"n":1}'],
        [2, 'tools.echo', '{"n":3}'],
      ])
    })

    it.each([
      [
        'another call',
        'tools.echo({ n: 5 }); await tools.echo({ n: 2 })',
        'Call 1 was tools.wait, and is now tools.echo.',
      ],
      [
        'other arguments',
        'tools.wait({ n: 7 })',
        'Call 1 (tools.wait) had the arguments {"n":1}, and now has {"n":7}.',
      ],
      ['a missing call', 'await tools.wait({ n: 1 })', 'Call 2 (tools.echo) is missing.'],
      [
        'a new call',
        'tools.wait({ n: 1 }); await Promise.all([2, 3].map((n) => tools.echo({ n })))',
        'Call 3 (tools.echo) is new.',
      ],
      ['an earlier end', 'return 1', 'The program ended before call 1 (tools.wait).'],
      [
        'an end while calls wait',
        'tools.wait({ n: 1 }); await tools.echo({ n: 2 })',
        'The program ended without waiting for its suspended calls.',
      ],
      [
        'an error',
        'tools.wait({ n: 1 }); throw new Error("late")',
        'The program ended before call 2 (tools.echo). Its error is: Error: late',
      ],
    ])('ends if it makes %s, before a call runs', async (_, body, message) => {
      let calls = 0
      const changed = { ...program, javascript: `async function program() { ${body} }`, journal }
      const outcome = await sandbox.run(changed, async (_index, json) => {
        calls += 1
        return { ok: true, json }
      })
      expect(outcome).toEqual({ status: 'failed', reason: 'replay', message, logs: [] })
      expect(calls).toBe(0)
    })
  })

  describe('a program that exceeds a limit', () => {
    it.each(bombs)('$name ends as $reason', async ({ reason, body, limits: changed }) => {
      // A short limit is enough for an endless program.
      const outcome = await run(body, reason === 'time' ? { computeMs: 150, ...changed } : changed)
      const reasons = reason === 'crashed' ? deepReasons : [reason]
      expect(outcome.status, JSON.stringify(outcome)).toBe('failed')
      expect(reasons, JSON.stringify(outcome)).toContain(outcome.status === 'failed' && outcome.reason)
      expect(await resultOf('return "still alive"')).toBe('still alive')
    })

    it('does not block the host', async () => {
      let isOver = false
      const controller = new AbortController()
      const outcome = run('for (;;);', { computeMs: 60_000 }, sandbox, controller.signal).finally(() => {
        isOver = true
      })
      for (let count = 0; count < 1_000; count += 1) await tick()
      expect(isOver).toBe(false)
      controller.abort()
      expect(await outcome).toMatchObject({ reason: 'cancelled' })
    })
  })

  describe('an escape reaches nothing of the host', () => {
    it('in any of the programs', () => {
      expect(new Set(escapes).size).toBeGreaterThanOrEqual(60)
    })

    it('although the value is there without a sandbox', async () => {
      const inHost = (body: string): Promise<unknown> => (async () => {}).constructor(body)()
      expect(await inHost('return globalThis.process.version')).toBe(secret)
      expect(await inHost('return [].constructor.constructor("return process")().version')).toBe(secret)
    })

    it.each(escapes)('%s', async (body) => {
      const outcome = await run(body)
      expect(JSON.stringify(outcome)).not.toContain(secret)
      expect(JSON.stringify(outcome)).not.toMatch(/root:|node:internal|\/node_modules\/|file:\/\//)
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
      expect(Reflect.get({}, 'polluted')).toBeUndefined()
      expect(outcome.status === 'completed' ? outcome.json : '').not.toMatch(/\bobject(?:function|object)/)
      expect(await resultOf('return [typeof process, typeof require, (await tools.echo({ a: 1 })).a]')).toEqual([
        'undefined',
        'undefined',
        1,
      ])
    })
  })
}
