import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Runtime, toolset } from '@toolgen/runtime'
import { type ModelDriver, modelPlanner, type Planner, useHook, wrapMessageCompiler } from '@toolgen/runtime/agents'
import { aiSdkDriver } from '@toolgen/runtime/ai-sdk'
import { RuntimeMetrics } from '@toolgen/runtime/metrics'
import { base, openAiDriver } from '@toolgen/runtime/openai'
import { otelTracer } from '@toolgen/runtime/otel'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { followContext, type RecordedTelemetry, recordTelemetry, type SpanTree } from './recorded-telemetry.js'
import { shape, weather } from './weather.js'

let telemetry: RecordedTelemetry
let unfollow: () => void
beforeAll(() => {
  unfollow = followContext()
})
afterAll(() => unfollow())
beforeEach(() => {
  telemetry = recordTelemetry()
})

const agent = { name: 'helper', description: 'Helps.', instructions: 'Be brief.' }

function helperOf(driver: ModelDriver, options: { readonly captureContent?: boolean } = {}) {
  const runtime = new Runtime({ tracer: otelTracer({ ...telemetry, ...options }) })
  return runtime.registerAgent(agent, [toolset('local', weather(telemetry))], { planner: modelPlanner(driver) })
}

/** The spans of requests to models, in order. */
function requestsIn(trees: readonly SpanTree[]): readonly SpanTree[] {
  return trees.flatMap((tree) => [...(tree.name.startsWith('chat') ? [tree] : []), ...requestsIn(tree.children)])
}

const oslo = calls({ tool: 'weather', arguments: { city: 'oslo' } })

describe('requests to models', () => {
  it('have spans in their run, beside the calls, and without content', async () => {
    const run = await helperOf(scriptedModel([oslo, says('Cold.')])).run('How warm is it?', { sessionId: 's-1' })
    expect(run.status).toBe('completed')
    const trees = telemetry.trees()
    expect(trees.map(shape)).toEqual([
      [
        ...['invoke_agent helper', 'UNSET'],
        ['chat', 'UNSET'],
        ['execute_tool weather', 'UNSET', ['GET /oslo', 'UNSET']],
        ['chat', 'UNSET'],
      ],
    ])
    const [first] = requestsIn(trees)
    expect(first).toMatchObject({
      kind: 'CLIENT',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'scripted',
        'gen_ai.agent.name': 'helper',
        'gen_ai.conversation.id': 's-1',
        'toolgen.run.id': run.runId,
        'gen_ai.tool.definitions': '[{"type":"function","name":"weather"}]',
      },
    })
    expect(JSON.stringify(requestsIn(trees))).not.toMatch(/warm|oslo|brief|Cold/)
  })

  it('are measured with their tokens', async () => {
    const usage = { promptTokens: 30, completionTokens: 4, cachedPromptTokens: 20, reasoningTokens: 2 }
    const scripted = scriptedModel([says('Cold.')])
    const driver: ModelDriver = {
      ...{ name: 'own', provider: 'acme', model: 'tiny-1' },
      ask: async (request) => ({ ...(await scripted.ask(request)), usage, model: 'tiny-1-2026' }),
    }
    await helperOf(driver).run('How warm is it?')
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'acme',
      'gen_ai.request.model': 'tiny-1',
      'gen_ai.response.model': 'tiny-1-2026',
    }
    const counted = async (end: string) => telemetry.points(`gen_ai.client.inference.usage.${end}`)
    expect(await counted('input_tokens')).toEqual([{ attributes, value: 30 }])
    expect(await counted('output_tokens')).toEqual([{ attributes, value: 4 }])
    expect(await counted('cache_read.input_tokens')).toEqual([{ attributes, value: 20 }])
    expect(await counted('cache_write.input_tokens')).toEqual([])
    expect(await counted('reasoning.output_tokens')).toEqual([{ attributes, value: 2 }])
    const durations = await telemetry.points('gen_ai.client.inference.duration')
    expect(durations).toEqual([{ attributes, value: { count: 1, sum: expect.any(Number) } }])
    expect(requestsIn(telemetry.trees())).toMatchObject([{ name: 'chat tiny-1', status: 'UNSET' }])
  })

  it('with a hook, a compiler and other fields name the model that is asked', async () => {
    const asked: unknown[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      asked.push(JSON.parse(String(Buffer.concat(chunks))).model)
      const message = { role: 'assistant', content: 'Cold.' }
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({ id: 'c', model: 'tiny-2', choices: [{ index: 0, message, finish_reason: 'stop' }] }),
      )
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const driver = openAiDriver({ client: new OpenAI({ baseURL, apiKey: 'key' }), model: 'tiny-1' })
      const built = base(driver)
        .with(wrapMessageCompiler((next) => next))
        .with(useHook('beforeModel', () => undefined))
        .build()
      const runtime = new Runtime({ tracer: otelTracer(telemetry) })
      const helper = runtime.registerAgent(agent, [toolset('local', weather(telemetry))], { agent: built })
      await helper.run('How warm is it?')
      await helper.run({ messages: [{ role: 'user', content: 'And now?' }], model: 'tiny-2', temperature: 0.5 })
      expect(requestsIn(telemetry.trees())).toMatchObject([
        { name: 'chat tiny-1', attributes: { 'gen_ai.provider.name': 'openai', 'gen_ai.response.model': 'tiny-2' } },
        { name: 'chat tiny-2', attributes: { 'gen_ai.request.temperature': 0.5 } },
      ])
      expect(asked).toEqual(['tiny-1', 'tiny-2'])
    } finally {
      server.close()
    }
  })

  it('record the id of the response and, if it is streamed, the time to its first chunk', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      const finishReason = { unified: 'stop', raw: 'stop' }
      const model = {
        ...{ specificationVersion: 'v3', provider: 'openai', modelId: 'tiny-1', supportedUrls: {} },
        doGenerate: async () => ({
          ...{ content: [{ type: 'text', text: 'Cold.' }], finishReason, warnings: [] },
          response: { id: 'r-1' },
        }),
        doStream: async () => ({
          stream: new ReadableStream({
            start(stream) {
              stream.enqueue({ type: 'stream-start', warnings: [] })
              vi.advanceTimersByTime(250)
              stream.enqueue({ type: 'response-metadata', id: 'r-2' })
              stream.enqueue({ type: 'text-start', id: '1' })
              stream.enqueue({ type: 'text-delta', id: '1', delta: 'Cold.' })
              stream.enqueue({ type: 'finish', finishReason, usage: {} })
              stream.close()
            },
          }),
        }),
      } as unknown as Parameters<typeof aiSdkDriver>[0]
      await helperOf(aiSdkDriver(model)).run('How warm is it?')
      await helperOf(aiSdkDriver(model, { stream: true })).run('How warm is it?')
    } finally {
      vi.useRealTimers()
    }
    const recorded = requestsIn(telemetry.trees()).map(({ attributes }) => [
      attributes['gen_ai.response.id'],
      attributes['gen_ai.response.time_to_first_chunk'],
    ])
    expect(recorded).toEqual([
      ['r-1', undefined],
      ['r-2', 0.25],
    ])
  })

  it('fail with the reason of their error', async () => {
    const run = await helperOf(scriptedModel([Object.assign(new Error('secret'), { status: 429 })])).run('How warm?')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'rate_limited' } })
    expect(requestsIn(telemetry.trees())).toMatchObject([
      { status: 'ERROR', attributes: { 'error.type': 'rate_limited' } },
    ])
    expect(JSON.stringify(telemetry.trees())).not.toContain('secret')
    expect(await telemetry.points('gen_ai.client.inference.duration')).toMatchObject([
      { attributes: { 'error.type': 'rate_limited' }, value: { count: 1 } },
    ])
  })

  it('are recorded by planners of the application, and through RuntimeMetrics', async () => {
    const model = scriptedModel([says('Cold.')])
    const planner: Planner = async ({ messages, tools, meta, traceModel }) => {
      const request = { messages, tools, meta }
      const ask = () => model.ask(request)
      const response = await (traceModel?.({ provider: 'acme', model: 'own-1', request }, ask) ?? ask())
      return { kind: 'answer', text: String(response.message.content) }
    }
    const runtime = new Runtime({ tracer: new RuntimeMetrics({ tracer: otelTracer(telemetry) }) })
    const helper = runtime.registerAgent(agent, [toolset('local', weather(telemetry))], { planner })
    expect((await helper.run('How warm is it?')).result).toEqual({ text: 'Cold.' })
    expect(requestsIn(telemetry.trees())).toMatchObject([{ name: 'chat own-1' }])
  })

  it('a tracer that fails does not change the run', async () => {
    const fail = (): never => {
      throw new Error('broken')
    }
    const tracer = { call: fail, run: fail, model: fail, traceContext: fail }
    const helper = new Runtime({ tracer }).registerAgent(agent, [toolset('local', weather(telemetry))], {
      planner: modelPlanner(scriptedModel([oslo, says('Cold.')])),
    })
    expect(await helper.run('How warm is it?')).toMatchObject({ status: 'completed', result: { text: 'Cold.' } })
  })
})

