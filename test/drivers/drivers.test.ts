import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ModelPlannerOptions, modelPlanner } from '../../packages/runtime/src/agents/model-planner.js'
import { executorOf, toolOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { validateHistory } from '../../packages/runtime/src/chat/history.js'
import {
  type ApprovalDecision,
  approval,
  type BoundAgent,
  Runtime,
  runConfig,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import { openCassette } from '../../packages/runtime/src/testing.js'
import type { ChatMessage } from '../../packages/runtime/src/types/chat.js'
import type { ModelDelta, ModelDriver, ModelResponse } from '../../packages/runtime/src/types/planner.js'
import { freePort } from '../../scripts/lib/free-port.mjs'
import { apis, features } from './apis.js'
import {
  type Answer,
  type Api,
  apiServer,
  breaks,
  endsAtOnce,
  endsInCall,
  hangs,
  hangsInTheMiddle,
  reportsError,
  says,
  sendsEventsAsJson,
  sendsHalfJson,
  sendsJson,
  sendsNothing,
  status,
  USAGE,
} from './scripted-api.js'

const call = (id: string, args: object | string = { orderId: 'A-1' }, name = 'orders_getOrder') => {
  return { id, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }
}

const asks = (...calls: readonly ReturnType<typeof call>[]): Answer => says({ calls })

const THOUGHT = 'The customer asks about one order.'

/** Driver of an API for a server with the given answers, and the agent that uses it. */
async function setUp(api: Api, stream: boolean, answers: readonly Answer[], options: ModelPlannerOptions = {}) {
  const server = await apiServer(api, ...answers)
  const deltas: object[] = []
  const responses: ModelResponse[] = []
  const own = api.driver(server.baseURL, {
    stream,
    retry: { initialMs: 1 },
    onDelta: (delta) => void deltas.push(delta),
  })
  const driver: ModelDriver = {
    name: own.name,
    ask: async (request) => {
      const response = await own.ask(request)
      responses.push(response)
      return response
    },
  }
  return { server, deltas, responses, driver, agent: agentOf(driver, options) }
}

function agentOf(driver: ModelDriver, options: ModelPlannerOptions = {}): BoundAgent {
  const spec = { confirmation: { prompt: 'Really?' } }
  const list = toolOf('orders.list', { arguments: { type: 'object' } })
  const tools = [toolOf('orders.getOrder'), toolOf('orders.cancel', { spec }), list]
  return new Runtime().registerAgent(
    { name: 'support', description: 'Answers customers.', instructions: 'Be brief.' },
    [
      toolsetRegistration(
        useOf(tools),
        executorOf(() => ({ id: 'A-1', total: 3 })),
      ),
    ],
    { planner: modelPlanner(driver, options) },
  )
}

const deciding = (decision: ApprovalDecision) => ({ env: { approval: { approve: async () => decision } } })

const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const format = {
  name: 'finding',
  schema: {
    type: 'object',
    properties: { late: { type: 'boolean' }, note: { type: 'string' } },
    required: ['late'],
  },
} as const

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'drivers-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Scenario = (api: Api, stream: boolean) => Promise<void>

/** Expects that an answer ends the run, after one request. */
const fails =
  (answer: Answer, error: object): Scenario =>
  async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [answer, says('Too late.')])
    const run = await agent.run('Where?')
    expect(run).toMatchObject({ status: 'failed', error })
    expect(server.bodies).toHaveLength(1)
    expect(validateHistory(run.messages)).toEqual([])
  }

/** Expects that the driver sends the request again. */
const repeats =
  (answer: Answer): Scenario =>
  async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [answer, says('There.')])
    const run = await agent.run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'There.' } })
    expect(server.bodies).toHaveLength(2)
    expect(server.bodies[1]).toEqual(server.bodies[0])
  }

/** Expects that the run continues after wrong calls, with one tool message for each. */
const survives =
  (answer: Answer, statuses: readonly string[]): Scenario =>
  async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [answer, says('I see.')])
    const run = await agent.run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I see.' } })
    expect(run.outcomes.map((outcome) => outcome.status)).toEqual(statuses)
    expect(validateHistory(run.messages)).toEqual([])
    expect(server.bodies).toHaveLength(2)
  }

const cancels =
  (answer: Answer): Scenario =>
  async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [answer])
    const controller = new AbortController()
    const running = agent.run('Where?', { signal: controller.signal })
    await expect.poll(() => server.bodies).toHaveLength(1)
    controller.abort()
    expect(await running).toMatchObject({ status: 'cancelled' })
    await expect.poll(server.abandoned).toBe(1)
  }

