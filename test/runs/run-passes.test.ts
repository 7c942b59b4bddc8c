import { describe, expect, it } from 'vitest'
import { getOrder, registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type AgentRun,
  answer,
  ask,
  base,
  callTools,
  type Decision,
  modelPlanner,
  type Planner,
  type RunLayer,
  type RunPolicy,
  type StepLayer,
  useGuards,
  useHook,
  usePlanner,
} from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { type BoundAgent, Runtime } from '../../packages/runtime/src/index.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { agents, investigation, onceThen } from '../nested/agents.fixture.js'
import { agentOf, callOf, order, script, stillRuntime } from './agents.fixture.js'

/** A run layer that makes passes until it has made `count` of them, and returns one of them, by default the last. */
const passes =
  (count: number, returned = count, between?: (run: AgentRun) => void): RunLayer =>
  (next) =>
  async (request) => {
    const runs: AgentRun[] = []
    for (let pass = 0; pass < count; pass += 1) {
      const run = await next(request)
      runs.push(run)
      between?.(run)
    }
    const run = runs[returned - 1]
    if (run === undefined) throw new Error('no such pass')
    return run
  }

/** Asks for two calls in each of two steps, then answers; again from the start in every pass. */
function twoByTwo(): Planner {
  let step = 0
  return ({ messages }) => {
    if (messages.length === 1) step = 0
    step += 1
    return step <= 2 ? callTools(callOf('A'), callOf('B')) : answer('done')
  }
}

/** An agent that counts the calls that reach its tool. */
function counting(policy: RunPolicy, planner = twoByTwo()): { readonly agent: BoundAgent; readonly ran: () => number } {
  let count = 0
  const agent = agentOf(
    () => {
      count += 1
      return order
    },
    { planner, policy },
  )
  return { agent, ran: () => count }
}

const stepsOf = ({ events }: AgentRun): readonly number[] =>
  events.flatMap((event) => (event.type === 'step_started' ? [event.turn] : []))

