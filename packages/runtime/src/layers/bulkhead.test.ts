import { describe, expect, it } from 'vitest'
import type { ToolService } from '../types/layer.js'
import { bulkhead } from './bulkhead.js'
import { completed, endingOf, type Gate, gate, requestOf } from './request.fixture.js'

/** A service whose calls end when they are let go. */
function held(): { next: ToolService; running: string[]; most: number; gates: Map<string, Gate> } {
  const all: ReturnType<typeof held> = {
    running: [],
    most: 0,
    gates: new Map(),
    next: async (request) => {
      const id = request.call.toolCallId
      const door = gate()
      all.gates.set(id, door)
      all.running.push(id)
      all.most = Math.max(all.most, all.running.length)
      await door.open
      all.running.splice(all.running.indexOf(id), 1)
      return completed(request)
    },
  }
  return all
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a bulkhead', () => {
  it('runs a limited number of calls at a time, and the others in order', async () => {
    const tool = held()
    const call = bulkhead({ concurrent: 2 })(tool.next)
    const outcomes = ['a', 'b', 'c', 'd'].map((toolCallId) => call(requestOf({ toolCallId })))
    await settle()
    expect(tool.running).toEqual(['a', 'b'])
    tool.gates.get('b')?.unlock()
    await settle()
    expect(tool.running).toEqual(['a', 'c'])
    for (const id of ['a', 'c', 'd']) {
      tool.gates.get(id)?.unlock()
      await settle()
    }
    expect((await Promise.all(outcomes)).map((outcome) => outcome.call.toolCallId)).toEqual(['a', 'b', 'c', 'd'])
    expect(tool.most).toBe(2)
  })

  it('fails a call as unavailable when the line is full', async () => {
    const tool = held()
    const call = bulkhead({ concurrent: 1, queue: 1 })(tool.next)
    const [first, second] = ['a', 'b'].map((toolCallId) => call(requestOf({ toolCallId })))
    const refused = await call(requestOf({ toolCallId: 'c' }))
    expect(refused).toMatchObject({ call: { toolCallId: 'c' }, hint: { reason: 'unavailable', action: 'wait' } })
    tool.gates.get('a')?.unlock()
    await first
    await settle()
    tool.gates.get('b')?.unlock()
    expect(await second).toMatchObject({ status: 'completed' })
  })

  it('lets a cancelled call out of the line at once, whose place another takes', async () => {
    const tool = held()
    const call = bulkhead({ concurrent: 1, queue: 1 })(tool.next)
    const first = call(requestOf({ toolCallId: 'a' }))
    const controller = new AbortController()
    const waiting = call(requestOf({ toolCallId: 'b', meta: { signal: controller.signal } }))
    await settle()
    controller.abort('the user has left')
    expect(endingOf(await waiting)).toBe('cancelled')
    const other = call(requestOf({ toolCallId: 'c' }))
    await settle()
    tool.gates.get('a')?.unlock()
    await first
    await settle()
    expect(tool.running).toEqual(['c'])
    tool.gates.get('c')?.unlock()
    expect(endingOf(await other)).toBe('completed')
    expect(tool.gates.has('b')).toBe(false)
  })

  it('says timeout when the time of a waiting call is over', async () => {
    const call = bulkhead({ concurrent: 1 })(held().next)
    void call(requestOf())
    const waiting = call(requestOf({ toolCallId: 'b', meta: { signal: AbortSignal.timeout(5) } }))
    expect(endingOf(await waiting)).toBe('timeout')
  })

  it('does not let in a call that is cancelled already', async () => {
    const tool = held()
    const call = bulkhead({ concurrent: 1 })(tool.next)
    expect(endingOf(await call(requestOf({ meta: { signal: AbortSignal.abort() } })))).toBe('cancelled')
    expect(tool.most).toBe(0)
  })

  it('gives the place of a call free that threw', async () => {
    const call = bulkhead({ concurrent: 1 })(() => Promise.reject(new Error('a fault')))
    const outcomes = await Promise.all(['a', 'b', 'c'].map((toolCallId) => call(requestOf({ toolCallId }))))
    expect(outcomes.map(endingOf)).toEqual(['internal', 'internal', 'internal'])
  })

  it('lets a call pass that a running one has caused', async () => {
    const around = bulkhead({ concurrent: 1, queue: 5 })
    const inner = around(async (request) => completed(request))
    const outer = around((request) =>
      inner(requestOf({ toolCallId: 'child', parentToolCallId: request.call.toolCallId })),
    )
    expect(endingOf(await outer(requestOf({ toolCallId: 'parent' })))).toBe('completed')
    expect(endingOf(await outer(requestOf({ toolCallId: 'again' })))).toBe('completed')
  })

  it('lets nobody go before those in line, in whatever moment he comes', async () => {
    for (let moment = 0; moment < 12; moment += 1) {
      const begun: string[] = []
      const first = gate()
      const call = bulkhead({ concurrent: 1 })(async (request) => {
        begun.push(request.call.toolCallId)
        if (begun.length === 1) await first.open
        return completed(request)
      })
      const waiting = [call(requestOf({ toolCallId: 'a' })), call(requestOf({ toolCallId: 'b' }))]
      first.unlock()
      for (let i = 0; i < moment; i += 1) await undefined
      await Promise.all([...waiting, call(requestOf({ toolCallId: 'c' }))])
      expect(begun).toEqual(['a', 'b', 'c'])
    }
  })

  it('keeps its bound and loses no call among many that come, end and are cancelled', async () => {
    let [running, most, begun] = [0, 0, 0]
    const call = bulkhead({ concurrent: 3, queue: 1_000 })(async (request) => {
      begun += 1
      running += 1
      most = Math.max(most, running)
      await (begun % 3 === 0 ? settle() : undefined)
      running -= 1
      return completed(request)
    })
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, async (_, i) => {
        if (i % 7 === 0) await settle()
        const controller = new AbortController()
        if (i % 5 === 0) setImmediate(() => controller.abort())
        return call(requestOf({ toolCallId: `call-${i}`, meta: { signal: controller.signal } }))
      }),
    )
    expect(most).toBe(3)
    expect(new Set(outcomes.map((outcome) => outcome.call.toolCallId)).size).toBe(500)
    expect(outcomes.filter((outcome) => endingOf(outcome) === 'completed')).toHaveLength(begun)
    expect(outcomes.filter((outcome) => !['completed', 'cancelled'].includes(endingOf(outcome)))).toEqual([])
  })

  it('is one for all tools beneath it, or one for each', async () => {
    const tool = held()
    const shared = bulkhead({ concurrent: 1, queue: 0 })
    void shared(tool.next)(requestOf({ toolCallId: 'a' }))
    expect(endingOf(await shared(tool.next)(requestOf({ toolCallId: 'b' })))).toBe('unavailable')
    const own = bulkhead({ concurrent: 1, queue: 0, per: 'tool' })
    void own(tool.next)(requestOf({ toolCallId: 'c' }))
    void own(tool.next)(requestOf({ toolCallId: 'd' }))
    expect(tool.running).toEqual(['a', 'c', 'd'])
  })

  it.each([{ concurrent: 0 }, { concurrent: Number.NaN }, { concurrent: 1, queue: -1 }])('refuses %j', (options) => {
    expect(() => bulkhead(options)).toThrow(RangeError)
  })
})
