import { approval, provenanced, Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, callTools } from '@toolgen/runtime/agents'
import { otelTracer } from '@toolgen/runtime/otel'
import { expect, it } from 'vitest'
import { fixedEffects } from './fixed-effects.js'
import { recordTelemetry } from './recorded-telemetry.js'

const spend = tool({
  name: 'spend',
  description: 'Spends tokens.',
  parameters: {},
  run: () => provenanced('done', { model: 'small-1', extra: { promptTokens: 10, completionTokens: 2 } }),
})
const fail = tool({
  name: 'fail',
  description: 'Fails.',
  parameters: {},
  run: () => {
    throw Object.assign(new Error('busy'), { status: 429 })
  },
})

const call = (name: string) => ({ tool: name, arguments: '{}' })

it('counts and measures calls by tool, status and reason, with no name that a model made up', async () => {
  const telemetry = recordTelemetry()
  let step = 0
  const runtime = new Runtime({ tracer: otelTracer(telemetry), effects: fixedEffects(() => step) })
  const local = runtime.registerToolset(toolset('local', spend, fail))
  const asked = runtime.registerToolset(toolset('asked', spend).layer(approval()))
  await local.execute(call('spend'))
  step = 250
  await local.execute(call('spend'))
  step = 0
  await local.execute(call('fail'))
  await local.execute(call('made_up'))
  await local.execute(call('made_up_again'))
  await asked.execute(call('spend'), { env: { approval: { approve: async () => 'suspend' } } })

  const points = await telemetry.points('toolgen.tool.calls')
  expect(points).toEqual([
    { attributes: { 'gen_ai.tool.name': 'spend', 'toolgen.call.status': 'completed' }, value: 2 },
    {
      attributes: { 'gen_ai.tool.name': 'fail', 'error.type': 'rate_limited', 'toolgen.call.status': 'failed' },
      value: 1,
    },
    {
      attributes: { 'gen_ai.tool.name': '_OTHER', 'error.type': 'unknown_tool', 'toolgen.call.status': 'failed' },
      value: 2,
    },
    { attributes: { 'gen_ai.tool.name': 'spend', 'toolgen.call.status': 'suspended' }, value: 1 },
  ])
  const durations = await telemetry.points('gen_ai.execute_tool.duration')
  expect(durations.map(({ attributes }) => attributes)).toEqual([
    { 'gen_ai.tool.name': 'spend', 'gen_ai.tool.type': 'function' },
    { 'gen_ai.tool.name': 'fail', 'gen_ai.tool.type': 'function', 'error.type': 'rate_limited' },
    { 'gen_ai.tool.name': '_OTHER', 'gen_ai.tool.type': 'function', 'error.type': 'unknown_tool' },
  ])
  // 250 ms pass each time the clock is read: the call that took longest did so in seconds, not milliseconds.
  expect(durations[0]?.value).toMatchObject({ count: 3, sum: expect.closeTo(0.25, 5) })
  expect(await telemetry.bounds('gen_ai.execute_tool.duration')).toEqual([
    0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
  ])
})

it('counts the tokens of tools and of planners apart, and none where nobody knows', async () => {
  const telemetry = recordTelemetry()
  const runtime = new Runtime({ tracer: otelTracer(telemetry), effects: fixedEffects() })
  const helper = runtime.registerAgent({ name: 'helper', description: '' }, [toolset('local', spend, fail)], {
    planner: ({ turn }) =>
      turn === 1
        ? { ...callTools(call('spend'), call('fail')), usage: { promptTokens: 100, completionTokens: 7 } }
        : answer('Fine.'),
  })
  await helper.run('Hello?')
  await helper.run('Hello?', { signal: AbortSignal.abort() })
  expect(await telemetry.points('toolgen.token.usage')).toEqual(
    [
      ['execute_tool', 'input', 10],
      ['execute_tool', 'output', 2],
      ['invoke_agent', 'input', 100],
      ['invoke_agent', 'output', 7],
    ].map(([operation, type, value]) => ({
      attributes: {
        ...(operation === 'execute_tool' && { 'gen_ai.tool.name': 'spend', 'toolgen.call.model': 'small-1' }),
        'gen_ai.agent.name': 'helper',
        'gen_ai.operation.name': operation,
        'gen_ai.token.type': type,
      },
      value,
    })),
  )
  expect(await telemetry.points('gen_ai.invoke_agent.duration')).toMatchObject([
    { attributes: { 'gen_ai.agent.name': 'helper' }, value: { count: 1 } },
    { attributes: { 'gen_ai.agent.name': 'helper', 'error.type': 'cancelled' }, value: { count: 1 } },
  ])
  const calls = await telemetry.points('toolgen.tool.calls')
  expect(calls).toMatchObject([
    { attributes: { 'gen_ai.agent.name': 'helper', 'gen_ai.tool.name': 'spend' }, value: 1 },
    { attributes: { 'gen_ai.agent.name': 'helper', 'gen_ai.tool.name': 'fail' }, value: 1 },
  ])
})
