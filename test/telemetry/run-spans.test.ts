import { Runtime, type ToolRequest, tool, toolset } from '@toolgen/runtime'
import { answer, base, callTools, type Guardrails, type Planner, useGuardrails } from '@toolgen/runtime/agents'
import { RuntimeMetrics } from '@toolgen/runtime/metrics'
import { otelTracer } from '@toolgen/runtime/otel'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedEffects } from './fixed-effects.js'
import { followContext, type RecordedTelemetry, recordTelemetry } from './recorded-telemetry.js'
import { callOf, parameters, shape, weather } from './weather.js'

let telemetry: RecordedTelemetry
let unfollow: () => void
beforeAll(() => {
  unfollow = followContext()
})
afterAll(() => unfollow())
beforeEach(() => {
  telemetry = recordTelemetry()
})

const runtime = (): Runtime => new Runtime({ tracer: otelTracer(telemetry), effects: fixedEffects() })

describe('the spans of a run', () => {
  const planner: Planner = ({ outcomes }) =>
    outcomes.length === 0
      ? { ...callTools(callOf('oslo', 'c-1'), callOf('rome', 'c-2')), usage: { promptTokens: 30, completionTokens: 4 } }
      : answer('Fine.')
  const agent = { name: 'helper', description: 'Helps.' }

  it('two calls at once belong to the run, and what each does to itself', async () => {
    let arrived = 0
    let open: () => void = () => undefined
    const both = new Promise<void>((resolve) => {
      open = resolve
    })
    const slow = weather(telemetry, async () => {
      arrived += 1
      if (arrived === 2) open()
      await both
    })
    const helper = runtime().registerAgent(agent, [toolset('local', slow)], { planner })
    const run = await helper.run('Where is it warmer?', { sessionId: 's-1', turnId: 't-1' })
    expect(run.status).toBe('completed')
    expect(telemetry.trees().map(shape)).toEqual([
      [
        'invoke_agent helper',
        'UNSET',
        ['execute_tool weather', 'UNSET', ['GET /oslo', 'UNSET']],
        ['execute_tool weather', 'UNSET', ['GET /rome', 'UNSET']],
      ],
    ])
    const [root] = telemetry.trees()
    expect(root?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'helper',
      'gen_ai.conversation.id': 's-1',
      'gen_ai.usage.input_tokens': 30,
      'gen_ai.usage.output_tokens': 4,
      'toolgen.run.id': run.runId,
      'toolgen.turn.id': 't-1',
      'toolgen.run.status': 'completed',
      'toolgen.run.stop_reason': 'answered',
      'toolgen.run.turns': 2,
      'toolgen.run.tool_calls': 2,
    })
    expect(root?.children.map(({ attributes }) => attributes)).toMatchObject([
      { 'gen_ai.tool.call.id': 'c-1', 'gen_ai.agent.name': 'helper', 'gen_ai.conversation.id': 's-1' },
      { 'gen_ai.tool.call.id': 'c-2', 'gen_ai.agent.name': 'helper', 'toolgen.run.id': run.runId },
    ])
  })

  it('two runs at once keep their calls apart', async () => {
    const helper = runtime().registerAgent(agent, [toolset('local', weather(telemetry))], { planner })
    await Promise.all([helper.run('One?'), helper.run('Two?')])
    const tree = [
      'invoke_agent helper',
      'UNSET',
      ['execute_tool weather', 'UNSET', ['GET /oslo', 'UNSET']],
      ['execute_tool weather', 'UNSET', ['GET /rome', 'UNSET']],
    ]
    expect(telemetry.trees().map(shape)).toEqual([tree, tree])
  })

  it('a planner that throws: an error with its reason', async () => {
    const helper = runtime().registerAgent(agent, [toolset('local', weather(telemetry))], {
      planner: () => {
        throw Object.assign(new Error('busy'), { status: 503 })
      },
    })
    await helper.run('Hello?')
    expect(telemetry.trees()).toMatchObject([
      { status: 'ERROR', attributes: { 'error.type': 'unavailable', 'toolgen.run.stop_reason': 'failed' } },
    ])
  })

  it('a cancelled run is an error, a run that a limit stopped is not', async () => {
    const helper = runtime().registerAgent(agent, [toolset('local', weather(telemetry))], {
      planner,
      policy: { maxTurns: 1 },
    })
    await helper.run('Hello?')
    await helper.run('Hello?', { signal: AbortSignal.abort() })
    expect(telemetry.trees()).toMatchObject([
      { status: 'UNSET', attributes: { 'toolgen.run.status': 'stopped', 'toolgen.run.stop_reason': 'max_turns' } },
      { status: 'ERROR', attributes: { 'error.type': 'cancelled', 'toolgen.run.status': 'cancelled' } },
    ])
  })

  it('a run in a tool of a run belongs to that call', async () => {
    const inner = runtime().registerAgent({ name: 'inner', description: '' }, [toolset('local', weather(telemetry))], {
      planner,
    })
    const asks = tool({
      name: 'weather',
      description: '',
      parameters,
      run: async (_: unknown, { meta }: Pick<ToolRequest, 'meta'>) => {
        await inner.run('Hello?', { parentToolCallId: meta.toolCallId })
      },
    })
    const outer = runtime().registerAgent(agent, [toolset('outer', asks)], {
      planner: ({ outcomes }) => (outcomes.length === 0 ? callTools(callOf('oslo', 'c-9')) : answer('Fine.')),
    })
    await outer.run('Hello?')
    const [root] = telemetry.trees()
    expect(root?.children[0]?.children).toMatchObject([
      {
        name: 'invoke_agent inner',
        attributes: { 'toolgen.call.parent_id': 'c-9' },
        children: [{ name: 'execute_tool weather' }, { name: 'execute_tool weather' }],
      },
    ])
  })
})

