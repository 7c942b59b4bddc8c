import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it, vi } from 'vitest'
import { modelPlanner } from '../../packages/runtime/src/agents/model-planner.js'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { aiSdkDriver } from '../../packages/runtime/src/ai-sdk.js'
import { anthropicDriver } from '../../packages/runtime/src/anthropic.js'
import { type BoundAgent, Runtime } from '../../packages/runtime/src/index.js'
import type { ModelDriver } from '../../packages/runtime/src/types/planner.js'
import { apis } from './apis.js'
import { apiServer, says } from './scripted-api.js'

function agentOf(driver: ModelDriver): BoundAgent {
  return new Runtime().registerAgent(
    { name: 'support', description: 'Answers.' },
    [registrationOf(toolOf('orders.getOrder'), () => ({ id: 'A-1', total: 1 }))],
    { planner: modelPlanner(driver) },
  )
}

const [, responses, aiSdk, anthropic, gemini] = apis

describe('anthropicDriver', () => {
  it('reports a client without an API key', async () => {
    const client = new Anthropic({ apiKey: null, authToken: null, baseURL: 'http://127.0.0.1:9' })
    const run = await agentOf(anthropicDriver({ client, model: 'tiny-1' })).run('Hi')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'denied' } })
    expect(run.error?.cause).toHaveProperty('message', expect.stringContaining('Set `ANTHROPIC_API_KEY`'))
  })

  it('sends fields of a run that the API has, and warns of the others', async () => {
    if (anthropic === undefined) throw new Error('no API')
    const server = await apiServer(anthropic, says('Hi.'))
    const driver = anthropic.driver(server.baseURL, { stream: false, retry: {} })
    const meta = { runId: 'r', agent: 'a', labels: {}, signal: new AbortController().signal }
    const { warnings } = await driver.ask({
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ ...toolOf('orders.getOrder').spec, provider: 'service', qualifiedId: 'service.orders.getOrder' }],
      meta,
      fields: { temperature: 1, stop: 'END', seed: 3, tool_choice: 'required', parallel_tool_calls: false },
    })
    expect(server.bodies[0]).toMatchObject({
      temperature: 1,
      stop_sequences: ['END'],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    })
    expect(warnings).toEqual(["The driver 'anthropic' does not send the field `seed`."])
  })

  it('marks tools, instructions and the last message for the cache', async () => {
    if (anthropic === undefined) throw new Error('no API')
    const server = await apiServer(anthropic, says('Hi.'))
    await agentOf(anthropic.driver(server.baseURL, { stream: false, retry: {} })).run({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
    })
    const cache_control = { type: 'ephemeral', ttl: '5m' }
    expect(server.bodies[0]).toMatchObject({
      tools: [{ cache_control }],
      system: [{ cache_control }],
      messages: [{ content: [{ cache_control }] }],
    })
  })
})

describe('aiSdkDriver', () => {
  it.each([undefined, null, 'openai/gpt-5.2', { specificationVersion: 'v1' }])('rejects %j', (model) => {
    expect(() => Reflect.apply(aiSdkDriver, undefined, [model])).toThrow(/^aiSdkDriver expects a language model/)
  })

  it('ends the run if the provider reports that the model has no tools', async () => {
    const warnings = [{ type: 'unsupported', feature: 'tools', details: 'Text only.' }]
    const doGenerate = vi.fn(async () => ({ content: [{ type: 'text', text: 'Hi' }], finishReason: 'stop', warnings }))
    const model = {
      specificationVersion: 'v4' as const,
      provider: 'tiny',
      modelId: 'tiny-1',
      supportedUrls: {},
      doGenerate,
      doStream: vi.fn(),
    }
    const run = await agentOf(aiSdkDriver(model)).run('Hi')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'domain_rejection' } })
    expect(run.error?.cause).toHaveProperty('message', expect.stringContaining('The model does not support tools'))
    expect(doGenerate).toHaveBeenCalledOnce()
  })
})

describe.each([responses, aiSdk, anthropic, gemini])('messages that only chat completions have', (api) => {
  it.each([
    ['function_call', { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }],
    ['ids of uploaded files', { role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }],
  ] as const)('are rejected with the reason: %s', async (_, message) => {
    if (api === undefined) throw new Error('no API')
    const server = await apiServer(api)
    const driver = api.driver(server.baseURL, { stream: false, retry: {} })
    const run = await agentOf(driver).run({ messages: [JSON.parse(JSON.stringify(message))] })
    expect(run.status).toBe('failed')
    expect(run.error?.cause).toHaveProperty('message', expect.stringMatching(/cannot send message 0/))
    expect(server.bodies).toEqual([])
  })
})
