import { describe, expect, it } from 'vitest'
import type { StopReason, ToolOutcome } from '../types/outcome.js'
import type { RunPolicy, RunState } from '../types/run.js'
import { policyConditions } from './loop.js'
import { endedRun } from './run-result.js'

const outcome = (status: string): ToolOutcome => ({ status }) as never
const state: RunState = {
  turns: 3,
  toolCalls: 4,
  refused: 0,
  promptTokens: 60,
  completionTokens: 40,
  elapsedMs: 500,
  outcomes: ['failed', 'completed', 'failed', 'failed'].map(outcome),
  messages: [],
  runStart: 0,
}
const reached = (policy: RunPolicy, more: Partial<RunState> = {}): readonly string[] =>
  policyConditions(policy).flatMap((condition) => condition({ ...state, ...more })?.reason ?? [])

describe('the limits of a policy', () => {
  it.each([
    [{ maxTurns: 3 }, { maxTurns: 4 }, 'max_turns'],
    [{ maxTokens: 100 }, { maxTokens: 101 }, 'max_tokens'],
    [{ timeBudgetMs: 500 }, { timeBudgetMs: 501 }, 'time_budget'],
    [{ maxConsecutiveFailures: 2 }, { maxConsecutiveFailures: 3 }, 'max_consecutive_failures'],
  ])('%j is reached, %j is not', (policy, wider, reason) => {
    expect(reached(policy)).toEqual([reason])
    expect(reached(wider)).toEqual([])
  })

  it('of calls is reached when one is refused', () => {
    expect(reached({ maxToolCalls: 4 })).toEqual([])
    expect(reached({ maxToolCalls: 4 }, { refused: 1 })).toEqual(['max_tool_calls'])
  })

  it('no failure at all is not reached before a call', () => {
    expect(reached({ maxConsecutiveFailures: 0 }, { outcomes: [] })).toEqual([])
    expect(reached({ maxConsecutiveFailures: 0 })).toEqual(['max_consecutive_failures'])
  })

  it('come with the most severe first', () => {
    expect(reached({ maxTurns: 1, maxTokens: 1, timeBudgetMs: 1, maxConsecutiveFailures: 1 })).toEqual([
      'time_budget',
      'max_tokens',
      'max_consecutive_failures',
      'max_turns',
    ])
    expect(reached({})).toEqual([])
  })
})

describe('a run that has ended', () => {
  const meta = { runId: 'r', agent: 'a', labels: {}, signal: new AbortController().signal }
  const end = (...reasons: readonly StopReason[]) =>
    endedRun(
      meta,
      { ...state, messages: [] },
      reasons.map((reason) => ({ reason }) as never),
      { result: { text: 'x' } },
    )

  it.each([
    [['answered'], 'answered', 'completed'],
    [['final', 'max_tool_calls'], 'max_tool_calls', 'stopped'],
    [['max_turns', 'time_budget', 'max_tokens'], 'time_budget', 'stopped'],
    [['max_turns', 'cancelled'], 'cancelled', 'cancelled'],
    [['cancelled', 'failed'], 'failed', 'failed'],
    [['suspended'], 'suspended', 'suspended'],
    [['missing_fields'], 'missing_fields', 'stopped'],
  ] as const)('for %j reports %s and is %s', (reasons, reason, status) => {
    const run = end(...reasons)
    expect(run).toMatchObject({ status, stop: { reason } })
    expect(run.stops.map((stop) => stop.reason)).toEqual(reasons)
  })

  it('ends for a reason', () => {
    expect(() => end()).toThrow(TypeError)
  })
})
