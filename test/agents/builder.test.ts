import { describe, expect, it } from 'vitest'
import { designedAgent, registerAgent } from '../../packages/runtime/src/codegen/v1.js'
import { getOrder, registrationOf, useOf } from '../../packages/runtime/src/execute/orders.fixture.js'
import {
  type AgentParts,
  answer,
  BindingError,
  base,
  compiledRequest,
  type Feature,
  type MessageCompiler,
  type ModelDriver,
  type ModelRequest,
  type RunEvent,
  Runtime,
  STANDARD_GUARDS,
  standard,
  useContext,
  useEvents,
  useGuards,
  useHook,
  useMessageCompiler,
  useModel,
  usePlanner,
  useStandard,
  useToolFactory,
  useTools,
  wrapMessageCompiler,
} from '../../packages/runtime/src/index.js'
import { answers, calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { callOf, callsAtOnce, order, stillRuntime } from '../runs/agents.fixture.js'
import { askedOf, bound, echo, looksUp, lookUp, stubbornDriver, support } from './agents.fixture.js'

describe('a builder', () => {
  it('is never changed: what is added is in the builder that is given back', () => {
    const model = scriptedModel([])
    const first = base(model)
    const before = first.build()
    const features: readonly Feature[] = [
      useGuards({ maxSteps: 1 }),
      useTools(echo('a')),
      useHook('onStop', () => undefined),
      useToolFactory(() => echo('b')),
      useContext({ systemPrompt: 'Be brief.' }),
      useEvents(() => undefined),
      useMessageCompiler(({ trace }) => trace),
      wrapMessageCompiler((next) => next),
      usePlanner(() => answer('x')),
      useModel(stubbornDriver()),
    ]
    for (const feature of features) expect(first.with(feature)).not.toBe(first)
    first
      .layer((next) => next)
      .stepLayer((next) => next)
      .runLayer((next) => next)
    const { tools, hooks, policy } = first.build()
    expect({ tools, hooks, policy }).toEqual({ tools: before.tools, hooks: before.hooks, policy: before.policy })
    expect(
      first
        .with(useTools(echo('a')))
        .with(useTools(echo('b')))
        .build().tools,
    ).toHaveLength(2)
  })

  it('shares nothing with other builders that could be changed', () => {
    const features: readonly Feature[] = [
      (builder) => builder,
      useGuards({ maxSteps: 1 }),
      useTools(echo('a')),
      useHook('onStop', () => undefined),
      useContext({ systemPrompt: 'Be brief.' }),
      useEvents(() => undefined),
      (builder) => builder.layer((next) => next),
    ]
    for (const feature of features) {
      const { parts } = base(stubbornDriver()).with(feature)
      expect(Object.isFrozen(parts)).toBe(true)
      const { registrations, factories, guards, hooks, layers, sinks, compilerWraps, context, model } = parts
      for (const part of [registrations, factories, guards, hooks, layers, sinks, compilerWraps, context, model]) {
        expect(Object.isFrozen(part)).toBe(true)
      }
    }
  })

  it('makes an agent that works as soon as somebody decides', async () => {
    expect(await bound(base(scriptedModel([looksUp, says('Here.')])).build()).run('?')).toMatchObject({
      status: 'completed',
      result: { text: 'Here.' },
      outcomes: [{ status: 'completed' }],
    })
    expect(
      (
        await bound(
          base()
            .with(usePlanner(callsAtOnce(callOf())))
            .build(),
        ).run('?')
      ).result,
    ).toEqual({ text: 'done' })
    expect(() => base().build()).toThrow(/useModel\(driver\) or usePlanner\(planner\)/)
  })

  it('asks the last model, and a planner in place of any', async () => {
    const [first, last] = [scriptedModel([]), scriptedModel([says('Last.')])]
    expect((await bound(base(first).with(useModel(last)).build()).run('?')).result).toEqual({ text: 'Last.' })
    const planned = base()
      .with(usePlanner(() => answer('Planned.')))
      .with(useModel(first))
      .build()
    expect((await bound(planned).run('?')).result).toEqual({ text: 'Planned.' })
    expect(first.requests).toEqual([])
  })

  it('has no opinions, or the standard ones', () => {
    const driver = stubbornDriver()
    expect(base(driver).build().policy).toEqual({})
    expect(STANDARD_GUARDS).toEqual({ maxSteps: 20, maxTokens: 32_768, timeoutMs: 300_000 })
    expect(standard(driver).build().policy).toEqual({ maxTurns: 20, maxTokens: 32_768, timeBudgetMs: 300_000 })
    expect(
      base(driver)
        .with(useStandard({ maxSteps: 50 }))
        .build().policy,
    ).toMatchObject({
      maxTurns: 50,
      maxTokens: 32_768,
    })
  })

  it.each([
    ['with', () => base().with(undefined as never), /takes a feature/],
    ['with', () => base().with((() => undefined) as never), /gave back no builder/],
    ['layer', () => base().layer({} as never), /takes one layer/],
    ['base', () => base({} as never), /the driver is none/],
    ['useModel', () => useModel(undefined as never), /the driver is none/],
    ['usePlanner', () => usePlanner({} as never), /usePlanner/],
    ['useTools', () => useTools({} as never), /no toolset/],
    [
      'useToolFactory',
      () =>
        base(stubbornDriver())
          .with(useToolFactory(() => 1 as never))
          .build(),
      /no toolset/,
    ],
    ['useEvents', () => useEvents(1 as never), /useEvents/],
    ['useMessageCompiler', () => useMessageCompiler([] as never), /useMessageCompiler/],
    ['useGuards', () => useGuards(null as never), /no guards, give e.g. { maxSteps: 10 }/],
    [
      'useGuards',
      () => useGuards({ maxStep: 1 } as never),
      /no guard 'maxStep' \(maxSteps\?\): give maxSteps, maxTokens/,
    ],
    ['useGuards', () => useGuards({ maxTurns: 1 } as never), /no guard 'maxTurns'/],
    [
      'wrapMessageCompiler',
      () =>
        base(scriptedModel([]))
          .with(wrapMessageCompiler(() => undefined as never))
          .build(),
      /what the wrap gave back is no function/,
    ],
    ['useHook', () => useHook('never' as never, () => undefined), /give beforeRun/],
    ['useHook', () => useHook('onStop', 'x' as never), /no function/],
    ['useHook', () => useHook('onStop', () => undefined, { priority: Number.NaN }), /priority is NaN/],
  ])('says what is wrong with what %s is given', (_, wrong, message) => {
    expect(wrong).toThrow(TypeError)
    expect(wrong).toThrow(message)
  })

  it('refuses a structured answer of a planner', () => {
    const planned = base()
      .with(usePlanner(() => answer('x')))
      .with(useContext({ responseFormat: { schema: {} } }))
    expect(() => planned.build()).toThrow(/responseFormat is for models/)
  })
})

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
    expect(() => bound(own)).toThrow(/two toolsets are called 'orders'/)
  })

  it('is registered by generated code with the toolsets of the design', async () => {
    const bindings = [{ use: useOf([getOrder]), registration: registrationOf(getOrder, () => order), faults: [] }]
    const model = scriptedModel([calls(lookUp, { tool: 'weather_echo' }), says('Done.')])
    const agent = base(model)
      .with(useTools(echo('weather')))
      .build()
    const run = await registerAgent(new Runtime(), support, bindings, { agent }).run('?')
    expect(run.outcomes).toMatchObject([{ status: 'completed' }, { status: 'completed' }])
    const own = base(model)
      .with(useTools(registrationOf(getOrder, () => order)))
      .build()
    const missing = { kind: 'missing_client', toolset: 'orders', message: 'toolsets.orders.client is missing' } as const
    const faulty = bindings.map((binding) => ({ ...binding, faults: [missing] }))
    expect(() => registerAgent(new Runtime(), support, faulty, { agent: own })).toThrow(
      /client is missing[\s\S]*two toolsets are called 'orders'/,
    )
    expect(() => registerAgent(new Runtime(), support, bindings, { agent: own })).toThrow(
      /two toolsets are called 'orders'/,
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
    expect(model.requests[0]?.answer).toEqual({ name: 'finding', schema })
  })

  it('is what a planner is short for', async () => {
    const planner = () => answer('x')
    const agent = base().with(usePlanner(planner)).build()
    const run = async (parts: AgentParts) => {
      const { runId: _, events: _events, ...ended } = await stillRuntime().registerAgent(support, [], parts).run('?')
      return ended
    }
    expect(await run({ planner })).toEqual(await run({ agent }))
  })

  it.each([
    [
      'both an agent and a planner',
      () => ({ agent: base(stubbornDriver()).build(), planner: () => answer('x') }),
      /leave one out/,
    ],
    ['what no builder made', () => ({ agent: {} as never }), /as a builder made it/],
    [
      'an agent of another design',
      () => ({ agent: designedAgent({ ...support, name: 'research' }, [], stubbornDriver()).build() }),
      /made for the design of 'research'/,
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
    expect((await register(2, 5).run('?')).stop).toEqual({ reason: 'max_turns', limit: 2 })
    expect((await register(5, 1).run('?')).stop).toEqual({ reason: 'max_turns', limit: 1 })
  })
})