const scenarios: Readonly<Record<string, Scenario>> = {
  answer: async (api, stream) => {
    const { agent, server, deltas, responses } = await setUp(api, stream, [says({ text: 'It has shipped.' })])
    const run = await agent.run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'It has shipped.' } })
    const [request] = server.bodies.map((body) => JSON.stringify(body))
    for (const text of ['Be brief.', 'Where?', 'orders_getOrder']) expect(request).toContain(text)
    expect(responses).toMatchObject([{ finishReason: 'stop', model: 'tiny-1', id: expect.stringMatching(/^\w-1$/) }])
    expect(deltas.length > 0).toBe(stream)
    expect(responses[0]?.timeToFirstChunkMs).toEqual(stream ? expect.any(Number) : undefined)
  },
  'parts of a run': async (api, stream) => {
    const reply = [asks(call('c-1')), says({ text: 'It has shipped.' })]
    const { agent, responses } = await setUp(api, stream, reply)
    const deltas: ModelDelta[] = []
    // Whoever reads the parts gets deltas, also if the option `stream` of the driver is false.
    for await (const part of agent.run('Where?').parts()) if (part.kind === 'delta') deltas.push(part.delta)
    expect(responses).toHaveLength(2)
    const textOf = (type: ModelDelta['type']): string =>
      deltas.flatMap((delta) => (delta.type === type ? [delta.text] : [])).join('')
    expect(textOf('text')).toBe('It has shipped.')
    expect(JSON.parse(textOf('arguments'))).toEqual({ orderId: 'A-1' })
    expect(deltas.find(({ type }) => type === 'arguments')).toMatchObject({ tool: 'orders_getOrder' })
  },
  'token usage': async (api, stream) => {
    const { agent, responses } = await setUp(api, stream, [says('Hi.')])
    const { usage } = await agent.run('Hi')
    const counts = {
      promptTokens: USAGE.prompt,
      completionTokens: USAGE.completion,
      cachedPromptTokens: USAGE.cached,
      reasoningTokens: USAGE.reasoning,
    }
    expect(usage).toMatchObject(counts)
    expect(responses[0]?.usage).toMatchObject(counts)
  },
  'parallel calls': async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [
      asks(call('c-1'), call('c-2', { orderId: 'B-2' })),
      says('Two.'),
    ])
    const run = await agent.run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'Two.' } })
    expect(run.outcomes.map(({ status }) => status)).toEqual(['completed', 'completed'])
    const second = JSON.stringify(server.bodies[1])
    for (const text of ['c-1', 'c-2', 'B-2', 'total']) expect(second).toContain(text)
  },
  'structured answer': async (api, stream) => {
    const { marker, text } = api.structured ?? { marker: 'json_schema', text: '{"late":true,"note":null}' }
    const { agent, server } = await setUp(api, stream, [says(text)], { responseFormat: format })
    const run = await agent.run('Late?')
    expect(run).toMatchObject({ status: 'completed', result: { value: { late: true } } })
    expect(JSON.stringify(server.bodies[0])).toContain(marker)
  },
  'strict tools': async (api, stream) => {
    const server = await apiServer(api, says('Hi.'))
    await agentOf(api.driver(server.baseURL, { stream, retry: {}, strict: true })).run('Hi')
    expect(JSON.stringify(server.bodies[0])).toContain('"strict":true')
  },
  'cache markers': async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [says('Hi.')])
    await agent.run('Hi')
    expect(JSON.stringify(server.bodies[0])).toContain('"cache_control"')
  },
  'unknown tool': survives(asks(call('c-1', {}, 'orders_getOrders')), ['failed']),
  'hostile tool name': survives(asks(call('c-1', {}, 'a tool 🙂')), ['failed']),
  'invalid arguments': survives(asks(call('c-1', '{"orderId":"A')), ['failed']),
  'duplicate call ids': survives(asks(call('c-1'), call('c-1', { orderId: 'B-2' })), ['completed', 'completed']),
  refusal: async (api, stream) => {
    const answers = [says({ refusal: 'I cannot help with this.' })]
    const { agent } = await setUp(api, stream, answers, { responseFormat: format })
    const run = await agent.run('Help')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I cannot help with this.' } })
    expect(run.result).not.toHaveProperty('value')
  },
  'content filter': fails(says({ text: 'Half an ans', finish: 'content_filter' }), { reason: 'denied' }),
  'length in a text': async (api, stream) => {
    const { agent, responses } = await setUp(api, stream, [says({ text: 'Half an ans', finish: 'length' })])
    expect(await agent.run('Hi')).toMatchObject({ status: 'completed', result: { text: 'Half an ans' } })
    expect(responses).toMatchObject([{ finishReason: 'length' }])
  },
  'length before a text': fails(says({ text: '', finish: 'length' }), { cause: { code: 'empty' } }),
  'length in a call': survives(says({ calls: [call('c-1', '{"orderId":"A')], finish: 'length' }), ['failed']),
  // APIs that parse arguments send `{}` for arguments that have not begun.
  'length before the arguments of a call': survives(
    says({ calls: [call('c-1', '{}', 'orders_list'), call('c-2', '', 'orders_list')], finish: 'length' }),
    ['completed', 'failed'],
  ),
  'call without arguments': survives(asks(call('c-1', '', 'orders_list')), ['completed']),
  'status 429': repeats(status(429, { 'retry-after': '0' })),
  'status 429, too long': fails(status(429, { 'retry-after': '90' }), { reason: 'rate_limited' }),
  'status 500': repeats(status(500)),
  'status 529': repeats(status(529)),
  'status 401': fails(status(401), { reason: 'denied' }),
  'broken connection': async (api, stream) => {
    const { agent, server, deltas } = await setUp(api, stream, [breaks, says('There.')])
    const run = await agent.run('Where?')
    // After a delta, the request is not repeated.
    if (deltas.length > 0 && run.status === 'failed') expect(run.error).toMatchObject({ reason: 'unavailable' })
    else expect(run).toMatchObject({ status: 'completed', result: { text: 'There.' } })
    expect(server.bodies.length).toBe(run.status === 'failed' ? 1 : 2)
  },
  'end before the first delta': async (api) => {
    const begins: Answer = (response) => {
      const [first] = api.events({ text: 'It has shipped.' })
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(first)
    }
    const server = await apiServer(api, begins, says('There.'))
    const running = agentOf(api.driver(server.baseURL, { stream: false, retry: { initialMs: 1 } })).run('Where?')
    const deltas: ModelDelta[] = []
    for await (const part of running.parts()) if (part.kind === 'delta') deltas.push(part.delta)
    expect(await running).toMatchObject({ status: 'completed', result: { text: 'There.' } })
    expect(deltas.map((delta) => delta.text).join('')).toBe('There.')
    expect(server.bodies).toHaveLength(2)
  },
  'end inside a call': async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [endsInCall])
    const run = await agent.run('Where?')
    const error = stream ? { reason: 'unavailable', cause: { code: 'truncated' } } : { reason: 'malformed_result' }
    expect(run).toMatchObject({ status: 'failed', error })
    expect(run.outcomes).toEqual([])
    expect(server.bodies).toHaveLength(1)
  },
  'error event at the beginning': async (api) => {
    const { agent, server } = await setUp(api, true, [reportsError(0), says('There.')])
    expect(await agent.run('Where?')).toMatchObject({ status: 'completed', result: { text: 'There.' } })
    expect(server.bodies).toHaveLength(2)
  },
  'error event after a text': async (api) => {
    const { agent, server, deltas } = await setUp(api, true, [reportsError(4), says('Too late.')])
    const run = await agent.run('Where?')
    expect(deltas).not.toEqual([])
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'unavailable' } })
    expect(validateHistory(run.messages)).toEqual([])
    expect(server.bodies).toHaveLength(1)
  },
  'stream without an event': (api) => repeats(endsAtOnce)(api, true),
  'JSON instead of a stream': async (api) => {
    const whole = sendsJson(({ whole }) => whole({ text: 'There.' }))
    for (const answer of [whole, sendsEventsAsJson]) {
      const { agent } = await setUp(api, true, [answer])
      expect(await agent.run('Where?')).toMatchObject({ status: 'completed', result: { text: 'There.' } })
    }
  },
  'JSON error instead of a stream': (api) => repeats(sendsJson(({ error }) => error(529)))(api, true),
  'truncated JSON': fails(sendsHalfJson, { reason: 'malformed_result' }),
  'no message': async (api, stream) => {
    const { agent } = await setUp(api, stream, [sendsNothing, sendsNothing, sendsNothing])
    const run = await agent.run('Where?')
    expect(run.status).toBe('failed')
    // The AI SDK reports a stream without a message like a stream that ends early, which the driver repeats.
    expect(run.error?.cause).toMatchObject({
      code: expect.stringMatching(/^(no_choices|malformed_message|truncated)$/),
    })
  },
  'hang, cancelled': cancels(hangs),
  'hang in the middle, cancelled': cancels(hangsInTheMiddle),
  'unreachable server': async (api, stream) => {
    const driver = api.driver(`http://127.0.0.1:${await freePort()}`, { stream, retry: { attempts: 1 } })
    expect(await agentOf(driver).run('Hi')).toMatchObject({ status: 'failed', error: { reason: 'unavailable' } })
  },
  'reasoning, next step': async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [
      says({ reasoning: THOUGHT, calls: [call('c-1')] }),
      says('Ok.'),
    ])
    expect(await agent.run('Where?')).toMatchObject({ status: 'completed' })
    for (const text of api.kept(THOUGHT)) expect(JSON.stringify(server.bodies[1])).toContain(text)
  },
  'reasoning, resumed run': async (api, stream) => {
    const thinks = says({ reasoning: THOUGHT, text: 'I ask.', calls: [call('c-1', undefined, 'orders_cancel')] })
    const { agent, server } = await setUp(api, stream, [thinks, says('Cancelled.')])
    const guarded = agent.layer(approval()) as BoundAgent
    const run = await guarded.run('Cancel A-1', deciding('suspend'))
    expect(run.status).toBe('suspended')
    const suspension = JSON.parse(JSON.stringify(run.suspension))
    const resumed = await guarded.resume(suspension, { 'c-1': 'approve' }, deciding('approve'))
    expect(resumed).toMatchObject({ status: 'completed', result: { text: 'Cancelled.' } })
    expect(resumed.usage).toMatchObject({
      cachedPromptTokens: 2 * USAGE.cached,
      reasoningTokens: 2 * USAGE.reasoning,
    })
    for (const text of api.kept(THOUGHT)) expect(JSON.stringify(server.bodies[1])).toContain(text)
  },
  'reasoning, changed message': async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [says({ reasoning: THOUGHT, text: 'One.' }), says('Two.')])
    const { messages } = await agent.run('Hi')
    const changed = messages.map((message) =>
      message.role === 'assistant' ? { ...message, content: 'New.' } : message,
    )
    const next: ChatMessage[] = [...changed.slice(1), { role: 'user', content: 'And?' }]
    expect(await agent.run({ messages: next })).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(server.bodies[1])).toContain('New.')
    expect(JSON.stringify(server.bodies[1])).not.toContain('One.')
  },
  'history of another provider': async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [says('Ok.')])
    const messages: ChatMessage[] = [
      { role: 'user', content: 'Where?' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [{ id: 'other:1', type: 'function', function: call('', { orderId: 'A-1' }) }],
        provider_data: { api: 'other', content: [{ secret: 'opaque' }] },
      },
      { role: 'tool', tool_call_id: 'other:1', content: 'Shipped.' },
      { role: 'user', content: 'And now?' },
    ]
    expect(await agent.run({ messages })).toMatchObject({ status: 'completed' })
    const body = JSON.stringify(server.bodies[0])
    for (const text of ['I look.', 'Shipped.', 'And now?']) expect(body).toContain(text)
    expect(body).not.toMatch(/opaque|provider_data/)
  },
  'image of a user': async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [says('A pixel.')])
    const content = [
      { type: 'text' as const, text: 'What is this?' },
      { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${image}` } },
    ]
    expect(await agent.run({ messages: [{ role: 'user', content }] })).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(server.bodies[0])).toContain(image)
  },
  'PDF file of a user': async (api, stream) => {
    const { agent, server } = await setUp(api, stream, [says('An invoice.')])
    const file = { file_data: 'data:application/pdf;base64,JVBERi0xLjQK', filename: 'invoice.pdf' }
    const content = [{ type: 'file' as const, file }]
    expect(await agent.run({ messages: [{ role: 'user', content }] })).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(server.bodies[0])).toContain('JVBERi0xLjQK')
  },
  cassette: async (api, stream) => {
    const answers = [says({ reasoning: THOUGHT, calls: [call('c-1')] }), says('It has shipped.')]
    const { driver, server } = await setUp(api, stream, answers)
    const file = join(folder, `${api.name}-${stream}.jsonl`)
    const runs = []
    for (const mode of ['record', 'replay'] as const) {
      const cassette = await openCassette(file, { mode })
      const config = runConfig().layer(cassette.toolLayer())
      runs.push(await agentOf(cassette.driver(() => driver)).run('Where?', { config }))
      await cassette.close()
    }
    expect(runs[0]?.status).toBe('completed')
    expect(runs[1]?.messages).toEqual(runs[0]?.messages)
    expect(server.bodies).toHaveLength(2)
    // The times of two recordings would differ.
    expect(await readFile(file, 'utf8')).not.toContain('timeToFirstChunkMs')
  },
}

for (const name of Object.values(features).flat()) {
  if (!Object.hasOwn(scenarios, name)) throw new Error(`There is no scenario '${name}'.`)
}

// `npm run drivers` makes a table from the names of these tests.
describe.each(apis)('$name', (api) => {
  for (const [name, scenario] of Object.entries(scenarios)) {
    const reason = api.without?.[name]
    it.skipIf(reason !== undefined)(name, async () => {
      for (const stream of [false, true]) await scenario(api, stream)
    })
  }
})
