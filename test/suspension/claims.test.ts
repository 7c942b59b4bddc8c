import { describe, expect, it } from 'vitest'
import { claimsInMemory, type RunSuspension } from '../../packages/runtime/src/agents.js'
import { approval, Runtime } from '../../packages/runtime/src/index.js'
import { agentOf, callOf, callsAtOnce, order } from '../runs/agents.fixture.js'

const env = { approval: { approve: async () => 'suspend' as const } }

describe('claims in memory', () => {
  it('defect 5d: are forgotten beyond their capacity, and never let a suspension be resumed twice', async () => {
    const claims = claimsInMemory({ capacity: 4 })
    const claim = (suspendedAt: number) => claims.claim(`suspension-${suspendedAt}`, { suspendedAt })
    for (const at of [5, 1, 4, 2]) expect(claim(at)).toBe(true)
    // The fifth one: all but the two youngest are forgotten.
    expect(claim(3)).toBe(true)
    expect([1, 2, 3].map(claim)).toEqual(['expired', 'expired', 'expired'])
    expect([4, 5].map(claim)).toEqual([false, false])
    expect([6, 7, 8].map(claim)).toEqual([true, true, true])
    for (let at = 1; at <= 8; at += 1) expect(claim(at)).not.toBe(true)
  })

  it('defect 5d: refuse a suspension that is as old as a forgotten one', () => {
    const claims = claimsInMemory({ capacity: 1 })
    expect(claims.claim('a', { suspendedAt: 1 })).toBe(true)
    expect(claims.claim('b', { suspendedAt: 1 })).toBe(true)
    expect(claims.claim('c', { suspendedAt: 1 })).toBe('expired')
    expect(claims.claim('of an earlier version')).toBe('expired')
  })

  it('defect 5d: make a run fail as expired that may have been resumed', async () => {
    let now = 1_000
    let ids = 0
    const ran: number[] = []
    const runtime = new Runtime({
      claims: claimsInMemory({ capacity: 1 }),
      effects: {
        now: () => now,
        newId: (kind) => {
          ids += 1
          return `${kind}-${ids}`
        },
      },
    })
    const planner = callsAtOnce(callOf('A', 'one'))
    const agent = agentOf(() => ({ ...order, total: ran.push(now) }), { runtime, planner }).layer(approval())
    const waiting: RunSuspension[] = []
    for (; now < 1_004; now += 1) {
      const { suspension } = await agent.run('?', { env })
      if (suspension !== undefined) waiting.push(suspension)
    }
    expect(waiting.map(({ suspendedAt }) => suspendedAt)).toEqual([1_000, 1_001, 1_002, 1_003])
    const resume = async (index: number) => {
      const run = await agent.resume(waiting[index] as RunSuspension, { one: 'approve' }, { env })
      return (run.error?.cause as { code?: string } | undefined)?.code ?? run.status
    }
    expect([await resume(1), await resume(3)]).toEqual(['completed', 'completed'])
    expect([await resume(1), await resume(0)]).toEqual(['expired', 'expired'])
    expect(ran).toHaveLength(2)
  })

  it.each([0, -1, 1.5, Number.NaN])('defect 5d: refuse a capacity of %s', (capacity) => {
    expect(() => claimsInMemory({ capacity })).toThrow(RangeError)
  })
})
