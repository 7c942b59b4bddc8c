import { describe, expect, it } from 'vitest'
import { getOrder, registrationOf, toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  answer,
  base,
  callTools,
  type Planner,
  type RunMeta,
  type StepLayer,
  useEvents,
  usePlanner,
  useTools,
} from '../../packages/runtime/src/agents.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import {
  type BoundAgent,
  type ExecutorRequest,
  type RunEvent,
  Runtime,
  runConfig,
  type ToolLayer,
} from '../../packages/runtime/src/index.js'
import {
  agents,
  investigate,
  investigation,
  lookingUp,
  onceThen,
  researchAgent,
  supportAgent,
} from './agents.fixture.js'

const priced = (planner: Planner, tokens: number): Planner => {
  return async (request) => ({ ...(await planner(request)), usage: { promptTokens: tokens, completionTokens: 0 } })
}

describe('a run that serves a call', () => {
  it('has the session, the turn, the labels and the env of the call, and the call as its parent', async () => {
    const metas: (RunMeta | ExecutorRequest['meta'])[] = []
    const envs: unknown[] = []
    const { support } = agents({
      inner: {
        planner: lookingUp(['A'], ({ meta }) => {
          metas.push(meta)
          return answer('done')
        }),
      },
      around: (research) =>
        research.layer((next) => async (request) => {
          envs.push(request.env)
          return next(request)
        }),
      execute: ({ meta }) => {
        metas.push(meta)
        return { id: 'A', total: 1 }
      },
    })
    const env = { tenant: 'acme' }
    const options = { sessionId: 's-1', turnId: 't-1', labels: { plan: 'free' }, env }
    const run = await support.run('?', options)
    expect(run.status).toBe('completed')
    for (const meta of metas) {
      expect(meta).toMatchObject({
        sessionId: 's-1',
        turnId: 't-1',
        labels: { plan: 'free' },
        agent: 'research',
        parentToolCallId: 'outer-1',
      })
    }
    expect(metas).toHaveLength(2)
    expect(envs).toEqual([env])
    expect(envs[0]).toBe(env)
    expect(metas[0]?.runId).not.toBe(run.runId)
  })

  it('has the layers of the outer run around those of its own agent and tools', async () => {
    const order: string[] = []
    const named =
      (name: string): ToolLayer =>
      (next) =>
      async (request) => {
        order.push(`${name} ${request.tool.name}`)
        const outcome = await next(request)
        order.push(`/${name} ${request.tool.name}`)
        return outcome
      }
    const step: StepLayer = (next) => async (request) => {
      order.push(`step ${request.meta.agent}`)
      return next(request)
    }
    const { support } = agents({ around: (research) => research.layer(named('inner')) })
    await support.layer(named('outer')).run('?', { config: runConfig().layer(named('run')).stepLayer(step) })
    expect(order).toEqual([
      'step support',
      'run investigate',
      'outer investigate',
      'step research',
      'run getOrder',
      'inner getOrder',
      '/inner getOrder',
      '/run getOrder',
      'step research',
      '/outer investigate',
      '/run investigate',
      'step support',
    ])
  })

  it('starts although the runtime was closed after the start of the outer run, which may finish', async () => {
    const runtime = new Runtime()
    const closed: Promise<void>[] = []
    const planner: Planner = ({ outcomes }) => {
      if (outcomes.length > 0) return answer('done')
      closed.push(runtime.close())
      return callTools(investigation())
    }
    const { support } = agents({ runtime, outer: { planner } })
    const run = await support.run('?')
    await Promise.all(closed)
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed' }] })
    expect((await support.run('?')).status).toBe('cancelled')
  })

  it('spends the tokens of the run above, and ends where those are used up', async () => {
    const planner = priced(lookingUp(['A']), 40)
    const { support } = agents({ inner: { planner }, outer: { planner: priced(onceThen([investigation()]), 10) } })
    const free = await support.run('?')
    expect(free.usage).toMatchObject({ promptTokens: 100, turns: 2, toolCalls: 1 })
    const tight = await support.run('?', { config: runConfig().policy({ maxTokens: 50 }) })
    expect(tight).toMatchObject({ status: 'stopped', stop: { reason: 'max_tokens', limit: 50 } })
    expect(tight.outcomes[0]?.provenance.extra).toMatchObject({ turns: 1 })
  })

  it('adds its cached and reasoning tokens to the run above, if a model reports them', async () => {
    const detailed = (planner: Planner, details: object): Planner => {
      const usage = { promptTokens: 10, completionTokens: 5, ...details }
      return async (request) => ({ ...(await planner(request)), usage })
    }
    const inner = { planner: detailed(lookingUp(['A']), { cachedPromptTokens: 4, reasoningTokens: 3 }) }
    const outer = { planner: detailed(onceThen([investigation()]), { cachedPromptTokens: 1 }) }
    const { support } = agents({ inner, outer })
    const twice: StepLayer = (next) => async (request) => {
      if (request.turn === 1) await next(request)
      return next(request)
    }
    const run = await support.run('?')
    // Each of the two runs has two steps.
    expect(run.usage).toMatchObject({ promptTokens: 40, cachedPromptTokens: 10, reasoningTokens: 6 })
    expect(run.usage).not.toHaveProperty('cacheWritePromptTokens')
    const repeated = await support.stepLayer(twice).run('?')
    expect(repeated.usage).toMatchObject({ promptTokens: 70, cachedPromptTokens: 19, reasoningTokens: 12 })
  })

  it('shares what is left with the runs beside it', async () => {
    let asked = 0
    const inner: Planner = async ({ turn }) => {
      asked += 1
      await new Promise((resolve) => setTimeout(resolve, 1))
      const call = getOrder.call({ orderId: `${turn}` })
      return { ...callTools(call), usage: { promptTokens: 10, completionTokens: 0 } }
    }
    const calls = ['1', '2', '3', '4'].map((id) => investigation(id))
    const { support } = agents({ inner: { planner: inner }, outer: { planner: onceThen(calls) }, result: {} })
    const run = await support.run('?', { config: runConfig().policy({ maxTokens: 100 }) })
    expect(run.stop).toEqual({
      reason: 'max_tokens',
      limit: 100,
      message:
        'The run reached its limit of 100 tokens. To change the limit, set `maxTokens` of the policy or of the guards.',
    })
    // Each of the four may have had one step under way.
    expect(asked).toBeLessThanOrEqual(13)
  })

  it('has the policy of the outer run too: a missing field is asked for from the bottom', async () => {
    const lacking: Planner = ({ outcomes }) =>
      outcomes.length === 0 ? callTools({ tool: 'orders.getOrder', arguments: '{}', toolCallId: 'x' }) : answer('no')
    const { support } = agents({ inner: { planner: lacking } })
    const config = runConfig().policy({ onMissingFields: 'await_clarification' })
    const run = await support.run('?', { config })
    expect(run.suspension).toMatchObject({
      kind: 'clarification',
      question: 'Please enter: Order number as printed on the invoice (orderId).',
      fields: [{ tool: 'orders.getOrder', path: '/orderId' }],
      pending: [{ id: 'outer-1', kind: 'clarification', agent: 'research' }],
    })
  })
})

