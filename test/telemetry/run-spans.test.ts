import { Runtime, type ToolRequest, tool, toolset } from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { otelTracer } from '@toolgen/runtime/otel'
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