describe('the content of requests', () => {
  it('is described without the data of images, and long texts are shortened', async () => {
    const image = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${'A'.repeat(1_000)}` } }
    const linked = { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } }
    const text = { type: 'text' as const, text: 'x'.repeat(20_000) }
    const helper = helperOf(scriptedModel([says('Fine.')]), { captureContent: true })
    await helper.run([{ role: 'user', content: [text, image, linked] }])
    const [request] = requestsIn(telemetry.trees())
    const input = JSON.parse(String(request?.attributes['gen_ai.input.messages']))
    expect(input).toEqual([
      {
        role: 'user',
        parts: [
          { type: 'text', content: `${'x'.repeat(8_191)}…` },
          { type: 'image_url', size_chars: 1_022 },
          { type: 'uri', modality: 'image', uri: 'https://example.com/a.png' },
        ],
      },
    ])
    expect(request?.attributes['gen_ai.output.messages']).toBe(
      '[{"role":"assistant","parts":[{"type":"text","content":"Fine."}],"finish_reason":"stop"}]',
    )
  })

  it('of a long conversation are its last messages', async () => {
    const messages = Array.from({ length: 40 }, (_, index) => {
      return { role: 'user' as const, content: `${index} ${'y'.repeat(5_000)}` }
    })
    await helperOf(scriptedModel([says('Fine.')]), { captureContent: true }).run(messages)
    const [request] = requestsIn(telemetry.trees())
    const sent = String(request?.attributes['gen_ai.input.messages'])
    const kept = JSON.parse(sent)
    expect(sent.length).toBeLessThan(66_000)
    expect(kept.at(-1).parts[0].content).toMatch(/^39 /)
    expect(request?.attributes['toolgen.model.omitted_messages']).toBe(40 - kept.length)
  })
})