describe('agents that call agents', () => {
  /** `support` and `research` use each other's tools. */
  const circle = (maxDepth?: number): BoundAgent => {
    const runtime = new Runtime()
    const help = {
      ...investigate,
      spec: { ...investigate.spec, id: 'help.ask', toolset: 'help', name: 'ask', toolName: 'help_ask' },
    } as const
    const exportOf = (tool: typeof investigate, agent: typeof researchAgent) => ({ toolset: toolsetOf(tool), agent })
    const askHelp: Planner = ({ outcomes }) =>
      outcomes.length === 0
        ? callTools({ tool: 'help.ask', arguments: '{"topic":"x"}', toolCallId: 'up' })
        : answer({ id: outcomes[0]?.status === 'failed' ? outcomes[0].hint.message : 'ok', total: 0 })
    const research: BoundAgent = runtime.registerAgent(
      researchAgent,
      [agentToolsetRegistration(exportOf(help, supportAgent), () => support)],
      { planner: askHelp },
    )
    const support: BoundAgent = runtime.registerAgent(
      supportAgent,
      [agentToolsetRegistration(exportOf(investigate, researchAgent), research)],
      { planner: onceThen([investigation()]), ...(maxDepth !== undefined && { policy: { maxDepth } }) },
    )
    return support
  }

  it('may use each other, and are refused where one is at work above', async () => {
    const run = await circle().run('?')
    expect(run.outcomes[0]).toMatchObject({
      status: 'completed',
      result: {
        data: { id: "The agent 'support' is already running in this call chain (support → research → support)." },
      },
    })
  })

  it('go as deep as the policy lets them', async () => {
    const refused = await circle(0).run('?')
    expect(refused.outcomes[0]).toMatchObject({
      status: 'failed',
      hint: { reason: 'denied', action: 'replan', message: 'Agents may call other agents at most 0 levels deep.' },
    })
  })

  it('are known to a single call outside a run too', async () => {
    expect(await circle().execute(investigation())).toMatchObject({ status: 'completed' })
  })
})