describe('what is bound when an agent is built', () => {
  it('makes tools once, with the final driver: its model, its fields, its compiler', async () => {
    const model = scriptedModel([says('A summary.'), calls({ tool: 'made_echo' }), says('Done.')])
    let made = 0
    const agent = base(stubbornDriver())
      .with(
        useToolFactory(({ driver }) => {
          made += 1
          const meta = { runId: 'r', agent: 'a', labels: {}, signal: AbortSignal.abort() }
          void driver.ask({ messages: [{ role: 'user', content: 'Sum up' }], tools: [], meta, fields: { seed: 2 } })
          return [echo('made')]
        }),
      )
      .with(useModel(model, { temperature: 0, seed: 1 }))
      .with(wrapMessageCompiler((next) => async (parts) => [...(await next(parts)), { role: 'user', content: 'Now.' }]))
      .build()
    expect(agent.tools.map(({ name }) => name)).toEqual(['made_echo'])
    await bound(agent).run('?')
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(made).toBe(1)
    const [ofFactory] = model.requests
    expect(ofFactory).toMatchObject({
      messages: [{ content: 'Sum up' }, { content: 'Now.' }],
      fields: { temperature: 0, seed: 2 },
    })
  })

  it('gives a driver that takes no compiler to factories as it is', () => {
    const driver = stubbornDriver()
    const given: unknown[] = []
    const seen = useToolFactory((context) => {
      given.push(context.driver)
      return []
    })
    base(driver)
      .with(seen)
      .with(useMessageCompiler(({ trace }) => trace))
      .build()
    expect(given[0]).toBe(driver)
  })

  it('says so where a factory takes a driver that nobody gave', () => {
    const planned = base().with(usePlanner(() => answer('x')))
    const summary = useToolFactory(({ driver }) => echo(driver.name))
    expect(() => planned.with(summary).build()).toThrow(/add useModel\(driver\)/)
    expect(planned.with(useToolFactory(() => echo('a'))).build().tools).toHaveLength(1)
  })

  it('tells its sinks of its runs and calls and of what factories tell, beside the sinks of the runtime', async () => {
    const heard: string[] = []
    const hear = (who: string) => (event: RunEvent) => heard.push(`${who} ${event.type}`)
    const agent = base(scriptedModel([says('Done.')]))
      .with(
        useToolFactory(({ events }) => {
          events({ type: 'run_started', at: 0, sequence: 1 })
          return []
        }),
      )
      .with(useEvents(hear('a')))
      .with(
        useEvents(() => {
          throw new Error('deaf')
        }),
      )
      .with(useEvents(hear('b')))
      .build()
    expect(heard.splice(0)).toEqual(['a run_started', 'b run_started'])
    const runtime = new Runtime({ sinks: [hear('runtime')] })
    const other = runtime.registerAgent(support, [], { planner: () => answer('x') })
    const own = bound(agent, () => order, runtime)
    await other.run('?')
    expect(heard.splice(0).every((each) => each.startsWith('runtime'))).toBe(true)
    await own.execute(callOf())
    expect(heard.splice(0)).toEqual(
      ['runtime', 'a', 'b', 'runtime', 'a', 'b'].map((who, at) => `${who} call_${at < 3 ? 'started' : 'ended'}`),
    )
    await own.run('?')
    expect(heard.filter((each) => each.startsWith('b'))).toEqual([
      'b run_started',
      'b step_started',
      'b step_ended',
      'b run_ended',
    ])
  })
})

