import { describe, expect, it } from 'vitest'
import type { AgentRun } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat/history.js'
import { agentOf } from './model-agent.fixture.js'
import { asks, call, modelServer, says } from './model-server.fixture.js'

const usage = { prompt_tokens: 100, completion_tokens: 10 }

const getOrderTool = {
  type: 'function',
  function: {
    name: 'orders_getOrder',
    description: 'The tool getOrder.',
    strict: true,
    parameters: {
      type: 'object',
      properties: {
        orderId: { type: 'string', description: 'Order number as printed on the invoice. At least 1 character.' },
        quantity: { type: ['integer', 'null'], minimum: 1, maximum: 100, description: 'Default: 1.' },
        status: { type: ['string', 'null'], enum: ['open', 'shipped', null] },
      },
      required: ['orderId', 'quantity', 'status'],
      additionalProperties: false,
    },
  },
}

const opening = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Where is it?' },
]

/** The texts of the answers to calls, in their order. */
function toldOf(run: AgentRun): readonly unknown[] {
  return run.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []))
}

describe('a run over a model', () => {
  it('sends the messages of the run, strict tools, and all other fields unchanged', async () => {
    const server = await modelServer(says('There.'))
    const fields = {
      temperature: 0,
      seed: 7,
      tool_choice: 'auto',
      parallel_tool_calls: false,
      max_completion_tokens: 50,
      stop: '###',
      metadata: { a: 'b' },
      reasoning_effort: 'low',
    } as const
    const run = await agentOf(server, { driver: { ...fields, extraBody: { top_k: 3 } } }).run('Where is it?')
    expect(run.result).toEqual({ text: 'There.' })
    const { tools, ...body }: Readonly<Record<string, unknown>> = server.bodies[0] ?? {}
    expect(body).toEqual({ ...fields, top_k: 3, model: 'tiny-1', messages: opening })
    const [first, second, third] = Array.isArray(tools) ? tools : []
    expect(first).toEqual(getOrderTool)
    expect(second).toMatchObject({ function: { name: 'orders_note', strict: true } })
    expect(third).toMatchObject({ function: { name: 'orders_label', strict: false } })
    expect(server.headers[0]?.['x-stainless-retry-count']).toBe('0')
  })

  it('sends schemas as they are where strict mode is not wanted', async () => {
    const server = await modelServer(says('There.'))
    await agentOf(server, { driver: { strict: false } }).run('Where is it?')
    expect(server.bodies[0]?.tools).toMatchObject([
      { function: { strict: false, parameters: { required: ['orderId'], properties: { quantity: { default: 1 } } } } },
      { function: { strict: false } },
      { function: { strict: false } },
    ])
  })

  it('keeps the messages of a conversation with all their fields', async () => {
    const conversation = [
      { role: 'developer' as const, content: 'Be kind.', 'x-cache': true },
      { role: 'user' as const, name: 'ann', content: [{ type: 'text' as const, text: 'Hello', ttl: 5 }] },
    ]
    const server = await modelServer(says('Hi.'))
    await agentOf(server).run(conversation)
    expect(server.bodies[0]?.messages).toEqual(conversation)
  })

  it.each([false, true])('goes on with what the calls answered, streamed: %s', async (stream) => {
    const asked = call('call_a', 'orders_getOrder', '{"orderId": "A-1", "quantity":null,"status":null}')
    const server = await modelServer(
      says({ content: 'I look it up.', reasoning_content: 'hm', tool_calls: [asked] }, { finish: 'tool_calls', usage }),
      says('It is here.', { usage: { prompt_tokens: 150, completion_tokens: 5 } }),
    )
    const run = await agentOf(server, { driver: { stream } }).run('Where is it?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'It is here.' } })
    expect(run.usage).toMatchObject({ turns: 2, toolCalls: 1, promptTokens: 250, completionTokens: 15 })
    // The model's own text stays in the conversation; the tool was called without the nulls of strict mode.
    const answered = { role: 'tool', tool_call_id: 'call_a', content: '{"id":"{\\"orderId\\":\\"A-1\\"}","total":1}' }
    const said = { role: 'assistant', content: 'I look it up.', refusal: null, reasoning_content: 'hm' }
    const messages = [...opening, { ...said, tool_calls: [asked] }, answered]
    expect(server.bodies[1]?.messages).toEqual(messages)
    expect(run.messages).toEqual([...messages, { role: 'assistant', content: 'It is here.', refusal: null }])
    expect(validateHistory(run.messages)).toEqual([])
    expect(server.bodies[0]?.stream_options).toEqual(stream ? { include_usage: true } : undefined)
  })

  it('keeps null where the tool takes it', async () => {
    const asked = call('call_n', 'orders_note', { text: null, tags: null })
    const server = await modelServer(asks(asked), says('Noted.'))
    const seen: string[] = []
    await agentOf(server, {
      execute: async (request) => {
        seen.push(await request.json())
        return {}
      },
    }).run('Note nothing.')
    expect(seen).toEqual(['{"text":null}'])
  })

  it.each([false, true])('runs the calls of one message side by side, streamed: %s', async (stream) => {
    const ids = ['A-1', 'A-2', 'A-3']
    const server = await modelServer(
      asks(
        ...ids.map((orderId, at) => call(`call_${at}`, 'orders_getOrder', { orderId, quantity: null, status: null })),
      ),
      says('All here.'),
    )
    let running = 0
    let most = 0
    const run = await agentOf(server, {
      driver: { stream },
      execute: async (request) => {
        const { orderId } = JSON.parse(await request.json())
        running += 1
        most = Math.max(most, running)
        // The first call takes the longest.
        await new Promise((resolve) => setTimeout(resolve, 60 - 20 * ids.indexOf(orderId)))
        running -= 1
        return { id: orderId, total: 1 }
      },
    }).run('Where are they?')
    expect(most).toBe(3)
    expect(toldOf(run)).toEqual(ids.map((id) => `{"id":"${id}","total":1}`))
    expect(server.bodies[1]?.messages.slice(3).map((message) => message.tool_call_id)).toEqual([
      'call_0',
      'call_1',
      'call_2',
    ])
  })

  it('has the same messages streamed and whole', async () => {
    const script = [
      says({
        content: 'Äöü 🙂 first',
        tool_calls: [call('a', 'orders_getOrder', '{"orderId":"é"}'), call('b', 'nope', '{')],
      }),
      asks(call('c', 'orders_label', '{"x":"y"}')),
      says({ content: 'Done.' }, { usage }),
    ]
    const runs = [false, true].map(async (stream) =>
      agentOf(await modelServer(...script), { driver: { stream } }).run('Go'),
    )
    const [whole, streamed] = await Promise.all(runs)
    expect(streamed?.messages).toEqual(whole?.messages)
    expect(whole?.messages).toHaveLength(8)
  })

  it('reports each part of a stream and its run, whatever the listener does', async () => {
    const server = await modelServer(says('It is here.'))
    const heard: unknown[] = []
    const run = await agentOf(server, {
      driver: {
        stream: true,
        onDelta: ({ content }, { runId }) => {
          heard.push([content, runId])
          throw new Error('deaf')
        },
      },
    }).run('Where is it?')
    expect(run.status).toBe('completed')
    expect(heard.map((each) => Object(each)[0])).toEqual([null, 'It is', ' here', '.', undefined])
    expect(heard.every((each) => Object(each)[1] === run.runId)).toBe(true)
  })

  it('sends no tools and no fields about tools where nothing may be called', async () => {
    const server = await modelServer(asks(call('a', 'orders_getOrder', '{}')), says('Which order?'))
    const run = await agentOf(server, {
      driver: { tool_choice: 'auto', parallel_tool_calls: true, temperature: 1 },
      policy: { onMissingFields: 'finalize' },
    }).run('Where is it?')
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'missing_fields' },
      result: { text: 'Which order?' },
    })
    expect(Object.keys(server.bodies[0] ?? {})).toContain('tool_choice')
    expect(Object.keys(server.bodies[1] ?? {}).toSorted()).toEqual(['messages', 'model', 'temperature'])
  })

  it('takes a refusal for an answer', async () => {
    const server = await modelServer(says({ content: null, refusal: 'I will not.' }))
    const run = await agentOf(server).run('Do it.')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I will not.' } })
    expect(run.messages.at(-1)).toMatchObject({ content: null, refusal: 'I will not.' })
  })
})