describe('the events of a run that serves a call', () => {
  const typesOf = (events: readonly RunEvent[]): readonly string[] =>
    events.map(({ type, agent }) => (agent === 'research' ? `  ${type}` : type))
  const whole = [
    'run_started',
    'step_started',
    'call_started',
    'call_ended',
    'step_ended',
    'step_started',
    'step_ended',
    'run_ended',
  ]

  it('defect 3e: are kept from those above, with the handoffs: the call and its one result are told', async () => {
    const heard: RunEvent[] = []
    const runtime = new Runtime({ sinks: [(event) => heard.push(event)] })
    const run = await agents({ runtime }).support.run('?')
    expect(typesOf(run.events)).toEqual(whole)
    expect(heard).toEqual(run.events)
    expect(run.events.map(({ sequence }) => sequence)).toEqual(run.events.map((_, index) => index + 1))
    const alone: RunEvent[] = []
    await agents().support.execute(investigation(), { onEvent: (event) => alone.push(event) })
    expect(alone.map(({ type }) => type)).toEqual(['call_started', 'call_ended'])
  })

  it.each(['of the run', 'of the registration'])('are told by the switch %s', async (which) => {
    const heard: RunEvent[] = []
    const runtime = new Runtime({ sinks: [(event) => heard.push(event)] })
    const ofRun = which === 'of the run'
    const { support } = agents({ runtime, ...(!ofRun && { options: { suppressChildEvents: false } }) })
    const run = await support.run('?', { deepTracing: ofRun })
    expect(run.events.filter(({ type }) => type === 'handoff')).toMatchObject([
      { fromAgent: 'support', toAgent: 'research', reason: 'started', call: { toolCallId: 'outer-1' } },
      { fromAgent: 'research', toAgent: 'support', reason: 'completed' },
    ])
    expect(typesOf(run.events)).toEqual([
      ...whole.slice(0, 3),
      'handoff',
      ...[
        'run_started',
        'step_started',
        'call_started',
        'call_ended',
        'step_ended',
        'step_started',
        'step_ended',
        'run_ended',
      ].map((type) => `  ${type}`),
      'handoff',
      ...whole.slice(3),
    ])
    expect(heard).toEqual(run.events)
    const inner = run.events.filter(({ agent }) => agent === 'research')
    expect(inner.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(inner.every(({ parentToolCallId }) => parentToolCallId === 'outer-1')).toBe(true)
  })

  it.each([false, true])(
    'are told to the sinks of the inner agent itself, also with deepTracing: %s',
    async (deepTracing) => {
      const heard: string[] = []
      const runtime = new Runtime({ sinks: [({ agent, type }) => heard.push(`runtime ${agent} ${type}`)] })
      const builder = base()
        .with(usePlanner(() => answer({ id: 'A-1', total: 1 })))
        .with(useEvents(({ agent, type }) => heard.push(`own ${agent} ${type}`)))
      const research = runtime.registerAgent(researchAgent, [], { agent: builder.build() })
      const support = runtime.registerAgent(
        supportAgent,
        [agentToolsetRegistration({ toolset: toolsetOf(investigate), agent: researchAgent }, research)],
        { planner: onceThen([investigation()]) },
      )
      const { status } = await support.run('?', { deepTracing })
      expect(status).toBe('completed')
      const types = ['run_started', 'step_started', 'step_ended', 'run_ended']
      expect(heard.filter((each) => each.startsWith('own'))).toEqual(types.map((type) => `own research ${type}`))
      expect(heard.filter((each) => each.startsWith('runtime research'))).toHaveLength(deepTracing ? 4 : 0)
    },
  )
})

describe('what the tools beneath need of the caller', () => {
  it('is asked for at the start of the outer run, with what its own tools need', async () => {
    const runtime = new Runtime()
    const owned = toolOf('orders.mine', {
      arguments: {},
      spec: { serverOwned: [{ field: 'sessionId', from: 'sessionId', schema: { type: 'string' } }] },
    })
    const research = runtime.registerAgent(researchAgent, [registrationOf(owned, () => ({ id: 'A', total: 1 }))])
    const exported = { toolset: toolsetOf(investigate), agent: researchAgent }
    const support: BoundAgent = runtime.registerAgent(supportAgent, [agentToolsetRegistration(exported, research)], {
      planner: () => answer('nothing to do'),
    })
    const run = await support.run('?')
    expect(run.error?.message).toBe('The caller of this run must pass options.sessionId (for orders.mine).')
    expect((await support.run('?', { sessionId: 's' })).status).toBe('completed')
  })

  it('defect 3f: is asked for before a call runs, also of tools that a builder added and of agents two levels down', async () => {
    const runtime = new Runtime()
    let begun = 0
    const planner: Planner = () => {
      begun += 1
      return answer({ id: 'A', total: 1 })
    }
    const owned = toolOf('orders.mine', {
      arguments: {},
      spec: {
        serverOwned: [
          { field: 'tenant', from: 'labels.tenant', schema: { type: 'string' } },
          { field: 'run', from: 'runId', schema: { type: 'string' } },
          { field: 'parent', from: 'parentToolCallId', schema: { type: 'string' } },
        ],
      },
    })
    // The design of `research` names no toolset: only its builder does.
    const built = base()
      .with(usePlanner(planner))
      .with(useTools(registrationOf(owned, () => ({ id: 'A', total: 1 }))))
      .build()
    const research = runtime.registerAgent(researchAgent, [], { agent: built })
    const exported = { toolset: toolsetOf(investigate), agent: researchAgent }
    const help = {
      ...investigate,
      spec: { ...investigate.spec, id: 'help.ask', toolset: 'help', name: 'ask', toolName: 'help_ask' },
    } as const
    const support = runtime.registerAgent(supportAgent, [agentToolsetRegistration(exported, research)], { planner })
    const desk = runtime.registerToolset(
      agentToolsetRegistration({ toolset: toolsetOf(help), agent: supportAgent }, () => support),
    )
    const ask = { tool: 'help.ask', arguments: '{"topic":"x"}' }
    const message = (tool: string): string =>
      `The caller of '${tool}' must pass options.labels.tenant (for orders.mine) to \`execute\`.`
    expect(await desk.execute(ask)).toMatchObject({ status: 'failed', error: { message: message('help.ask') } })
    expect(await support.execute(investigation())).toMatchObject({
      error: { reason: 'internal', message: message('investigation.investigate') },
      hint: { action: 'finish' },
    })
    expect(begun).toBe(0)
    expect(await desk.execute(ask, { labels: { tenant: 'acme' } })).toMatchObject({ status: 'completed' })
  })

  it('defect 3f: a call whose agent cannot be had fails by itself', async () => {
    const exported = { toolset: toolsetOf(investigate), agent: researchAgent }
    const tools = new Runtime().registerToolset(
      agentToolsetRegistration(exported, () => {
        throw new Error('not yet')
      }),
    )
    expect(await tools.execute(investigation())).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
  })
})
