import { describe, expect, it } from 'vitest'
import { answer, callTools } from '../../packages/runtime/src/agents.js'
import { type JsonValue, retry, runConfig, ToolFailure, type ToolLayer } from '../../packages/runtime/src/index.js'
import { agentOf, callOf, callsAtOnce, later, never, order, script } from './agents.fixture.js'

/** Ends the run with a value when the call of this id has answered. */
const endsAfter =
  (toolCallId: string, value: JsonValue): ToolLayer =>
  (next) =>
  async (request) => {
    const outcome = await next(request)
    return request.meta.toolCallId === toolCallId ? { ...outcome, stop: { reason: 'final', value } } : outcome
  }

describe('a final value', () => {
  it('ends the run, and cancels siblings that have not ended', async () => {
    const signals: AbortSignal[] = []
    const agent = agentOf(
      async ({ meta }) => {
        if (meta.toolCallId === 'slow') {
          signals.push(meta.signal)
          return never()
        }
        return later(10, order)
      },
      { planner: callsAtOnce(callOf('A', 'slow'), callOf('B', 'quick')) },
    ).layer(endsAfter('quick', { total: 3 }))
    const run = await agent.run('?')
    expect(run).toMatchObject({
      status: 'completed',
      result: { value: { total: 3 } },
      stop: { reason: 'final', value: { total: 3 } },
      stops: [{ reason: 'final' }],
      usage: { turns: 1, toolCalls: 2 },
    })
    expect(run.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'cancelled' } }, { status: 'completed' }])
    expect(run.messages.filter(({ role }) => role === 'tool')).toHaveLength(2)
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('of the first call counts where several calls set one', async () => {
    const agent = agentOf(({ meta }) => later(meta.toolCallId === 'one' ? 20 : 1, order), {
      planner: callsAtOnce(callOf('A', 'one'), callOf('B', 'two')),
    })
    const both = agent.layer((next) => async (request) => ({
      ...(await next(request)),
      stop: { reason: 'final', value: request.meta.toolCallId },
    }))
    expect((await both.run('?')).result).toEqual({ value: 'one' })
  })

  it('may stand on a failed outcome', async () => {
    const agent = agentOf(
      () => {
        throw new Error('broken')
      },
      { planner: callsAtOnce(callOf('A', 'one')) },
    )
    const run = await agent.layer(endsAfter('one', 'enough')).run('?')
    expect(run).toMatchObject({ status: 'completed', result: { value: 'enough' }, outcomes: [{ status: 'failed' }] })
  })

  it('never hides a limit that was reached', async () => {
    const planner = callsAtOnce(callOf('A', 'one'), callOf('B', 'two'), callOf('C', 'three'))
    const agent = agentOf(() => order, { planner, policy: { maxToolCalls: 2 } }).layer(endsAfter('two', 'enough'))
    const run = await agent.run('?')
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'max_tool_calls', limit: 2 },
      stops: [
        { reason: 'final', value: 'enough' },
        { reason: 'max_tool_calls', limit: 2 },
      ],
      result: { value: 'enough' },
    })
    expect(run.outcomes).toHaveLength(3)
    expect(run.outcomes[2]).toMatchObject({ hint: { reason: 'cancelled' }, provenance: { attempts: 0 } })
  })

  it('is not tried again by a retry outside', async () => {
    let tried = 0
    const execute = (): never => {
      tried += 1
      throw new ToolFailure('busy', { reason: 'unavailable', action: 'wait', retryAfterMs: 1 })
    }
    const agent = agentOf(execute, { planner: callsAtOnce(callOf('A', 'one')) })
    await agent.layer(endsAfter('one', 1)).layer(retry()).run('?')
    expect(tried).toBe(1)
    await agent.layer(retry()).run('?')
    expect(tried).toBe(3)
  })

  it('may be set by a step layer and overwritten by a run layer', async () => {
    const agent = agentOf(() => order, { planner: script(callTools(callOf()), callTools(callOf())) }).stepLayer(
      (next) => async (request) => {
        const step = await next(request)
        return { ...step, kind: 'done', stop: { reason: 'final', value: 'step' }, result: { value: 'step' } }
      },
    )
    expect(await agent.run('?')).toMatchObject({
      usage: { turns: 1 },
      result: { value: 'step' },
      stop: { value: 'step' },
    })
    const config = runConfig().runLayer((next) => async (request) => ({
      ...(await next(request)),
      result: { value: 'run' },
    }))
    expect(await agent.run('?', { config })).toMatchObject({ result: { value: 'run' } })
  })
})

describe('layers of steps and runs', () => {
  it('stand around each other: run layers outside step layers, those of the run outside those of the agent', async () => {
    const trail: string[] = []
    const step = (name: string) => (next: (request: any) => Promise<any>) => async (request: { turn: number }) => {
      // `any`: one layer for both kinds of services
      trail.push(`${name} ${request.turn ?? ''}`.trim())
      const answered = await next(request)
      trail.push(`/${name}`)
      return answered
    }
    const agent = agentOf(() => order, { planner: callsAtOnce(callOf()) })
      .stepLayer(step('agent step') as never)
      .runLayer(step('agent run') as never)
    const config = runConfig()
      .stepLayer(step('step') as never)
      .runLayer(step('run') as never)
    await agent.run('?', { config })
    expect(trail).toEqual([
      'run',
      'agent run',
      'step 1',
      'agent step 1',
      '/agent step',
      '/step',
      'step 2',
      'agent step 2',
      '/agent step',
      '/step',
      '/agent run',
      '/run',
    ])
  })

  it('may change what a step sees, and the env of its calls', async () => {
    const seen: unknown[] = []
    const agent = agentOf(() => order, {
      planner: ({ fields, turn }) => {
        seen.push(fields)
        return turn === 1 ? callTools(callOf()) : answer('done')
      },
    })
      .layer((next) => (request) => {
        seen.push(request.env)
        return next(request)
      })
      .stepLayer((next) => (request) => next({ ...request, fields: { seed: 1 }, env: 'changed' as never }))
    await agent.run('?', { env: { given: true } })
    expect(seen).toEqual([{ seed: 1 }, 'changed', { seed: 1 }])
  })

  it('may take tools away: a call of one is a call of an unknown tool', async () => {
    const agent = agentOf(() => order, { planner: callsAtOnce(callOf()) })
    const run = await agent.stepLayer((next) => (request) => next({ ...request, tools: [] })).run('?')
    expect(run.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'unknown_tool' } }])
    expect(run.events.filter(({ type }) => type === 'call_ended')).toHaveLength(1)
  })

  it('do not wrap single calls', async () => {
    let entered = 0
    const count = (next: (request: never) => Promise<never>) => (request: never) => {
      entered += 1
      return next(request)
    }
    const agent = agentOf(() => order)
      .stepLayer(count as never)
      .runLayer(count as never)
    expect((await agent.execute(callOf())).status).toBe('completed')
    expect(entered).toBe(0)
  })
})
