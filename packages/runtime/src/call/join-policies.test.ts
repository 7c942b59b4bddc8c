import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RunPolicy } from '../types/run.js'
import { joinPolicies } from './run-config.js'

describe('joining policies', () => {
  it('takes the strictest number and the last mode', () => {
    expect(
      joinPolicies(
        { maxTurns: 5, maxToolCalls: 1, onFailure: 'fail_fast', onMissingFields: 'finalize' },
        undefined,
        { maxTurns: 3, maxToolCalls: 9, timeBudgetMs: 0, onFailure: 'join_all' },
        {},
      ),
    ).toEqual({ maxTurns: 3, maxToolCalls: 1, timeBudgetMs: 0, onFailure: 'join_all', onMissingFields: 'finalize' })
  })

  it('of nothing is no limit at all', () => {
    expect(joinPolicies()).toEqual({})
    expect(joinPolicies(undefined, null as never, {}, { maxTurns: undefined } as never)).toEqual({})
  })

  it('is the same in whatever pairs it is done', () => {
    const policy: fc.Arbitrary<RunPolicy> = fc.record(
      {
        maxTurns: fc.nat(),
        parallelism: fc.integer({ min: 1 }),
        onFailure: fc.constantFrom('join_all' as const, 'fail_fast' as const),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(policy, policy, policy, (a, b, c) => {
        expect(joinPolicies(joinPolicies(a, b), c)).toEqual(joinPolicies(a, joinPolicies(b, c)))
        expect(joinPolicies(a, b, c)).toEqual(joinPolicies(joinPolicies(a, b), c))
      }),
    )
  })

  it.each([
    [{ maxTurns: -1 }, 'policy.maxTurns is -1. Expected a number of at least 0.'],
    [{ parallelism: 0 }, 'policy.parallelism is 0. Expected a number of at least 1.'],
    [{ maxTokens: Number.NaN }, 'policy.maxTokens is NaN'],
    [{ toolTimeoutMs: '5' }, 'policy.toolTimeoutMs is 5'],
    [{ maxToolCalls: null }, 'policy.maxToolCalls is null'],
    [{ onFailure: 'stop' }, "policy.onFailure is 'stop'. Expected 'join_all' or 'fail_fast'."],
    [{ onMissingFields: 'ask' }, "policy.onMissingFields is 'ask'"],
  ])('refuses %j', (policy, message) => {
    expect(() => joinPolicies(policy as RunPolicy)).toThrow(TypeError)
    expect(() => joinPolicies(policy as RunPolicy)).toThrow(message)
  })
})
