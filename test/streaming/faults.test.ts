import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Runtime, retry, type ToolExecutor, ToolFailure, timeout } from '../../packages/runtime/src/index.js'
import { abortedIn, later, never, unhandledDuring, within } from '../runs/agents.fixture.js'
import { answering, count, heard, registered, silent, wordOf } from './streaming.fixture.js'

const fails = (error: unknown): ToolExecutor =>
  answering(async function* () {
    yield 1
    throw error
  })

/** A stream by hand, and what was asked of it. */
function stream(next: () => unknown, closed: () => unknown = () => undefined) {
  const asked = { next: 0, closed: 0 }
  const iterator = {
    next: () => {
      asked.next += 1
      return next()
    },
    return: () => {
      asked.closed += 1
      return closed()
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return { asked, executor: answering(() => iterator) }
}

describe('a stream that fails', () => {
  it.each([
    ['for the model', new ToolFailure('Sold out.', { action: 'replan' }), 'domain_rejection'],
    ['for lack of a service', Object.assign(new Error('secret'), { status: 503 }), 'unavailable'],
    ['for no reason', undefined, 'internal'],
  ])('%s fails its call, after its updates', async (_, error, word) => {
    const { outcome, updates } = await heard(fails(error))
    expect([wordOf(outcome), updates]).toEqual([word, ['1']])
    expect(JSON.stringify(outcome)).not.toContain('secret')
  })

  it('is tried again before its first update, and not after it', async () => {
    const tries = async (updateFirst: boolean): Promise<number> => {
      let tried = 0
      const executor = answering(async function* () {
        tried += 1
        if (updateFirst || tried === 3) yield 1
        if (tried < 3) throw Object.assign(new Error('busy'), { status: 429 })
        return 'done'
      })
      const layered = registered(executor).layer(retry({ attempts: 3, delayMs: () => 0 }))
      await new Runtime().registerToolset(layered).execute(count.call({ to: 1 }))
      return tried
    }
    expect(await tries(false)).toBe(3)
    expect(await tries(true)).toBe(1)
  })

  it('with an update that breaks its schema is closed', async () => {
    let closed = false
    const executor = answering(async function* () {
      try {
        yield 1
        yield 'two'
        yield 3
        return 'done'
      } finally {
        closed = true
      }
    })
    const { outcome, updates } = await heard(executor)
    expect([wordOf(outcome), updates, closed]).toEqual(['malformed_result', ['1'], true])
  })

  it.each<[string, () => unknown]>([
    ['steps that are none', () => 5],
    [
      'a step that cannot be read',
      () => ({
        get done(): boolean {
          throw new Error('secret')
        },
      }),
    ],
    [
      'a method that throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['a method that rejects', () => Promise.reject(new Error('secret'))],
  ])('by giving %s is closed', async (_, next) => {
    const { asked, executor } = stream(next, () => {
      throw new Error('nor can it be closed')
    })
    const { outcome } = await heard(executor)
    expect([wordOf(outcome), asked]).toEqual(['internal', { next: 1, closed: 1 }])
    expect(JSON.stringify(outcome)).not.toContain('secret')
  })

  it.each<[string, () => unknown]>([
    ['has no method of the kind', () => ({ [Symbol.asyncIterator]: 1 })],
    [
      'cannot be read',
      () =>
        Object.defineProperty({}, Symbol.asyncIterator, {
          get: () => {
            throw new Error('secret')
          },
        }),
    ],
    ['traps whoever asks', () => new Proxy({}, { has: () => JSON.parse('{') })],
    ['opens to nothing', () => ({ [Symbol.asyncIterator]: () => undefined })],
    [
      'does not open',
      () => ({
        [Symbol.asyncIterator]: () => {
          throw new Error('secret')
        },
      }),
    ],
  ])('where what looks like one %s has an outcome all the same', async (_, answer) => {
    const unhandled = await unhandledDuring(async () => {
      const { outcome, updates } = await heard(answering(answer))
      expect(wordOf(outcome)).toMatch(/^(internal|malformed_result)$/)
      expect(updates).toEqual([])
      expect(JSON.stringify(outcome)).not.toContain('secret')
    })
    expect(unhandled).toEqual([])
  })
})

describe('a stream of a tool that does not stream', () => {
  it('fails, naming the tool, and is closed unread', async () => {
    const { asked, executor } = stream(() => ({ done: false, value: 1 }))
    const { outcome, updates } = await heard(executor, {}, silent)
    expect(outcome).toMatchObject({
      hint: {
        reason: 'internal',
        message: expect.stringContaining("'numbers.silent' returned a stream, but the design does not declare it"),
      },
    })
    expect([updates, asked]).toEqual([[], { next: 0, closed: 1 }])
  })

  it('is cancelled where it is a readable stream', async () => {
    let cancelled = false
    const readable = new ReadableStream({
      cancel: () => {
        cancelled = true
      },
    })
    expect(
      wordOf(
        (
          await heard(
            answering(() => readable),
            {},
            silent,
          )
        ).outcome,
      ),
    ).toBe('internal')
    expect(cancelled).toBe(true)
  })
})

describe('the abort of a call', () => {
  it.each<[string, () => unknown]>([
    ['ends', () => ({ done: true })],
    ['never comes to an end', never],
    [
      'throws',
      () => {
        throw new Error('late')
      },
    ],
    ['rejects', () => Promise.reject(new Error('late'))],
    ['rejects in another realm', () => runInNewContext('Promise.reject(new Error("late"))')],
  ])('closes a stream that is waited for, once, whose closing %s', async (_, closed) => {
    const unhandled = await unhandledDuring(async () => {
      const controller = new AbortController()
      const waiting = (): Promise<never> => {
        setImmediate(() => controller.abort())
        return never()
      }
      const { asked, executor } = stream(waiting, closed)
      const call = await within(heard(executor, { signal: controller.signal }))
      expect(call).toMatchObject({ outcome: { hint: { reason: 'cancelled' } }, updates: [] })
      expect(asked).toEqual({ next: 1, closed: 1 })
    })
    expect(unhandled).toEqual([])
  })

  it('runs the finally blocks of a generator, and ignores further items', async () => {
    const steps: string[] = []
    const controller = new AbortController()
    const executor = answering(async function* ({ emit }) {
      try {
        yield 1
        controller.abort()
        yield 2
        steps.push('goes on')
      } finally {
        steps.push('finally')
        await emit(3).catch((error: ToolFailure) => steps.push(error.reason))
        yield 4
        steps.push('and on')
      }
    })
    const unhandled = await unhandledDuring(async () => {
      const { outcome, updates, events } = await heard(executor, { signal: controller.signal })
      expect([wordOf(outcome), updates]).toEqual(['cancelled', ['1']])
      expect(events.at(-1)).toMatchObject({ type: 'call_ended' })
    })
    expect(unhandled).toEqual([])
    expect(steps).toEqual(['finally', 'cancelled'])
  })

  it('cancels a readable stream without items', async () => {
    const reasons: unknown[] = []
    const readable = new ReadableStream({ cancel: (reason) => void reasons.push(reason) })
    expect(
      wordOf(
        (
          await heard(
            answering(() => readable),
            { signal: abortedIn(3) },
          )
        ).outcome,
      ),
    ).toBe('cancelled')
    expect(reasons).toHaveLength(1)
  })

  it('closes a stream that comes later', async () => {
    const { asked, executor } = stream(never)
    const late = answering((request) => later(10, executor.execute(request)))
    expect(wordOf((await heard(late, { signal: abortedIn(3) })).outcome)).toBe('cancelled')
    await later(15, undefined)
    expect(asked).toEqual({ next: 0, closed: 1 })
  })

  it.each<[string, ToolExecutor]>([
    [
      'a generator',
      answering(async function* () {
        for (let at = 1; ; at += 1) yield at
      }),
    ],
    [
      'an executor that emits',
      answering(async ({ emit }) => {
        for (let at = 1; ; at += 1) await emit(at)
      }),
    ],
  ])('comes to %s that never waits for anything else', async (_, executor) => {
    const { outcome, updates } = await heard(executor, { deadline: Date.now() + 250 })
    expect(wordOf(outcome)).toBe('timeout')
    expect(updates).not.toEqual([])
    expect(updates).toEqual(updates.map((_update, at) => `${at + 1}`))
  })

  it('by a layer closes the stream too', async () => {
    const { asked, executor } = stream(never)
    const toolset = new Runtime().registerToolset(registered(executor).layer(timeout(3)))
    expect(wordOf(await toolset.execute(count.call({ to: 1 })))).toBe('timeout')
    expect(asked).toEqual({ next: 1, closed: 1 })
  })
})