describe('guardrails', () => {
  const flag = (message: string) => () => ({ action: 'flag', message, info: { score: 1 } }) as const
  const guardrails: Guardrails = {
    input: [{ name: 'topic', check: flag('Look at it.') }],
    toolCall: [{ name: 'city', check: () => ({ action: 'rewrite', value: { city: 'rome' } }) }],
    toolResult: [{ name: 'numbers', check: () => ({ action: 'block', message: 'No numbers.' }) }],
    output: [{ name: 'quiet', check: () => 'pass' }],
  }
  const model = () =>
    scriptedModel([calls({ tool: 'weather', arguments: { city: 'oslo' }, toolCallId: 'c-1' }), says('Fine.')])
  const attributesOf = (name: string, stage: string, action: string) => ({
    'toolgen.guardrail.name': name,
    'toolgen.guardrail.stage': stage,
    'toolgen.guardrail.action': action,
  })
  const topic = attributesOf('topic', 'input', 'flag')
  const city = attributesOf('city', 'toolCall', 'rewrite')
  const numbers = attributesOf('numbers', 'toolResult', 'block')

  it.each([
    ['otelTracer', (options: Parameters<typeof otelTracer>[0]) => otelTracer(options)],
    [
      'RuntimeMetrics',
      (options: Parameters<typeof otelTracer>[0]) => new RuntimeMetrics({ tracer: otelTracer(options) }),
    ],
  ])('have an event in the span of their run or call and a count, with %s', async (_, tracerOf) => {
    const helper = new Runtime({ tracer: tracerOf(telemetry) }).registerAgent(
      { name: 'helper', description: 'Helps.' },
      [toolset('local', weather(telemetry))],
      { agent: base(model()).with(useGuardrails(guardrails)).build() },
    )
    const run = await helper.run('How warm is it?')
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'failed', hint: { reason: 'denied' } }] })
    const [root] = telemetry.trees()
    expect(root?.events).toEqual([{ name: 'toolgen.guardrail', attributes: topic }])
    const ofCall = { 'gen_ai.tool.call.id': 'c-1' }
    expect(root?.children.find(({ name }) => name === 'execute_tool weather')?.events).toEqual([
      { name: 'toolgen.guardrail', attributes: { ...city, ...ofCall } },
      { name: 'toolgen.guardrail', attributes: { ...numbers, ...ofCall } },
    ])
    const ofAgent = { 'gen_ai.agent.name': 'helper' }
    expect(await telemetry.points('toolgen.guardrail.reports')).toEqual([
      { attributes: { ...topic, ...ofAgent }, value: 1 },
      { attributes: { ...city, ...ofAgent }, value: 1 },
      { attributes: { ...numbers, ...ofAgent }, value: 1 },
    ])
  })

  it('have their message only with captureContent', async () => {
    const helper = new Runtime({ tracer: otelTracer({ ...telemetry, captureContent: true }) }).registerAgent(
      { name: 'helper', description: 'Helps.' },
      [],
      {
        agent: base(scriptedModel([says('Fine.')]))
          .with(useGuardrails(guardrails))
          .build(),
      },
    )
    await helper.run('How warm is it?')
    const [root] = telemetry.trees()
    const attributes = { ...topic, 'toolgen.guardrail.message': 'Look at it.' }
    expect(root?.events).toEqual([{ name: 'toolgen.guardrail', attributes }])
  })

  it('that stop a run do not make it fail', async () => {
    const stops: Guardrails = {
      toolCall: [{ name: 'city', check: () => ({ action: 'stop', message: 'Not this city.' }) }],
    }
    const helper = runtime().registerAgent(
      { name: 'helper', description: 'Helps.' },
      [toolset('local', weather(telemetry))],
      { agent: base(model()).with(useGuardrails(stops)).build() },
    )
    await helper.run('How warm is it?')
    const [root] = telemetry.trees()
    expect(root).toMatchObject({ status: 'UNSET', attributes: { 'toolgen.run.stop_reason': 'guardrail' } })
    expect(root?.attributes).not.toHaveProperty('error.type')
    expect(root?.children.map(({ status, attributes }) => [status, attributes['error.type']])).toEqual([
      ['UNSET', undefined],
      ['ERROR', 'denied'],
    ])
  })
})

