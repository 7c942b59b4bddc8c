import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it, vi } from 'vitest'
import { modelPlanner } from '../../packages/runtime/src/agents/model-planner.js'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { aiSdkDriver } from '../../packages/runtime/src/ai-sdk.js'
import { anthropicDriver } from '../../packages/runtime/src/anthropic.js'
import { type BoundAgent, Runtime } from '../../packages/runtime/src/index.js'
import type { ChatFields } from '../../packages/runtime/src/types/chat.js'
import type { ModelDriver } from '../../packages/runtime/src/types/planner.js'
import { apis } from './apis.js'
import { type Answer, type Api, apiServer, says } from './scripted-api.js'

function agentOf(driver: ModelDriver, tool = toolOf('orders.getOrder')): BoundAgent {
  return new Runtime().registerAgent(
    { name: 'support', description: 'Answers.' },
    [registrationOf(tool, () => ({ id: 'A-1', total: 1 }))],
    { planner: modelPlanner(driver) },
  )
}

const [, responses, aiSdk, anthropic, gemini] = apis

/** Language model of the AI SDK that answers with these contents, first with the finish reason, then with `stop`. */
function languageModel(contents: readonly (readonly object[])[], finishReason = 'stop') {
  const prompts: { readonly role: string; readonly content: unknown }[][] = []
  const model = {
    specificationVersion: 'v3' as const,
    provider: 'tiny',
    modelId: 'tiny-1',
    supportedUrls: {},
    doGenerate: async ({ prompt }: { readonly prompt: (typeof prompts)[number] }) => {
      const content = contents[prompts.length]
      const unified = prompts.length === 0 ? finishReason : 'stop'
      prompts.push(prompt)
      return { content, finishReason: { unified, raw: unified }, warnings: [] }
    },
    doStream: vi.fn(),
  }
  return { model, prompts }
}