describe('defect 2: a run layer that calls next several times', () => {
  it('defect 2: shares the limit of tool calls, the usage, the outcomes and the numbers of steps', async () => {
    const { agent, ran } = counting({ maxToolCalls: 5 })
    const run = await agent.runLayer(passes(2)).run('?')
    expect(ran()).toBe(5)
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_tool_calls', limit: 5 } })
    expect(run.usage).toMatchObject({ turns: 4, toolCalls: 5 })
    expect(run.outcomes.map(({ status }) => status)).toEqual([...Array(5).fill('completed'), 'failed'])
    expect(new Set(run.outcomes.map(({ call }) => call.toolCallId)).size).toBe(6)
    expect(stepsOf(run)).toEqual([1, 2, 3, 4])
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('defect 2: shares the limit of turns, also where a step fails', async () => {
    const broken: Planner = () => {
      throw new Error('down')
    }
    for (const [planner, turns] of [
      [twoByTwo(), 4],
      [broken, 4],
    ] as const) {
      const { agent } = counting({ maxTurns: 4 }, planner)
      const run = await agent.runLayer(passes(9)).run('?')
      expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_turns', limit: 4 }, usage: { turns } })
      expect(stepsOf(run)).toEqual([1, 2, 3, 4])
    }
  })

  it('defect 2: shares the limit of tokens, also of answers that are of no use', async () => {
    const usage = { promptTokens: 40, completionTokens: 10 }
    const spending: Planner = () => ({ ...answer('?'), usage })
    const refused = modelPlanner(scriptedModel(Array(9).fill({ ...says('x'), usage, finishReason: 'content_filter' })))
    for (const planner of [spending, refused]) {
      const { agent } = counting({ maxTokens: 100 }, planner)
      const run = await agent.runLayer(passes(5)).run('?')
      expect(run).toMatchObject({
        stop: { reason: 'max_tokens', limit: 100 },
        usage: { promptTokens: 80, completionTokens: 20 },
      })
      expect(stepsOf(run)).toEqual([1, 2])
    }
  })

  it('defect 2: shares the time budget', async () => {
    let now = 0
    const runtime = new Runtime({
      effects: {
        now: () => now,
        newId: (
          (count) => () =>
            `id-${count++}`
        )(0),
      },
    })
    const planner: Planner = () => {
      now += 30_000
      return answer('done')
    }
    const run = await agentOf(() => order, { runtime, planner, policy: { timeBudgetMs: 60_000 } })
      .runLayer(passes(4))
      .run('?')
    expect(run).toMatchObject({ stop: { reason: 'time_budget' }, usage: { turns: 2, durationMs: 60_000 } })
  })

  it('defect 2: shares the limit of consecutive failures', async () => {
    const failing = agentOf(
      () => {
        throw new Error('down')
      },
      { planner: onePerPass([callTools(callOf())]), policy: { maxConsecutiveFailures: 3 } },
    )
    const run = await failing.runLayer(passes(9)).run('?')
    expect(run).toMatchObject({ stop: { reason: 'max_consecutive_failures', limit: 3 }, usage: { toolCalls: 3 } })
    expect(run.outcomes).toHaveLength(3)
  })

  it('defect 2: shares the guard of repetition, also with another conversation', async () => {
    for (const changes of [false, true]) {
      const planner = onePerPass([callTools(callOf('A'))])
      const agent = base()
        .with(usePlanner(planner))
        .with(useGuards({ repetition: 3 }))
        .build()
      const bound = stillRuntime().registerAgent(
        { name: 'support', description: 'Answers customers.' },
        [registrationOf(getOrder, () => order)],
        { agent },
      )
      let pass = 0
      const again: RunLayer = (next) => async (request) => {
        let run = await next(request)
        while (run.status === 'completed' && pass < 9) {
          pass += 1
          const messages = [...request.messages, { role: 'user', content: `Again ${pass}` } as const]
          run = await next(changes ? { ...request, messages } : request)
        }
        return run
      }
      const run = await bound.runLayer(again).run('?')
      expect(run).toMatchObject({ stop: { reason: 'repetition', times: 3 }, usage: { turns: 5, toolCalls: 3 } })
    }
  })

  it('defect 2: takes no further step after a stop of a hook, and keeps it', async () => {
    const agent = base()
      .with(usePlanner(script(callTools(callOf()), callTools(callOf()))))
      .with(useHook('afterStep', () => ({ stop: 'Enough.' }), { name: 'enough' }))
      .build()
    const bound = stillRuntime().registerAgent(
      { name: 'support', description: 'Answers customers.' },
      [registrationOf(getOrder, () => order)],
      { agent },
    )
    const run = await bound.runLayer(passes(3)).run('?')
    expect(run).toMatchObject({ stop: { reason: 'stopped', by: 'enough' }, usage: { turns: 1, toolCalls: 1 } })
    expect(stepsOf(run)).toEqual([1])
  })

  it('defect 2: may return the run of an earlier pass: its usage and outcomes are of the whole run', async () => {
    const seen: AgentRun[] = []
    const { agent } = counting({})
    const run = await agent.runLayer(passes(3, 1, (each) => seen.push(each))).run('?')
    expect(seen.map(({ usage }) => [usage.turns, usage.toolCalls])).toEqual([
      [3, 4],
      [6, 8],
      [9, 12],
    ])
    expect(run.usage).toMatchObject({ turns: 9, toolCalls: 12 })
    expect(run.outcomes).toHaveLength(12)
    expect(run.messages).toBe(seen[0]?.messages)
  })

  it('defect 2: may go on with the conversation of the pass before', async () => {
    const asked: { readonly runStart: number | undefined; readonly roles: readonly string[] }[] = []
    const planner: Planner = ({ messages, runStart, turn }) => {
      asked.push({ runStart, roles: messages.map(({ role }) => role) })
      return turn % 2 === 1 ? callTools(callOf()) : answer('done')
    }
    const goesOn: RunLayer = (next) => async (request) => {
      const { messages } = await next(request)
      return next({ ...request, messages: [...messages, { role: 'user', content: 'Are you sure?' }] })
    }
    const run = await agentOf(() => order, { planner })
      .runLayer(goesOn)
      .run('?')
    expect(run).toMatchObject({ status: 'completed', usage: { turns: 4, toolCalls: 2 } })
    expect(run.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect(asked.map(({ runStart }) => runStart)).toEqual([1, 1, 1, 1])
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('defect 2: ends calls that waited in an earlier pass as cancelled', async () => {
    const planner: Planner = ({ turn }) => (turn === 1 ? callTools(callOf('A', 'waits')) : answer('done'))
    const waiting = agentOf(() => order, { planner }).layer(() => async (request) => request.suspend('external'))
    const run = await waiting.runLayer(passes(2)).run('?')
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'failed', hint: { reason: 'cancelled' } }] })
    expect(run).not.toHaveProperty('suspension')
  })

  it('defect 2: counts all passes in the suspension, and goes on from there', async () => {
    const planner: Planner = ({ messages, turn }) =>
      messages.at(-1)?.content === 'A-1' ? answer('done') : turn < 3 ? callTools(callOf()) : ask('Which order?')
    const agent = agentOf(() => order, { planner, policy: { maxTurns: 4 } })
    const layered = agent.runLayer(passes(2, 2))
    const waiting = await layered.run('?')
    const { suspension } = waiting
    if (suspension === undefined) throw new Error('it does not wait')
    expect(suspension.progress).toMatchObject({ turns: 4, toolCalls: 2 })
    const stopped = await agent.resume(JSON.parse(JSON.stringify(suspension)), 'A-1')
    expect(stopped).toMatchObject({ stop: { reason: 'max_turns' }, usage: { turns: 4, toolCalls: 2 } })
  })

  it('defect 2: must await a pass before the next one', async () => {
    const hasty: RunLayer = (next) => async (request) => {
      const [first] = await Promise.all([next(request), next(request)])
      return first
    }
    const run = await counting({}).agent.runLayer(hasty).run('?')
    expect(run).toMatchObject({ status: 'failed' })
    expect(String(run.error?.cause)).toContain('Await the first call')
  })

  it('defect 2: reports the calls of a pass that was not awaited, and begins no call after the end of the run', async () => {
    for (const turns of [0, 1, 2, 5, 10, 20, 40, 80]) {
      const ended: string[] = []
      let ran = 0
      const hasty: RunLayer = (next) => async (request) => {
        const first = next(request)
        for (let turn = 0; turn < turns; turn += 1) await undefined
        const [run] = await Promise.all([first, next(request)])
        return run
      }
      const agent = agentOf(
        async () => {
          ran += 1
          for (let turn = 0; turn < 200; turn += 1) await undefined
          return order
        },
        { planner: () => ({ ...callTools(callOf('A')), usage: { promptTokens: 4, completionTokens: 1 } }) },
      )
      const run = await agent.runLayer(hasty).run('?', {
        onEvent: (event) => void (event.type === 'call_ended' && ended.push(event.outcome.status)),
      })
      const atEnd = ran
      await new Promise((resolve) => setTimeout(resolve, 0))
      expect(run.status).toBe('failed')
      expect([turns, run.outcomes.map(({ status }) => status), run.usage.toolCalls]).toEqual([
        turns,
        ended,
        ended.length,
      ])
      expect([ran, run.outcomes.length]).toEqual([atEnd, atEnd])
      if (turns === 80) expect(ran).toBeGreaterThan(0)
      expect(run.usage.promptTokens).toBe(run.outcomes.length * 4)
    }
  })

  it('defect 2: counts all passes of a nested run in the budget of the run above', async () => {
    const usage = { promptTokens: 40, completionTokens: 10 }
    const { support } = agents({
      inner: { planner: () => ({ ...answer({ id: 'A-1', total: 1 }), usage }) },
      around: (research) => research.runLayer(passes(3)),
      outer: { planner: onceThen([investigation()]), policy: { maxTokens: 120 } },
    })
    const run = await support.run('?')
    expect(run.usage).toMatchObject({ promptTokens: 120, completionTokens: 30 })
    const [outcome] = run.outcomes
    expect(outcome?.provenance).toMatchObject({ extra: { turns: 3, promptTokens: 120, completionTokens: 30 } })
  })

  it('defect 2: reports the usage of all passes to telemetry and sessions', async () => {
    const told: AgentRun[] = []
    const runtime = new Runtime({
      tracer: {
        call: (_, work) => work(),
        run: async (_, work) => {
          const run = await work()
          told.push(run)
          return run
        },
        model: (_, work) => work(),
      },
    })
    const support = agentOf(() => order, { runtime, planner: twoByTwo() }).runLayer(passes(2, 1))
    const sessions = new SessionRegistry({ agents: { support } })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['support'] })
    const run = await session.run(support, '?')
    expect(run.usage).toMatchObject({ turns: 6, toolCalls: 8 })
    expect(told).toMatchObject([{ usage: { turns: 6, toolCalls: 8 } }])
    await sessions.close('s-1')
  })
})

