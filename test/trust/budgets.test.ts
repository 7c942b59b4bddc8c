import { describe, expect, it } from 'vitest'
import { getOrder, registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  answer,
  type Budget,
  type BudgetAmounts,
  base,
  budget,
  callTools,
  type Decision,
  type ModelPrices,
  modelPlanner,
  type Planner,
  type RunPolicy,
  type StepLayer,
  useBudget,
  useGuards,
  usePlanner,
} from '../../packages/runtime/src/agents.js'
import { type DurableInvocation, durableAgents, runInvocation } from '../../packages/runtime/src/durable.js'
import { Runtime, runConfig } from '../../packages/runtime/src/index.js'
import { says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { apis } from '../drivers/apis.js'
import { apiServer, says as replies, USAGE } from '../drivers/scripted-api.js'
import { agents, investigation, lookingUp, onceThen } from '../nested/agents.fixture.js'
import { callOf } from '../runs/agents.fixture.js'

const prices: ModelPrices = {
  small: { inputPerMillion: 1, outputPerMillion: 10 },
  cached: { inputPerMillion: 100, outputPerMillion: 0, cachedInputPerMillion: 10, cacheWriteInputPerMillion: 125 },
}

/** A response of the model `small` that costs 1: one million prompt tokens. */
const oneUnit = { usage: { promptTokens: 1_000_000, completionTokens: 0 }, model: 'small' }

/** Looks up an order in each step. Each response costs 1. */
const costly: Planner = () => ({ ...callTools(callOf()), ...oneUnit })

const costing = (decision: Decision): Decision => ({ ...decision, ...oneUnit })

function agentWith(
  planner: Planner,
  {
    policy = {},
    budgets = [],
    executed = [],
    runtime = new Runtime({ prices }),
  }: {
    readonly policy?: RunPolicy
    readonly budgets?: readonly Budget[]
    readonly executed?: string[]
    readonly runtime?: Runtime
  } = {},
) {
  const agent = budgets.reduce((builder, each) => builder.with(useBudget(each)), base().with(usePlanner(planner)))
  const execute = () => {
    executed.push('getOrder')
    return { id: 'A-1', total: 1 }
  }
  return runtime.registerAgent(
    { name: 'support', description: 'Answers customers.' },
    [registrationOf(getOrder, execute)],
    { agent: agent.build(), policy },
  )
}

describe('the cost of a run', () => {
  it('is the sum over all responses, with cheaper and dearer prompt tokens of caches', async () => {
    const usage = {
      promptTokens: 1_000_000,
      completionTokens: 7,
      cachedPromptTokens: 600_000,
      cacheWritePromptTokens: 200_000,
    }
    const planner: Planner = ({ turn }) =>
      turn < 3 ? { ...callTools(callOf()), usage, model: 'cached-2026-01-15' } : answer('done')
    const { usage: total } = await agentWith(planner).run('?')
    expect(total).toMatchObject({ promptTokens: 2_000_000, cost: 2 * (0.2 * 100 + 0.6 * 10 + 0.2 * 125) })
  })

  it.each([
    ['without prices', undefined, undefined],
    ['of an unknown model', { other: { inputPerMillion: 1, outputPerMillion: 1 } }, undefined],
    [
      'of a model whose name only begins with a name in the table',
      { smal: { inputPerMillion: 1, outputPerMillion: 1 } },
      undefined,
    ],
  ])('is absent %s, and nothing fails without a limit', async (_, table, cost) => {
    const runtime = new Runtime(table && { prices: table })
    const run = await agentWith(({ turn }) => costing(turn === 1 ? callTools(callOf()) : answer('done')), {
      runtime,
    }).run('?')
    expect([run.status, run.usage.cost]).toEqual(['completed', cost])
  })

  it('is the cost that a driver reports, if it reports one', async () => {
    const planner: Planner = () => ({ ...answer('done'), usage: { promptTokens: 1, completionTokens: 1, cost: 0.25 } })
    expect((await agentWith(planner, { policy: { maxCost: 1 } }).run('?')).usage.cost).toBe(0.25)
  })

  it.each(apis)('is computed from the usage that $name reports', async (api) => {
    const server = await apiServer(api, replies('Done.'))
    const driver = api.driver(server.baseURL, { stream: false, retry: { initialMs: 1 } })
    const runtime = new Runtime({
      prices: { 'tiny-1': { inputPerMillion: 100, cachedInputPerMillion: 10, outputPerMillion: 1_000 } },
    })
    const run = await agentWith(modelPlanner(driver), { runtime, policy: { maxCost: 1 } }).run('?')
    const expected = ((USAGE.prompt - USAGE.cached) * 100 + USAGE.cached * 10 + USAGE.completion * 1_000) / 1_000_000
    expect(run.status).toBe('completed')
    expect(run.usage.cost).toBeCloseTo(expected, 12)
  })

  it.each([
    [{ small: { inputPerMillion: -1, outputPerMillion: 1 } }, "prices['small'].inputPerMillion is -1"],
    [{ small: { inputPerMillion: 1 } }, "prices['small'].outputPerMillion is undefined"],
    [{ small: { inputPerMillion: 1, outputPerMillion: 1, output: 2 } }, "unknown property 'output'"],
    [{ small: 3 }, "prices['small'] must be an object"],
    [[], '`prices` of new Runtime must be an object'],
  ])('cannot be computed from %j', (table, message) => {
    expect(() => new Runtime({ prices: table as never })).toThrow(message)
  })
})

describe('maxCost of a policy', () => {
  it('ends the run after the response that reaches it, with limit and amount', async () => {
    const run = await agentWith(costly, { policy: { maxCost: 2.5 } }).run('?')
    expect(run).toMatchObject({
      status: 'stopped',
      stop: {
        reason: 'max_cost',
        limit: 2.5,
        used: 3,
        message:
          'The run cost 3, and its limit is 2.5. To change the limit, set `maxCost` of the policy or of the guards.',
      },
      usage: { turns: 3, cost: 3 },
    })
  })

  it('is the smallest of design, guards and run', async () => {
    const agent = base()
      .with(usePlanner(costly))
      .with(useGuards({ maxCost: 4 }))
      .build()
    const bound = new Runtime({ prices }).registerAgent(
      { name: 'support', description: 'Answers.', policy: { maxCost: 5 } },
      [registrationOf(getOrder, () => ({ id: 'A-1', total: 1 }))],
      { agent },
    )
    expect((await bound.run('?')).stop).toMatchObject({ limit: 4 })
    expect((await bound.run('?', { config: runConfig().policy({ maxCost: 2 }) })).stop).toMatchObject({ limit: 2 })
  })

  it.each([
    [
      'a model without a price',
      { ...oneUnit, model: 'large' },
      "A response of the model 'large' has no price. Add the model to the prices of the runtime: new Runtime({ prices: { 'large': {",
    ],
    ['a response without usage', { model: 'small' }, "A response of the model 'small' has no token usage."],
    ['a response without a model', { usage: oneUnit.usage }, 'A response without the name of its model has no price.'],
  ])('fails a run with %s at its first response, before any tool runs', async (_, facts, message) => {
    const executed: string[] = []
    const run = await agentWith(() => ({ ...callTools(callOf()), ...facts }), { policy: { maxCost: 9 }, executed }).run(
      '?',
    )
    expect(run.status).toBe('failed')
    expect(run.error?.message).toContain(message)
    expect(executed).toEqual([])
    expect(run.usage.promptTokens).toBe('usage' in facts ? 1_000_000 : 0)
  })

  it('does not concern planners without a model', async () => {
    const run = await agentWith(({ turn }) => (turn === 1 ? callTools(callOf()) : answer('done')), {
      policy: { maxCost: 1 },
    }).run('?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'done' } })
  })

  it('counts unusable responses', async () => {
    const empty = scriptedModel([{ ...says(''), ...oneUnit, finishReason: 'length' }])
    const run = await agentWith(modelPlanner(empty), { policy: { maxCost: 9 } }).run('?')
    expect(run).toMatchObject({ status: 'failed', usage: { cost: 1 } })
  })

  it('covers nested runs, and a parent at its limit starts no nested request', async () => {
    const inner = costly
    const { support, asked } = agents({
      runtime: new Runtime({ prices }),
      inner: { planner: inner },
      outer: { planner: onceThen([investigation()], () => costing(answer('done'))), policy: { maxCost: 3 } },
    })
    const run = await support.run('?')
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'max_cost', limit: 3, used: 3 },
      usage: { cost: 3 },
    })
    expect(asked).toHaveLength(3)
    const late = agents({
      runtime: new Runtime({ prices }),
      inner: { planner: inner },
      outer: { planner: () => costing(callTools(investigation())), policy: { maxCost: 1 } },
    })
    expect((await late.support.run('?')).stop).toMatchObject({ reason: 'max_cost', used: 1 })
    expect(late.asked).toHaveLength(0)
  })

  it('covers the time before and after a suspension', async () => {
    const planner: Planner = ({ turn }) =>
      costing(turn < 3 ? { kind: 'question', question: 'Which one?' } : callTools(callOf()))
    const support = agentWith(planner, { policy: { maxCost: 3 } })
    let run = await support.run('?')
    for (const cost of [1, 2]) {
      expect(run).toMatchObject({ status: 'suspended', suspension: { progress: { cost } } })
      // The state of the run survives as JSON.
      run = await support.resume(JSON.parse(JSON.stringify(run.suspension)), 'A-1')
    }
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_cost', limit: 3, used: 3 } })
  })
})

