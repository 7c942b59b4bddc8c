import { afterEach, describe, expect, it, vi } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { type Agent, useMessageCompiler, useModel } from '../../packages/runtime/src/agents.js'
import { type BoundAgent, Runtime } from '../../packages/runtime/src/index.js'
import { base, openAiDriver, standard } from '../../packages/runtime/src/openai.js'
import { driverOf } from './model-agent.fixture.js'
import { asks, call, KEY, modelServer, says } from './model-server.fixture.js'

const words = [{ role: 'user', content: 'Where is it?' }] as const
const asked = call('call_a', 'orders_getOrder', { orderId: 'A-1', quantity: null, status: null })

function bound(agent: Agent): BoundAgent {
  const registration = registrationOf(toolOf('orders.getOrder'), () => ({ id: 'A-1', total: 1 }))
  return new Runtime().registerAgent({ name: 'support', description: 'Answers customers.' }, [registration], { agent })
}

describe('the fields of a run', () => {
  it('go into each request unchanged, before those of the agent, of the driver and of the extra body', async () => {
    const server = await modelServer(asks(asked), says('There.'))
    const driver = driverOf(server, {
      driver: { temperature: 0, seed: 1, top_p: 0.5, extraBody: { top_k: 3, min_p: 1, seed: 9, model: 'other' } },
    })
    const agent = bound(
      base(driver)
        .with(useModel(driver, { seed: 2, metadata: { of: 'agent' }, top_p: 0.7 }))
        .build(),
    )
    const fields = { model: 'tiny-9', temperature: 1, top_k: 4, odd: [null, { deep: 1 }], metadata: { of: 'run' } }
    await agent.run({ messages: words, ...fields })
    expect(server.bodies).toHaveLength(2)
    for (const body of server.bodies) {
      const { messages: _, tools: _tools, ...others } = body
      expect(others).toEqual({ ...fields, seed: 2, top_p: 0.7, min_p: 1 })
    }
    expect(server.bodies[0]?.messages).toEqual(words)
  })

  it('leave to the driver how its answer comes', async () => {
    const server = await modelServer(says('There.'), says('There.'))
    const raw = { messages: words, stream: true, n: 3, stream_options: { include_usage: false } }
    const run = await bound(base(driverOf(server)).build()).run(raw)
    expect(run.result).toEqual({ text: 'There.' })
    await bound(base(driverOf(server, { driver: { stream: true } })).build()).run({ ...raw, stream: false })
    const own = server.bodies.map(({ stream, n, stream_options }) => ({ stream, n, stream_options }))
    expect(own).toEqual([{}, { stream: true, stream_options: { include_usage: true } }])
  })

  it('may bring tools, in front of those of the agent; a call of one is answered as that of an unknown tool', async () => {
    const search = { type: 'function', function: { name: 'search', parameters: { type: 'object' } } }
    const server = await modelServer(asks(call('call_s', 'search', {})), says('There.'))
    const run = await bound(base(driverOf(server)).build()).run({
      messages: words,
      tools: [search],
      tool_choice: 'auto',
    })
    expect(server.bodies[0]?.tools).toMatchObject([search, { function: { name: 'orders_getOrder' } }])
    expect(server.bodies[0]?.tool_choice).toBe('auto')
    expect(run.outcomes).toMatchObject([{ status: 'failed', error: { reason: 'unknown_tool' } }])
    const wrong = await bound(base(driverOf(server)).build()).run({ messages: words, tools: 'all' })
    expect(String(wrong.error?.cause)).toContain('`tools` of the chat request must be an array')
  })

  it('bring no tools to a model that may call nothing', async () => {
    const server = await modelServer(says('There.'))
    const agent = new Runtime().registerAgent({ name: 'a', description: '' }, [], {
      agent: base(driverOf(server)).build(),
    })
    await agent.run({ messages: words, tools: [{}], tool_choice: 'auto', parallel_tool_calls: true })
    expect(Object.keys(server.bodies[0] ?? {}).sort()).toEqual(['messages', 'model'])
  })
})

describe('a message compiler over chat completions', () => {
  it('makes what is sent; ids that are lacking are made by the place in the whole conversation', async () => {
    const nameless = { type: 'function', function: asked.function }
    const server = await modelServer(asks(nameless), asks(nameless), says('There.'))
    const compiler = useMessageCompiler(({ trace }) => [...words, ...trace.slice(-2)])
    const run = await bound(base(driverOf(server)).with(compiler).build()).run([...words, ...words])
    expect(server.bodies.map(({ messages }) => messages.length)).toEqual([1, 3, 3])
    const ids = run.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
    expect(ids).toEqual(['call_2_0', 'call_4_0'])
  })

  it('runs once for a question, however often that is sent', async () => {
    const server = await modelServer((response) => void response.writeHead(503).end(), says('There.'))
    let compiled = 0
    const compiler = useMessageCompiler(({ conversation }) => {
      compiled += 1
      return conversation
    })
    expect((await bound(base(driverOf(server)).with(compiler).build()).run(words)).status).toBe('completed')
    expect([server.bodies.length, compiled]).toEqual([2, 1])
  })
})

describe('builders over chat completions', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('take a driver, or the options of one', async () => {
    const server = await modelServer(says('One.'), says('Two.'))
    const client = server.client()
    const ofDriver = base(openAiDriver({ client, model: 'tiny-1' })).build()
    const ofOptions = base({ client, model: 'tiny-2', temperature: 0 }).build()
    expect((await bound(ofDriver).run('?')).result).toEqual({ text: 'One.' })
    expect((await bound(ofOptions).run('?')).result).toEqual({ text: 'Two.' })
    expect(server.bodies).toMatchObject([{ model: 'tiny-1' }, { model: 'tiny-2', temperature: 0 }])
    expect([ofOptions.policy, standard({ client, model: 'tiny-1' }).build().policy]).toEqual([
      {},
      { maxTurns: 20, maxTokens: 32_768, timeBudgetMs: 300_000 },
    ])
  })

  it('make a client of the environment where none is given', async () => {
    const server = await modelServer(says('There.'))
    vi.stubEnv('OPENAI_BASE_URL', server.baseURL)
    vi.stubEnv('OPENAI_API_KEY', KEY)
    expect((await bound(standard({ model: 'tiny-1' }).build()).run('?')).result).toEqual({ text: 'There.' })
    expect(server.headers[0]?.authorization).toBe(`Bearer ${KEY}`)
  })
})