describe('the messages for a model', () => {
  const three = [
    { role: 'user', content: '1' },
    { role: 'assistant', content: '2' },
    { role: 'user', content: '3' },
  ] as const

  it('are what a compiler makes of the conversation and of what the run added; the run keeps its own', async () => {
    const model = scriptedModel([looksUp, says('Done.')])
    const seen: unknown[] = []
    const agent = base(model)
      .with(
        useMessageCompiler(({ conversation, trace, meta, tools }) => {
          seen.push([conversation.length, trace.length, meta.agent, tools.length])
          return [...conversation.slice(-1), ...trace]
        }),
      )
      .build()
    const run = await bound(agent).run(three)
    expect(seen).toEqual([
      [4, 0, 'support', 1],
      [4, 2, 'support', 1],
    ])
    expect(model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user'],
      ['user', 'assistant', 'tool'],
    ])
    expect(run.messages).toHaveLength(7)
  })

  it('count what a hook adds before the run to the conversation', async () => {
    const seen: unknown[] = []
    const agent = base(scriptedModel([looksUp, says('Done.')]))
      .with(useHook('beforeRun', ({ messages }) => ({ messages: [...messages, { role: 'user', content: 'More.' }] })))
      .with(
        useMessageCompiler(({ conversation, trace }) => {
          seen.push([conversation.length, trace.length])
          return [...conversation, ...trace]
        }),
      )
      .build()
    await bound(agent).run(three)
    expect(seen).toEqual([
      [5, 0],
      [5, 2],
    ])
  })

  it.each([
    ['none', () => undefined],
    ['an empty list', () => []],
    ['something else', () => [null]],
  ])('are refused where a compiler gives %s', async (_, compiler) => {
    const model = scriptedModel([says('Not reached.')])
    const agent = base(model)
      .with(useMessageCompiler(compiler as never))
      .build()
    const run = await bound(agent).run('?')
    expect(run.status).toBe('failed')
    expect(String(run.error?.cause)).toContain('a message compiler gave no messages')
    expect(model.requests).toEqual([])
  })

  it('are all of them by default, whatever compiler the driver had before', async () => {
    const sent: unknown[] = []
    const driverWith = (compiler: MessageCompiler): ModelDriver => ({
      name: 'compiling',
      withMessageCompiler: driverWith,
      ask: async (request) => {
        sent.push((await compiledRequest(request, compiler)).messages)
        return { message: { role: 'assistant', content: 'Done.' }, calls: [] }
      },
    })
    const run = await bound(base(driverWith(() => [])).build()).run(three)
    expect(sent).toEqual([run.messages.slice(0, -1)])
  })

  it('are all of them for a driver that takes no compiler', async () => {
    const driver = stubbornDriver()
    await bound(
      base(driver)
        .with(useMessageCompiler(() => []))
        .build(),
    ).run(three)
    expect(driver.requests[0]?.messages.slice(1)).toEqual(three)
  })

  it.each([[undefined], ['text'], [[{}]], [[null]]])('are not %j: the run fails and says why', async (wrong) => {
    const agent = base(scriptedModel([says('x')]))
      .with(useMessageCompiler(() => wrong as never))
      .build()
    const run = await bound(agent).run('?')
    expect(run.status).toBe('failed')
    expect(String(run.error?.cause)).toContain('a message compiler gave no messages')
  })
})

describe('the fields of a chat request', () => {
  it('go from the caller of a run to the driver unchanged, before those of the agent', async () => {
    const odd = { nested: [null, { deep: true }] }
    const model = scriptedModel([looksUp, says('Done.'), says('Again.')])
    const agent = bound(
      base(model)
        .with(useModel(model, { temperature: 0, seed: 1 }))
        .build(),
    )
    await agent.run({ messages: [{ role: 'user', content: '?' }], temperature: 1, odd })
    await agent.run('?')
    const fields = model.requests.map((request: ModelRequest) => request.fields)
    expect(fields).toEqual([
      { temperature: 1, seed: 1, odd },
      { temperature: 1, seed: 1, odd },
      { temperature: 0, seed: 1 },
    ])
    expect(fields[0]?.odd).toEqual(odd)
  })
})