describe('a budget', () => {
  it('ends each run that shares it before the next request, and counts all of them', async () => {
    const acme = budget({ name: 'acme', maxCost: 5 })
    const config = runConfig().budget(acme)
    const support = agentWith(costly, { policy: { maxTurns: 3 } })
    const first = await support.run('?', { config })
    const second = await support.run('?', { config })
    const third = await support.run('?', { config })
    expect([first, second, third].map(({ stop }) => stop.reason)).toEqual(['max_turns', 'budget', 'budget'])
    expect(second.stop).toEqual({
      reason: 'budget',
      budget: 'acme',
      unit: 'cost',
      limit: 5,
      used: 5,
      message: "The budget 'acme' is used up: 5 of 5 (cost).",
    })
    expect(third.usage).toMatchObject({ promptTokens: 0, toolCalls: 0 })
    expect(await acme.spent()).toEqual({ tokens: 5_000_000, cost: 5 })
  })

  it('is exceeded by one response per run at most', async () => {
    const tokens = budget({ maxTokens: 1 })
    const support = agentWith(costly, { budgets: [tokens] })
    const runs = await Promise.all([support.run('?'), support.run('?')])
    expect(runs.map(({ stop }) => stop)).toMatchObject([
      { reason: 'budget', unit: 'tokens', limit: 1, used: 2_000_000 },
      { reason: 'budget', unit: 'tokens', limit: 1, used: 2_000_000 },
    ])
  })

  it('counts a response of a nested run once, though its agent, its parent and the run have the budget', async () => {
    const shared = budget({ maxCost: 100 })
    const runtime = new Runtime({ prices })
    const { support } = agents({
      runtime,
      inner: { planner: lookingUp(['A'], () => costing(answer('x'))) },
      outer: {
        planner: undefined,
        agent: base()
          .with(useBudget(shared))
          .with(useBudget(shared))
          .with(usePlanner(onceThen([investigation()], () => costing(answer('done')))))
          .build(),
      },
    })
    const run = await support.run('?', { config: runConfig().budget(shared) })
    expect(run).toMatchObject({ status: 'completed', usage: { cost: 2 } })
    expect(await shared.spent()).toEqual({ tokens: 2_000_000, cost: 2 })
  })

  it('covers each attempt of a step layer', async () => {
    const twice: StepLayer = (next) => async (request) => {
      await next(request)
      return next(request)
    }
    const one = budget({ maxCost: 1 })
    const run = await agentWith(costly, { budgets: [one] })
      .stepLayer(twice)
      .run('?')
    expect(run.stop).toMatchObject({ reason: 'budget', used: 1 })
    expect(run.usage).toMatchObject({ cost: 1, toolCalls: 1 })
  })

  it('fails a run whose cost is unknown, but counts its tokens', async () => {
    const limited = budget({ name: 'acme', maxCost: 1 })
    const run = await agentWith(() => ({ ...callTools(callOf()), ...oneUnit, model: 'large' }), {
      budgets: [limited],
    }).run('?')
    expect(run).toMatchObject({ status: 'failed', usage: { promptTokens: 1_000_000 } })
    expect(run.error?.message).toContain("model 'large' has no price")
    expect(await limited.spent()).toEqual({ tokens: 1_000_000, cost: 0 })
  })

  it('uses a store that several processes can share, and fails runs if the store fails', async () => {
    const rows = new Map<string, BudgetAmounts>()
    const store = (key: string) => ({
      add: async ({ tokens, cost }: BudgetAmounts): Promise<BudgetAmounts> => {
        const before = rows.get(key) ?? { tokens: 0, cost: 0 }
        const sums = { tokens: before.tokens + tokens, cost: before.cost + cost }
        rows.set(key, sums)
        return sums
      },
    })
    const here = agentWith(costly, { budgets: [budget({ maxCost: 2, store: store('acme') })], policy: { maxTurns: 1 } })
    const there = agentWith(costly, {
      budgets: [budget({ maxCost: 2, store: store('acme') })],
      policy: { maxTurns: 1 },
    })
    const reasons: string[] = []
    for (const agent of [here, there, here, there]) reasons.push((await agent.run('?')).stop.reason)
    expect(reasons).toEqual(['max_turns', 'max_turns', 'budget', 'budget'])
    const broken = budget({ maxCost: 2, store: { add: () => Promise.reject(new Error('down')) } })
    expect((await agentWith(costly, { budgets: [broken] }).run('?')).status).toBe('failed')
    const silent = budget({ name: 'acme', maxCost: 2, store: { add: () => ({ tokens: 1 }) as never } })
    const run = await agentWith(costly, { budgets: [silent] }).run('?')
    expect(run.error?.message).toContain("The store of the budget 'acme' must return the sums as numbers")
  })

  it.each([
    [{}, 'budget expects at least one limit'],
    [undefined, 'budget expects at least one limit'],
    [{ maxCost: -1 }, 'maxCost is -1. Expected a number of at least 0.'],
    [{ maxTokens: '9' }, 'maxTokens is 9.'],
    [{ maxTokens: 1, name: 3 }, 'name must be a string'],
    [{ maxTokens: 1, store: {} }, 'store must be an object with a method `add`'],
  ])('cannot be created from %j', (options, message) => {
    expect(() => budget(options as never)).toThrow(message)
  })

  it('is required by type and at run time', () => {
    // @ts-expect-error: a budget is created by budget().
    expect(() => useBudget({ maxTokens: 1 })).toThrow('useBudget expects a budget')
    // @ts-expect-error: a budget is created by budget().
    expect(() => runConfig().budget({ maxTokens: 1 })).toThrow('runConfig().budget() expects a budget')
    // @ts-expect-error: an unknown limit
    expect(() => budget({ maxCalls: 1 })).toThrow('at least one limit')
  })
})

