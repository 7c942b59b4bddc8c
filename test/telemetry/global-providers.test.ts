import { context, metrics, trace } from '@opentelemetry/api'
import { Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, callTools } from '@toolgen/runtime/agents'
import { otelTracer } from '@toolgen/runtime/otel'
import { afterEach, describe, expect, it } from 'vitest'
import { followContext, recordTelemetry } from './recorded-telemetry.js'

afterEach(() => {
  trace.disable()
  metrics.disable()
  context.disable()
})

const helperWith = (runtime: Runtime) =>
  runtime.registerAgent(
    { name: 'helper', description: '' },
    [toolset('local', tool({ name: 'echo', description: '', parameters: {}, run: (args) => args }))],
    { planner: ({ turn }) => (turn === 1 ? callTools({ tool: 'echo', arguments: '{}' }) : answer('Fine.')) },
  )

describe('a tracer without providers of its own', () => {
  it('costs no call where no SDK is set up', async () => {
    const run = await helperWith(new Runtime({ tracer: otelTracer() })).run('Hello?')
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed', json: '{}' }] })
  })

  it('may be made before the SDK is set up, as a module does that is imported first', async () => {
    const helper = helperWith(new Runtime({ tracer: otelTracer() }))
    const telemetry = recordTelemetry()
    trace.setGlobalTracerProvider(telemetry.tracerProvider)
    metrics.setGlobalMeterProvider(telemetry.meterProvider)
    followContext()
    await helper.run('Hello?')
    expect(telemetry.trees()).toMatchObject([
      { name: 'invoke_agent helper', children: [{ name: 'execute_tool echo', children: [] }] },
    ])
    expect(await telemetry.points('toolgen.tool.calls')).toMatchObject([{ value: 1 }])
  })
})

it('without a context manager every span is there, each on its own', async () => {
  const telemetry = recordTelemetry()
  await helperWith(new Runtime({ tracer: otelTracer(telemetry) })).run('Hello?')
  expect(telemetry.trees().map(({ name }) => name)).toEqual(['invoke_agent helper', 'execute_tool echo'])
})