const text = (value: string) => ({ type: 'text', text: value })

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

  it('sends the input of calls that the provider executed as the object that it is', async () => {
    const search = {
      type: 'tool-call',
      toolCallId: 's-1',
      toolName: 'search',
      input: '{"q":"A-1"}',
      providerExecuted: true,
    }
    const found = { type: 'tool-result', toolCallId: 's-1', toolName: 'search', result: ['A-1'] }
    const asks = { type: 'tool-call', toolCallId: 'c-1', toolName: 'orders_getOrder', input: '{"orderId":"A-1"}' }
    const { model, prompts } = languageModel([[search, found, asks], [text('Shipped.')]], 'tool-calls')
    expect(await agentOf(aiSdkDriver(model)).run('Where?')).toMatchObject({ status: 'completed' })
    expect(prompts[1]?.find(({ role }) => role === 'assistant')?.content).toEqual([
      { ...search, input: { q: 'A-1' } },
      { type: 'tool-result', toolCallId: 's-1', toolName: 'search', output: { type: 'json', value: ['A-1'] } },
      { ...asks, input: { orderId: 'A-1' } },
    ])
  })

  it.each([
    ['the last call', [], ['completed', 'failed']],
    ['no call before a text', [text('Half an ans')], ['completed', 'completed']],
  ])('does not execute a call that the token limit cut off before its arguments: %s', async (_, rest, statuses) => {
    // Providers send `{}` for arguments that have not begun.
    const asks = ['c-1', 'c-2'].map((toolCallId) => {
      return { type: 'tool-call', toolCallId, toolName: 'orders_list', input: '{}' }
    })
    const { model } = languageModel([[...asks, ...rest], [text('I see.')]], 'length')
    const list = toolOf('orders.list', { arguments: { type: 'object' } })
    const run = await agentOf(aiSdkDriver(model), list).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I see.' } })
    expect(run.outcomes.map(({ status }) => status)).toEqual(statuses)
  })

  it('repeats a request whose stream ended after an empty text', async () => {
    const begin = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: '' },
    ]
    const rest = [
      { type: 'text-delta', id: '1', delta: 'There.' },
      { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' } },
    ]
    const streams = [begin, [...begin, ...rest]].map((parts) => ReadableStream.from(parts))
    const doStream = vi.fn(async () => ({ stream: streams.shift() as ReadableStream<unknown> }))
    const { model } = languageModel([])
    const running = agentOf(aiSdkDriver({ ...model, doStream }, { retry: { initialMs: 1 } })).run('Where?')
    const deltas: string[] = []
    for await (const part of running.parts()) if (part.kind === 'delta') deltas.push(part.delta.text)
    expect(await running).toMatchObject({ status: 'completed', result: { text: 'There.' } })
    expect(deltas).toEqual(['There.'])
    expect(doStream).toHaveBeenCalledTimes(2)
  })

  it.each([
    ['while the response streams', ['stream-start']],
    ['before the response', []],
  ])('cancels the stream of a model that ignores the signal of a cancelled run: %s', async (_, types) => {
    const cancel = vi.fn()
    const controller = new AbortController()
    const stream = new ReadableStream({
      start: (parts) => types.forEach((type) => void parts.enqueue({ type, warnings: [] })),
      cancel,
    })
    const doStream = async () => {
      if (types.length === 0) controller.abort('enough')
      else setImmediate(() => controller.abort('enough'))
      return { stream }
    }
    const { model } = languageModel([])
    const driver = aiSdkDriver({ ...model, doStream }, { stream: true })
    expect(await agentOf(driver).run('Where?', { signal: controller.signal })).toMatchObject({ status: 'cancelled' })
    await expect.poll(() => cancel).toHaveBeenCalledOnce()
  })

  const hosted = 'https://files.example/v1/7f'
  it.each([
    ['image/*', 'https://shop.example/a.PNG?size=1', 'image/png'],
    ['image/png', 'https://shop.example/a.png', 'image/png'],
    ['image/png', 'https://shop.example/a.gif', undefined],
    ['*', hosted, 'image/jpeg'],
    ['*/*', hosted, 'image/jpeg'],
    ['audio/*', hosted, undefined],
  ])('sends an image by its address to a model that loads %s from the web: %s', async (type, url, mediaType) => {
    const { model, prompts } = languageModel([[text('A mug.')]])
    const supportedUrls = { [type]: [/^https:/] }
    const content = [{ type: 'image_url' as const, image_url: { url } }]
    const run = await agentOf(aiSdkDriver({ ...model, supportedUrls })).run([{ role: 'user', content }])
    expect(prompts.at(0)?.at(-1)?.content).toEqual(mediaType && [{ type: 'file', mediaType, data: new URL(url) }])
    if (mediaType === undefined) expect(run.error).toMatchObject({ message: expect.stringContaining('web addresses') })
  })
})

const choice = { mode: 'auto', tools: [{ type: 'function', function: { name: 'orders_getOrder' } }] }

