import { describe, expect, it } from 'vitest'
import type { AgentOptions } from '../../packages/runtime/src/agents/bound-agent.js'
import { getOrder, registrationOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  answer,
  base,
  useContext,
  useGuards,
  useHook,
  useModel,
  usePlanner,
  useTools,
} from '../../packages/runtime/src/agents.js'
import { designedAgent, registerAgent, standardAgent } from '../../packages/runtime/src/codegen/v1.js'
import { BindingError, Runtime } from '../../packages/runtime/src/index.js'
import { answers, calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { order, stillRuntime } from '../runs/agents.fixture.js'
import { askedOf, bound, echo, looksUp, lookUp, stubbornDriver, support } from './agents.fixture.js'

describe('a built agent', () => {
  it('shows its tools, hooks and limits, and nobody can change it', () => {
    const agent = designedAgent(
      { ...support, policy: { maxToolCalls: 4, maxTurns: 9 } },
      [useOf([getOrder])],
      stubbornDriver(),
    )
      .with(useTools(echo('zeta'), echo('alpha')))
      .with(useGuards({ maxSteps: 3 }))
      .with(useHook('onStop', function report() {}, { priority: -50 }))
      .with(useHook('beforeTool', () => undefined))
      .with(useHook('onStop', () => undefined, { name: 'first', priority: 200 }))
      .build()
    expect(agent.tools.map(({ id }) => id)).toEqual(['orders.getOrder', 'alpha.alpha_echo', 'zeta.zeta_echo'])
    expect(agent.hooks).toEqual([
      { phase: 'beforeTool', name: 'beforeTool', priority: 0 },
      { phase: 'onStop', name: 'first', priority: 200 },
      { phase: 'onStop', name: 'report', priority: -50 },
    ])
    expect(agent.policy).toEqual({ maxToolCalls: 4, maxTurns: 3 })
    for (const part of [agent, agent.tools, agent.hooks, agent.hooks[0], agent.policy]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  it('defect 20: of a design ends by the standard guards, except for limits of the design', async () => {
    const driver = scriptedModel(Array.from({ length: 40 }, () => looksUp))
    const uses = [useOf([getOrder])]
    const run = await bound(standardAgent(support, uses, driver).build()).run('?')
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_turns', limit: 20 }, usage: { turns: 20 } })
    const policy = { maxTurns: 30, maxTokens: 100_000, timeBudgetMs: 900_000, maxToolCalls: 50 }
    expect(standardAgent({ ...support, policy }, uses, driver).build().policy).toEqual(policy)
    const some = { maxTokens: 100_000 }
    expect(standardAgent({ ...support, policy: some }, uses, driver).build().policy).toEqual({
      maxTurns: 20,
      maxTokens: 100_000,
      timeBudgetMs: 300_000,
    })
    expect(designedAgent(support, uses, driver).build().policy).toEqual({})
  })

  it('defect 20: works with a driver alone, without a planner', async () => {
    const model = scriptedModel([says('One.'), says('Two.'), says('Three.')])
    for (const builder of [base(model), base().with(useModel(model)), standardAgent(support, [], model)]) {
      expect(await bound(builder.build()).run('?')).toMatchObject({ status: 'completed', usage: { turns: 1 } })
    }
    expect(model.requests).toHaveLength(3)
    expect(() => base().build()).toThrow(
      'The agent has no model and no planner. Use base(driver), useModel(driver) or usePlanner(planner).',
    )
  })

  it('does nothing before it is registered, and may be registered twice', async () => {
    const model = scriptedModel([says('One.'), says('Two.')])
    const agent = base(model).build()
    expect(model.requests).toEqual([])
    expect((await bound(agent).run('?')).result).toEqual({ text: 'One.' })
    expect((await bound(agent).run('?')).result).toEqual({ text: 'Two.' })
  })

  it('adds its tools to those of the design', async () => {
    const model = scriptedModel([calls(lookUp, { tool: 'weather_echo' }), says('Done.')])
    const run = await bound(
      base(model)
        .with(useTools(echo('weather')))
        .build(),
    ).run('?')
    expect(askedOf(model)[0]).toMatchObject({ tools: ['orders_getOrder', 'weather_echo'] })
    expect(run.outcomes).toMatchObject([{ result: { data: { id: 'A-1' } } }, { result: { data: 'weather' } }])
  })

  it('cannot have two toolsets of one name', () => {
    const twice = base(stubbornDriver())
      .with(useTools(echo('a')))
      .with(useTools(echo('a')))
    expect(() => twice.build()).toThrow(BindingError)
    const own = base(stubbornDriver())
      .with(useTools(registrationOf(getOrder, () => order)))
      .build()
    expect(() => bound(own)).toThrow(/Two toolsets have the name 'orders'/)
  })

  it('is registered by generated code with the toolsets of the design', async () => {
    const bindings = [{ use: useOf([getOrder]), registration: registrationOf(getOrder, () => order), errors: [] }]
    const model = scriptedModel([calls(lookUp, { tool: 'weather_echo' }), says('Done.')])
    const agent = base(model)
      .with(useTools(echo('weather')))
      .build()
    const run = await registerAgent(new Runtime(), support, bindings, { agent }).run('?')
    expect(run.outcomes).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
    const own = base(model)
      .with(useTools(registrationOf(getOrder, () => order)))
      .build()
    const missing = { code: 'missing_client', toolset: 'orders', message: 'toolsets.orders.client is missing' } as const
    const faulty = bindings.map((binding) => ({ ...binding, errors: [missing] }))
    expect(() => registerAgent(new Runtime(), support, faulty, { agent: own })).toThrow(
      /client is missing[\s\S]*Two toolsets have the name 'orders'/,
    )
    expect(() => registerAgent(new Runtime(), support, bindings, { agent: own })).toThrow(
      /Two toolsets have the name 'orders'/,
    )
  })

  it('has its own instructions before those of the design', async () => {
    const model = scriptedModel([says('a'), says('b')])
    await bound(base(model).build()).run('?')
    const own = bound(
      base(model)
        .with(useContext({ systemPrompt: 'Be brief.' }))
        .build(),
    )
    await own.run('?')
    const told = model.requests.map(({ messages }) => messages[0])
    expect(told).toEqual([
      { role: 'system', content: 'By design.' },
      { role: 'system', content: 'Be brief.' },
    ])
    expect(own.agent.instructions).toBe('Be brief.')
    const designed = designedAgent({ ...support, instructions: 'As designed.' }, [], stubbornDriver())
    const prompts = [designed, designed.with(useContext({ systemPrompt: 'Be brief.' }))].map(
      (builder) => bound(builder.build()).agent.instructions,
    )
    expect(prompts).toEqual(['As designed.', 'Be brief.'])
  })

  it('answers with a value where the model is given a format', async () => {
    const schema = { type: 'object', properties: { late: { type: 'boolean' } }, required: ['late'] } as const
    const model = scriptedModel([answers({ late: 1 }), answers({ late: true })])
    const agent = base(model)
      .with(useContext({ responseFormat: { name: 'finding', schema } }))
      .build()
    const run = await bound(agent).run('?')
    expect(run.result).toMatchObject({ value: { late: true } })
    expect(model.requests[0]?.responseFormat).toEqual({ name: 'finding', schema })
  })

  it('is what a planner is short for', async () => {
    const planner = () => answer('x')
    const agent = base().with(usePlanner(planner)).build()
    const run = async (parts: AgentOptions) => {
      const { runId: _, events: _events, ...ended } = await stillRuntime().registerAgent(support, [], parts).run('?')
      return ended
    }
    expect(await run({ planner })).toEqual(await run({ agent }))
  })

  it.each([
    [
      'both an agent and a planner',
      () => ({ agent: base(stubbornDriver()).build(), planner: () => answer('x') }),
      /Remove one/,
    ],
    ['what no builder made', () => ({ agent: {} as never }), /must be a built agent/],
    [
      'an agent of another design',
      () => ({ agent: designedAgent({ ...support, name: 'research' }, [], stubbornDriver()).build() }),
      /`agent` was built from the design of agent 'research'/,
    ],
  ])('is refused where %s is given', (_, parts, message) => {
    expect(() => new Runtime().registerAgent(support, [], parts())).toThrow(message)
  })

  it('keeps the strictest limit of design, agent, binding', async () => {
    const looping = () => base(scriptedModel([looksUp, looksUp, looksUp, looksUp]))
    const agent = looping()
      .with(useGuards({ maxSteps: 3 }))
      .build()
    const runtime = new Runtime()
    const register = (maxTurns: number, own: number) =>
      runtime.registerAgent({ ...support, policy: { maxTurns } }, [registrationOf(getOrder, () => order)], {
        agent,
        policy: { maxTurns: own },
      })
    expect((await register(2, 5).run('?')).stop).toEqual({
      reason: 'max_turns',
      limit: 2,
      message:
        'The run reached its limit of 2 steps. To change the limit, set `maxTurns` of the policy or `maxSteps` of the guards.',
    })
    expect((await register(5, 1).run('?')).stop).toEqual({
      reason: 'max_turns',
      limit: 1,
      message:
        'The run reached its limit of 1 steps. To change the limit, set `maxTurns` of the policy or `maxSteps` of the guards.',
    })
  })
})
