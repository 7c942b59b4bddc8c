import { describe, expect, it } from 'vitest'
import {
  answer,
  base,
  type Feature,
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
} from '../../packages/runtime/src/agents.js'
import { type RunEvent, Runtime } from '../../packages/runtime/src/index.js'
import { calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { callOf, callsAtOnce, order } from '../runs/agents.fixture.js'
import { bound, echo, looksUp, stubbornDriver, support } from './agents.fixture.js'

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
    ['with', () => base().with(undefined as never), /expects a feature/],
    ['with', () => base().with((() => undefined) as never), /must return a builder/],
    ['layer', () => base().layer({} as never), /expects one layer/],
    ['base', () => base({} as never), /expects a model driver/],
    ['useModel', () => useModel(undefined as never), /expects a model driver/],
    ['usePlanner', () => usePlanner({} as never), /usePlanner/],
    ['useTools', () => useTools({} as never), /the registration of a toolset/],
    [
      'useToolFactory',
      () =>
        base(stubbornDriver())
          .with(useToolFactory(() => 1 as never))
          .build(),
      /the registration of a toolset/,
    ],
    ['useEvents', () => useEvents(1 as never), /useEvents/],
    ['useMessageCompiler', () => useMessageCompiler([] as never), /useMessageCompiler/],
    ['useGuards', () => useGuards(null as never), /expects an object with guards, for example { maxSteps: 10 }/],
    [
      'useGuards',
      () => useGuards({ maxStep: 1 } as never),
      /unknown guard 'maxStep'. Did you mean 'maxSteps'\? Expected maxSteps, maxTokens/,
    ],
    ['useGuards', () => useGuards({ maxTurns: 1 } as never), /unknown guard 'maxTurns'/],
    [
      'wrapMessageCompiler',
      () =>
        base(scriptedModel([]))
          .with(wrapMessageCompiler(() => undefined as never))
          .build(),
      /The return value of the function passed to wrapMessageCompiler must be a function/,
    ],
    ['useHook', () => useHook('never' as never, () => undefined), /Expected beforeRun/],
    ['useHook', () => useHook('onStop', 'x' as never), /expects a function/],
    ['useHook', () => useHook('onStop', () => undefined, { priority: Number.NaN }), /priority is NaN/],
  ])('says what is wrong with what %s is given', (_, wrong, message) => {
    expect(wrong).toThrow(TypeError)
    expect(wrong).toThrow(message)
  })

  it('refuses a structured answer of a planner', () => {
    const planned = base()
      .with(usePlanner(() => answer('x')))
      .with(useContext({ responseFormat: { schema: {} } }))
    expect(() => planned.build()).toThrow(/`responseFormat` of useContext applies to models/)
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
    expect(() => planned.with(summary).build()).toThrow(/Add useModel\(driver\)/)
    expect(planned.with(useToolFactory(() => echo('a'))).build().tools).toHaveLength(1)
  })

  it('sends its events, and those of factories, to its sinks and to those of the runtime', async () => {
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
