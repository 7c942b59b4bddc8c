import { describe, expect, it, vi } from 'vitest'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolService } from '../types/layer.js'
import type { ToolCallMeta } from '../types/tool.js'
import { cache } from './cache.js'
import { completed, endingOf, gate, type RequestParts, requestOf } from './request.fixture.js'

const readOnly = { annotations: { readOnly: true } }

/** A call of a read-only tool. */
function reading(parts: RequestParts = {}, meta: Partial<ToolCallMeta> = { sessionId: 's-1' }): RequestParts {
  return { ...parts, tool: { ...readOnly, ...parts.tool }, meta }
}

/** A tool that numbers its answers. */
function numbered(): { next: ToolService; calls: number } {
  const told: ReturnType<typeof numbered> = {
    calls: 0,
    next: async (request) => {
      told.calls += 1
      return completed(request, { total: told.calls, when: new Date(told.calls), parts: ['a'] })
    },
  }
  return told
}

describe('a cache', () => {
  it('answers an equal call with the same result, as a call of its own', async () => {
    const told = numbered()
    const call = cache()(told.next)
    const first = await call(requestOf(reading({ toolCallId: 'a' })))
    const second = await call(requestOf(reading({ toolCallId: 'b' })))
    expect(told.calls).toBe(1)
    if (first.status !== 'completed' || second.status !== 'completed') throw new Error('a call failed')
    expect(first.provenance.extra).toBeUndefined()
    expect(second).toMatchObject({
      call: { toolCallId: 'b' },
      provenance: { tool: 'orders.getOrder', attempts: 0, service: 'shop', extra: { cache: 'hit' } },
      json: first.json,
    })
    expect(second.result.provenance).toBe(second.provenance)
    expect(second.result.data).toEqual(first.result.data)
    expect(second.result.data).not.toBe(first.result.data)
  })

  it('gives nobody data that another could have changed', async () => {
    const call = cache()(numbered().next)
    for (let i = 0; i < 3; i += 1) {
      const outcome = await call(requestOf(reading()))
      if (outcome.status !== 'completed') throw new Error('the call failed')
      expect(outcome.result.data).toEqual({ total: 1, when: new Date(1), parts: ['a'] })
      const { data } = outcome.result
      if (typeof data === 'object' && data !== null) Object.assign(data, { total: 'changed', parts: [] })
    }
  })

  it('takes equal payloads for equal whatever the order of their fields', async () => {
    const told = numbered()
    const call = cache()(told.next)
    await call(requestOf(reading({ payload: { a: 1, b: { c: 1, d: 2 } } })))
    await call(requestOf(reading({ payload: { b: { d: 2, c: 1 }, a: 1 } })))
    expect(told.calls).toBe(1)
    for (const payload of [
      { a: 1 },
      { a: '1', b: { c: 1, d: 2 } },
      { a: 1, b: [1, 2] },
      {},
      JSON.parse('{"__proto__":1}'),
    ]) {
      await call(requestOf(reading({ payload })))
    }
    expect(told.calls).toBe(6)
  })

  it.each<[string, Partial<ToolCallMeta>, Partial<ToolCallMeta>]>([
    ['session', { sessionId: 'a' }, { sessionId: 'b' }],
    ['run without a session', { runId: 'a' }, { runId: 'b' }],
    ['session and run of one name', { sessionId: 'a' }, { runId: 'a' }],
    ['label', { sessionId: 'a', labels: { tenant: 'x' } }, { sessionId: 'a', labels: { tenant: 'y' } }],
    [
      'labels that look alike',
      { sessionId: 'a', labels: { x: '1","y":"2' } },
      { sessionId: 'a', labels: { x: '1', y: '2' } },
    ],
    [
      'label of a hostile name',
      { sessionId: 'a', labels: JSON.parse('{"__proto__":"x"}') },
      { sessionId: 'a', labels: {} },
    ],
    ['agent', { sessionId: 'a', agent: 'x' }, { sessionId: 'a', agent: 'y' }],
    ['caller that nobody knows', {}, {}],
    ['caller of whom only a label is known', { labels: { tenant: 'x' } }, { labels: { tenant: 'x' } }],
  ])('gives no answer to another %s', async (_, one, other) => {
    const told = numbered()
    const call = cache()(told.next)
    await call(requestOf(reading({}, one)))
    await call(requestOf(reading({}, other)))
    expect(told.calls).toBe(2)
  })

  it('serves everyone where that is said, but for what fills server-owned fields', async () => {
    const told = numbered()
    const call = cache({ audience: 'everyone' })(told.next)
    await call(requestOf(reading({}, { sessionId: 'a' })))
    await call(requestOf(reading({}, { labels: { tenant: 'x' } })))
    await call(requestOf(reading({}, {})))
    expect(told.calls).toBe(1)
    const owned = { serverOwned: [{ field: 'tenant', from: 'labels.tenant', schema: {} }] } as const
    for (const tenant of ['x', 'y', 'x', 'y']) {
      await call(requestOf(reading({ tool: owned }, { sessionId: 'a', labels: { tenant } })))
    }
    expect(told.calls).toBe(3)
  })

  it.each<[string, RequestParts]>([
    ['is not declared read-only', { tool: { annotations: {} } }],
    ['streams', { tool: { updates: {} } }],
    ['a person confirms', { tool: { confirmation: { prompt: 'Sure?' } } }],
  ])('lets a tool pass that %s', async (_, parts) => {
    const told = numbered()
    const call = cache()(told.next)
    await call(requestOf(reading(parts)))
    await call(requestOf(reading(parts)))
    expect(told.calls).toBe(2)
  })

  it('keeps no failures, no suspensions, no stops and nothing that cannot be copied', async () => {
    const next = vi.fn<ToolService>()
    const call = cache()(next)
    next.mockImplementationOnce((request) => request.fail(new ToolFailure('no')))
    next.mockImplementationOnce(async (request) => request.suspend('external'))
    next.mockImplementationOnce(async (request) => ({ ...completed(request), stop: { reason: 'final', value: 1 } }))
    next.mockImplementationOnce(async (request) => completed(request, () => 1))
    next.mockImplementation(async (request) => completed(request))
    const endings: string[] = []
    for (let i = 0; i < 6; i += 1) endings.push(endingOf(await call(requestOf(reading()))))
    expect(endings).toEqual(['domain_rejection', 'suspended', 'completed', 'completed', 'completed', 'completed'])
    expect(next).toHaveBeenCalledTimes(5)
  })

  it('forgets after its time, and what was not asked for the longest time', async () => {
    const told = numbered()
    let now = 1_000
    const brief = cache({ ttlMs: 80, now: () => now })(told.next)
    await brief(requestOf(reading()))
    now += 79
    await brief(requestOf(reading()))
    expect(told.calls).toBe(1)
    now += 2
    await brief(requestOf(reading()))
    expect(told.calls).toBe(2)
    const small = cache({ maxEntries: 2 })(told.next)
    for (const orderId of ['a', 'b', 'a', 'c', 'a', 'b']) await small(requestOf(reading({ payload: { orderId } })))
    expect(told.calls).toBe(6)
  })

  it('lets equal calls at the same time share one execution, each with its own call', async () => {
    const told = numbered()
    const held = gate()
    const call = cache()(async (request) => {
      await held.open
      return told.next(request)
    })
    const outcomes = ['a', 'b', 'c'].map((toolCallId) => call(requestOf(reading({ toolCallId }))))
    const other = call(requestOf(reading({ toolCallId: 'd' }, { sessionId: 's-2' })))
    held.unlock()
    expect((await Promise.all([...outcomes, other])).map((outcome) => outcome.call.toolCallId)).toEqual([...'abcd'])
    expect(told.calls).toBe(2)
  })

  it('lets a cancelled call go while it waits for an equal one, and no call suffers from the end of another', async () => {
    const held = gate()
    const next = vi.fn<ToolService>(async (request) => {
      await held.open
      return request.meta.signal.aborted ? request.fail(new DOMException('x', 'AbortError')) : completed(request)
    })
    const call = cache()(next)
    const [leader, leaver] = [new AbortController(), new AbortController()]
    const outcomes = [
      call(requestOf(reading({ toolCallId: 'a' }, { sessionId: 's', signal: leader.signal }))),
      call(requestOf(reading({ toolCallId: 'b' }, { sessionId: 's', signal: leaver.signal }))),
      call(requestOf(reading({ toolCallId: 'c' }, { sessionId: 's' }))),
    ]
    await new Promise((resolve) => setImmediate(resolve))
    expect(next).toHaveBeenCalledTimes(1)
    leaver.abort()
    expect(endingOf((await outcomes[1]) ?? (await requestOf().suspend('external')))).toBe('cancelled')
    leader.abort()
    held.unlock()
    expect((await Promise.all(outcomes)).map(endingOf)).toEqual(['cancelled', 'cancelled', 'completed'])
    expect(next).toHaveBeenCalledTimes(2)
  })

  it('has answers of its own for each tool that it is attached to', async () => {
    const layer = cache({ audience: 'everyone' })
    const [one, other] = [numbered(), numbered()]
    await layer(one.next)(requestOf(reading()))
    await layer(other.next)(requestOf(reading()))
    expect(other.calls).toBe(1)
  })

  it('leaves invalid arguments to the tool', async () => {
    const told = numbered()
    const call = cache()(told.next)
    for (let i = 0; i < 2; i += 1)
      await call({ ...requestOf(reading()), decode: async () => ({ ok: false, issues: [] }) })
    expect(told.calls).toBe(2)
  })

  it.each([{ ttlMs: 0 }, { ttlMs: 1.5 }, { maxEntries: 0 }])('refuses %j', (options) => {
    expect(() => cache(options)).toThrow(RangeError)
  })
})