describe('defect 2: a step layer that calls next several times', () => {
  /** Makes the first step `count` times and returns the result of one of them. */
  const attempts =
    (count: number, returned = count): StepLayer =>
    (next) =>
    async (request) => {
      const results = []
      for (let made = 0; made < (request.turn === 1 ? count : 1); made += 1) results.push(await next(request))
      const result = results[request.turn === 1 ? returned - 1 : 0]
      if (result === undefined) throw new Error('no such attempt')
      return result
    }
  const usage = { promptTokens: 4, completionTokens: 1 }
  const three: Decision = { ...callTools(callOf('A'), callOf('B'), callOf('C')), usage }

  it.each([1, 2])(
    'defect 2: counts the calls and tokens of all attempts, where it returns attempt %i',
    async (returned) => {
      const { agent, ran } = counting({ maxToolCalls: 5 }, script(three))
      const run = await agent.stepLayer(attempts(2, returned)).run('?')
      expect(ran()).toBe(5)
      expect(run.usage).toMatchObject({ toolCalls: 5, promptTokens: 8, completionTokens: 2 })
      expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_tool_calls' } })
      expect(run.outcomes).toHaveLength(6)
    },
  )

  it('defect 2: counts what it has used before it throws', async () => {
    const throwing: StepLayer = (next) => async (request) => {
      await next(request)
      throw new Error('after the step')
    }
    const { agent } = counting({}, script(three))
    const run = await agent.stepLayer(throwing).run('?')
    expect(run).toMatchObject({ status: 'failed', usage: { toolCalls: 3, promptTokens: 4 } })
    expect(run.outcomes).toHaveLength(3)
  })

  it('defect 2: may add tokens of its own to the usage', async () => {
    const adding: StepLayer = (next) => async (request) => {
      const result = await next(request)
      const { usage } = result
      return { ...result, usage: { ...usage, promptTokens: usage.promptTokens + 100 } }
    }
    const run = await counting({}, script(three)).agent.stepLayer(adding).run('?')
    expect(run.usage).toMatchObject({ promptTokens: 204, completionTokens: 1, toolCalls: 3 })
  })
})

/** Decides these in every pass, then answers. */
function onePerPass(decisions: readonly Decision[]): Planner {
  let made = 0
  return () => {
    const decision = decisions[made]
    made = decision === undefined ? 0 : made + 1
    return decision ?? answer('done')
  }
}