describe('a budget in a durable run', () => {
  it('is spent by the recorded decision, and not again by a replay', async () => {
    const shared = budget({ maxCost: 2 })
    const support = agentWith(costly, { budgets: [shared] })
    const durable = durableAgents({ agents: { support } })
    const records: unknown[] = []
    const attempt = (step: DurableInvocation['step']): DurableInvocation => ({
      id: 'r-1',
      attempt: 'attempt',
      signal: new AbortController().signal,
      step,
      sleep: async () => undefined,
      answer: async () => undefined,
      invoke: () => Promise.reject(new Error('no nested runs')),
      cancel: () => undefined,
      tell: () => undefined,
      publish: () => undefined,
    })
    const input = { version: 1, agent: 'support', input: '?' } as const
    const first = await runInvocation(
      attempt(async (_, work) => {
        const record = await work()
        records.push(JSON.parse(JSON.stringify(record)))
        return record
      }),
      durable,
      input,
    )
    expect(first).toMatchObject({ stop: { reason: 'budget', limit: 2, used: 2 }, usage: { cost: 2 } })
    const replayed = await runInvocation(
      attempt(async () => records.shift() as never),
      durable,
      input,
    )
    expect(replayed).toMatchObject({ stop: { reason: 'budget', limit: 2, used: 2 }, usage: { cost: 2 } })
    expect((await shared.spent()).cost).toBe(2)
  })
})