it('the cost of a run is counted with that of its nested runs, and not without prices', async () => {
  const usage = { promptTokens: 1_000_000, completionTokens: 500_000 }
  const costsOf = async (prices?: ConstructorParameters<typeof Runtime>[0]) => {
    telemetry = recordTelemetry()
    const priced = new Runtime({ tracer: otelTracer(telemetry), ...prices })
    const inner = priced.registerAgent({ name: 'inner', description: '' }, [], {
      agent: base(scriptedModel([{ ...says('Cold.'), usage, model: 'tiny-1' }])).build(),
    })
    const asks = tool({
      ...{ name: 'weather', description: '', parameters },
      run: async (_: unknown, { meta }: Pick<ToolRequest, 'meta'>) => {
        await inner.run('Hello?', { parentToolCallId: meta.toolCallId })
      },
    })
    const outer = priced.registerAgent({ name: 'outer', description: '' }, [toolset('local', asks)], {
      agent: base(
        scriptedModel([
          { ...calls({ tool: 'weather', arguments: { city: 'oslo' } }), usage, model: 'tiny-1' },
          { ...says('Cold.'), usage, model: 'tiny-1' },
        ]),
      ).build(),
    })
    await outer.run('Hello?')
    const points = await telemetry.points('toolgen.run.cost')
    return points.map(({ attributes, value }) => [attributes['gen_ai.agent.name'], value])
  }
  // 2 for the prompt and 5 for the answer of each response.
  expect(await costsOf({ prices: { 'tiny-1': { inputPerMillion: 2, outputPerMillion: 10 } } })).toEqual([
    ['inner', 7],
    ['outer', 14],
  ])
  expect(await costsOf()).toEqual([])
})