describe('fields of a run', () => {
  /** Returns the request body, and the warnings of the driver. */
  async function sent(api: Api | undefined, fields: ChatFields) {
    if (api === undefined) throw new Error('no API')
    const server = await apiServer(api, says('Hi.'))
    const { warnings = [] } = await api.driver(server.baseURL, { stream: false, retry: {} }).ask({
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ ...toolOf('orders.getOrder').spec, provider: 'service', qualifiedId: 'service.orders.getOrder' }],
      meta: { runId: 'r', agent: 'a', labels: {}, signal: new AbortController().signal },
      fields,
    })
    return { body: server.bodies[0], warnings }
  }

  it.each([responses, aiSdk, anthropic, gemini])('that are null have the default of the driver: $name', async (api) => {
    const fields = { temperature: null, top_p: null, stop: null, seed: null, max_tokens: null, tool_choice: null }
    expect(await sent(api, fields)).toEqual({ ...(await sent(api, {})), warnings: [] })
  })

  it.each([
    [
      responses,
      { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'orders_getOrder' }] } },
    ],
    [
      gemini,
      { toolConfig: { functionCallingConfig: { mode: 'VALIDATED', allowedFunctionNames: ['orders_getOrder'] } } },
    ],
    [
      gemini,
      { toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['orders_getOrder'] } } },
      'required',
    ],
  ])('limit the tools: $name', async (api, expected, mode = 'auto') => {
    const { body, warnings } = await sent(api, {
      tool_choice: { type: 'allowed_tools', allowed_tools: { ...choice, mode } },
    })
    expect(body).toMatchObject(expected)
    expect(warnings).toEqual([])
  })

  it.each([aiSdk, anthropic])('cannot limit the tools: $name', async (api) => {
    const { body, warnings } = await sent(api, { tool_choice: { type: 'allowed_tools', allowed_tools: choice } })
    expect(body).toEqual((await sent(api, {})).body)
    expect(warnings).toEqual([expect.stringMatching(/does not send the field `tool_choice`/)])
  })

  it('that forbid calls contain no limit of parallel calls', async () => {
    const { body } = await sent(anthropic, { tool_choice: 'none', parallel_tool_calls: false })
    expect(body?.tool_choice).toEqual({ type: 'none' })
  })
})

describe('arguments that are not as expected', () => {
  const call = { id: 'c-1', name: 'orders_list', arguments: '{"orderId":"A-1"}' }
  /** Answers with the call, after a change of the JSON of the response. */
  const sends =
    (change: (json: string) => string): Answer =>
    (response, { api }) => {
      const json = change(JSON.stringify(api.whole({ calls: [call] })))
      response.writeHead(200, { 'content-type': 'application/json' }).end(json)
    }
  /** Returns the arguments with which a tool without required fields was executed, and the run. */
  async function executed(api: Api | undefined, answer: Answer) {
    if (api === undefined) throw new Error('no API')
    const server = await apiServer(api, answer, says('I see.'))
    const received: unknown[] = []
    const list = toolOf('orders.list', { arguments: { type: 'object' }, result: { type: 'object' } })
    const registration = registrationOf(list, async (request) => {
      received.push(await request.json())
      return {}
    })
    const planner = modelPlanner(api.driver(server.baseURL, { stream: false, retry: {} }))
    const run = await new Runtime().registerAgent({ name: 'a', description: '' }, [registration], { planner }).run('Hi')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I see.' } })
    return { received, run }
  }

  it.each([anthropic, gemini])('do not become empty if they are nested too deeply: $name', async (api) => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const { received, run } = await executed(
      api,
      sends((json) => json.replace('"A-1"', deep)),
    )
    expect(received).toEqual([])
    expect(run.outcomes).toMatchObject([{ status: 'failed', error: { reason: 'invalid_arguments' } }])
  })

  it('may be empty if the token limit cut off a text after the call', async () => {
    const { received } = await executed(anthropic, (response, { api }) => {
      const calls = [{ ...call, arguments: '{}' }]
      const whole = Object(api.whole({ text: 'And n', calls, finish: 'length' }))
      const json = JSON.stringify({ ...whole, content: [...whole.content].reverse() })
      response.writeHead(200, { 'content-type': 'application/json' }).end(json)
    })
    expect(received).toEqual(['{}'])
  })

  it('do not become empty if a server with the Responses API parsed them', async () => {
    const { received } = await executed(
      responses,
      sends((json) => json.replace(JSON.stringify(call.arguments), call.arguments)),
    )
    expect(received).toEqual(['{"orderId":"A-1"}'])
  })
})

describe.each([responses, aiSdk, anthropic, gemini])('messages that drivers cannot convert', (api) => {
  it.each([
    ['function_call', { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }],
    [
      'malformed data URLs',
      { role: 'user', content: [{ type: 'file', file: { file_data: 'data:text/csv;base64,*' } }] },
    ],
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
