import { context, createNoopMeter, type Meter, ROOT_CONTEXT, type Span, type Tracer, trace } from '@opentelemetry/api'
import { Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, callTools } from '@toolgen/runtime/agents'
import { otelTracer } from '@toolgen/runtime/otel'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let thrown = 0
const broken = (): never => {
  thrown += 1
  throw new Error('the SDK is broken')
}

/** A tracer of which one method of the tracer or of its spans throws. */
function tracerWith(method: 'startSpan' | keyof Span): Tracer {
  const noop = trace.getTracer('noop')
  const recording = (): Span => Object.assign(noop.startSpan('span'), { isRecording: () => true, [method]: broken })
  return {
    startSpan: method === 'startSpan' ? broken : recording,
    startActiveSpan: broken,
  }
}

const meter: Meter = createNoopMeter()
const brokenCounter: Meter = Object.assign(Object.create(meter), { createCounter: () => ({ add: broken }) })
const brokenMeter: Meter = Object.assign(Object.create(meter), { createHistogram: broken })

function brokenContext(): Parameters<typeof context.setGlobalContextManager>[0] {
  return {
    active: () => ROOT_CONTEXT,
    with: broken,
    bind: (_, target) => target,
    enable() {
      return this
    },
    disable() {
      return this
    },
  }
}

beforeEach(() => {
  thrown = 0
})
afterEach(() => context.disable())

describe('an OpenTelemetry SDK that throws harms no call and no run', () => {
  it.each([
    ['when a span begins', tracerWith('startSpan'), meter],
    ['when attributes are set', tracerWith('setAttributes'), meter],
    ['when the status is set', tracerWith('setStatus'), meter],
    ['when it is asked whether it records', tracerWith('isRecording'), meter],
    ['when a span ends', tracerWith('end'), meter],
    ['when it counts', trace.getTracer('noop'), brokenCounter],
    ['when it makes an instrument', trace.getTracer('noop'), brokenMeter],
    ['when it enters a context', 'brokenContext', meter],
  ] as const)('%s', async (_, given, itsMeter) => {
    if (given === 'brokenContext') context.setGlobalContextManager(brokenContext())
    const tracer = given === 'brokenContext' ? trace.getTracer('noop') : given
    let ran = 0
    const count = tool({
      name: 'count',
      description: '',
      parameters: {},
      run: (args: { fail?: boolean }) => {
        ran += 1
        if (args.fail) throw new Error('the service is down')
        return ran
      },
    })
    const runtime = new Runtime({
      tracer: otelTracer({ tracerProvider: { getTracer: () => tracer }, meterProvider: { getMeter: () => itsMeter } }),
    })
    const helper = runtime.registerAgent({ name: 'helper', description: '' }, [toolset('local', count)], {
      planner: ({ outcomes }) =>
        outcomes.length === 0
          ? callTools({ tool: 'count', arguments: '{}' }, { tool: 'count', arguments: '{"fail":true}' })
          : answer('Fine.'),
    })
    const { status, outcomes } = await helper.run('Count.')
    expect(status).toBe('completed')
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['completed', 'failed'])
    expect(ran).toBe(2)
    expect(await helper.execute({ tool: 'count', arguments: '{}' })).toMatchObject({ status: 'completed', json: '3' })
    expect(thrown).toBeGreaterThan(0)
  })

  it('a clock of the runtime that fails ends the span as an error', async () => {
    const ended: unknown[] = []
    const span: Span = Object.assign(trace.getTracer('noop').startSpan('span'), {
      isRecording: () => true,
      setAttribute: (name: string, value: unknown) => ended.push([name, value]),
      end: () => ended.push('end'),
    })
    let readings = 0
    const runtime = new Runtime({
      tracer: otelTracer({
        tracerProvider: { getTracer: () => ({ startSpan: () => span, startActiveSpan: broken }) },
      }),
      effects: {
        now: () => {
          readings += 1
          return readings === 1 ? 0 : broken()
        },
        newId: () => 'c-1',
      },
    })
    const local = runtime.registerToolset(
      toolset('local', tool({ name: 'count', description: '', parameters: {}, run: () => 1 })),
    )
    expect(await local.execute({ tool: 'count', arguments: '{}' })).toMatchObject({
      status: 'failed',
      hint: { reason: 'internal' },
    })
    expect(ended).toEqual([['error.type', 'internal'], 'end'])
  })
})
