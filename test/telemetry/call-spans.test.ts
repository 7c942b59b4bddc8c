import { approval, Runtime, retry, ToolFailure, toolset } from '@toolgen/runtime'
import { otelTracer } from '@toolgen/runtime/otel'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { fixedEffects } from './fixed-effects.js'
import { followContext, type RecordedTelemetry, recordTelemetry, type SpanTree } from './recorded-telemetry.js'
import { callOf, shape, weather } from './weather.js'

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

const started = {
  'gen_ai.operation.name': 'execute_tool',
  'gen_ai.tool.name': 'weather',
  'gen_ai.tool.type': 'function',
  'gen_ai.tool.description': 'The weather of a city.',
  'gen_ai.tool.call.id': 'c-1',
  'toolgen.tool.id': 'local.weather',
  'toolgen.tool.provider': 'function',
}

describe('the spans of a call outside a run', () => {
  it('completed: one span with all attributes, the span of a client inside it', async () => {
    const local = runtime().registerToolset(toolset('local', weather(telemetry)))
    await local.execute(callOf('oslo', 'c-1'), {
      sessionId: 's-1',
      turnId: 't-1',
      runId: 'r-1',
      parentToolCallId: 'p-1',
    })
    expect(telemetry.trees()).toEqual([
      {
        name: 'execute_tool weather',
        kind: 'INTERNAL',
        status: 'UNSET',
        attributes: {
          ...started,
          'gen_ai.conversation.id': 's-1',
          'toolgen.run.id': 'r-1',
          'toolgen.turn.id': 't-1',
          'toolgen.call.parent_id': 'p-1',
          'toolgen.call.status': 'completed',
          'toolgen.call.attempts': 1,
          'toolgen.call.structured': true,
        },
        children: [{ name: 'GET /oslo', kind: 'INTERNAL', status: 'UNSET', attributes: {}, children: [] }],
      },
    ])
  })

  it('belongs to the span that is active where it is called', async () => {
    const local = runtime().registerToolset(toolset('local', weather(telemetry)))
    await telemetry.client.startActiveSpan('POST /chat', async (span) => {
      await local.execute(callOf('oslo', 'c-1'))
      span.end()
    })
    expect(telemetry.trees().map(shape)).toEqual([
      ['POST /chat', 'UNSET', ['execute_tool weather', 'UNSET', ['GET /oslo', 'UNSET']]],
    ])
  })

  it('failed: the reason, and nothing of the message', async () => {
    const failing = weather(telemetry, () => {
      throw new ToolFailure('Customer Ada Lovelace is not known.', { reason: 'domain_rejection', action: 'replan' })
    })
    await runtime().registerToolset(toolset('local', failing)).execute(callOf('oslo', 'c-1'))
    expect(telemetry.trees()).toMatchObject([
      {
        name: 'execute_tool weather',
        status: 'ERROR',
        attributes: {
          ...started,
          'error.type': 'domain_rejection',
          'toolgen.call.status': 'failed',
          'toolgen.call.attempts': 1,
        },
        children: [{ name: 'GET /oslo' }],
      },
    ])
    expect(JSON.stringify(telemetry.trees())).not.toContain('Ada')
  })

  it('denied: no attempt', async () => {
    const local = runtime().registerToolset(toolset('local', weather(telemetry).layer(approval())))
    await local.execute(callOf('oslo', 'c-1'), { env: { approval: { approve: async () => 'deny' } } })
    expect(telemetry.trees()).toMatchObject([
      {
        status: 'ERROR',
        attributes: { ...started, 'error.type': 'denied', 'toolgen.call.attempts': 0 },
        children: [],
      },
    ])
  })

  it('suspended: no error', async () => {
    const local = runtime().registerToolset(toolset('local', weather(telemetry).layer(approval())))
    await local.execute(callOf('oslo', 'c-1'), { env: { approval: { approve: async () => 'suspend' } } })
    const [span] = telemetry.trees()
    expect(span).toMatchObject({ status: 'UNSET', attributes: { 'toolgen.call.status': 'suspended' }, children: [] })
    expect(span?.attributes).not.toHaveProperty('error.type')
  })

  it('an unknown tool: a name that a model made up names no span', async () => {
    const local = runtime().registerToolset(toolset('local', weather(telemetry)))
    await local.execute({ tool: `wether${'r'.repeat(500)}`, arguments: '{}', toolCallId: 'c-1' })
    const [span] = telemetry.trees()
    expect(span).toEqual({
      name: 'execute_tool',
      kind: 'INTERNAL',
      status: 'ERROR',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': `wether${'r'.repeat(121)}…`,
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.call.id': 'c-1',
        'error.type': 'unknown_tool',
        'toolgen.call.status': 'failed',
        'toolgen.call.attempts': 0,
        'toolgen.call.structured': false,
      },
      children: [],
    })
  })

  it('cancelled while it runs', async () => {
    const controller = new AbortController()
    const never = weather(telemetry, () => {
      controller.abort()
      return new Promise((resolve) => setTimeout(resolve, 20))
    })
    await runtime()
      .registerToolset(toolset('local', never))
      .execute(callOf('oslo', 'c-1'), { signal: controller.signal })
    await new Promise((resolve) => setTimeout(resolve, 40))
    expect(telemetry.trees()).toMatchObject([
      { status: 'ERROR', attributes: { 'error.type': 'cancelled', 'toolgen.call.attempts': 1 } },
    ])
  })

  it('retried: one span, its attempts counted, each attempt inside it', async () => {
    let tries = 0
    const flaky = weather(telemetry, () => {
      tries += 1
      if (tries < 3) throw Object.assign(new Error('busy'), { status: 503 })
      return 'sunny'
    }).layer(retry({ attempts: 3, delayMs: () => 1 }))
    await runtime().registerToolset(toolset('local', flaky)).execute(callOf('oslo', 'c-1'))
    const [span] = telemetry.trees()
    expect(span).toMatchObject({
      status: 'UNSET',
      attributes: { 'toolgen.call.status': 'completed', 'toolgen.call.attempts': 3, 'toolgen.call.structured': false },
    })
    expect(shape(span as SpanTree)).toEqual([
      'execute_tool weather',
      'UNSET',
      ['GET /oslo', 'UNSET'],
      ['GET /oslo', 'UNSET'],
      ['GET /oslo', 'UNSET'],
    ])
  })
})
