import { afterEach, describe, expect, it, vi } from 'vitest'
import { validateHistory } from '../../packages/runtime/src/chat/history.js'
import { within } from '../runs/agents.fixture.js'
import { agentOf } from './model-agent.fixture.js'
import {
  asks,
  call,
  completion,
  events,
  hangs,
  hangsInTheMiddle,
  json,
  modelServer,
  type Reply,
  raw,
  says,
} from './model-server.fixture.js'

afterEach(() => void vi.useRealTimers())

const good = '{"orderId":"A-1","quantity":null,"status":null}'

describe.each([false, true])('what a model does wrong never ends a run, streamed: %s', (stream) => {
  const driver = { stream }

  /** What the model is told of a first message, in a run that then ends well with a history that is valid. */
  async function toldAfter(reply: Reply): Promise<readonly string[]> {
    const server = await modelServer(reply, says('I see.'))
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'I see.' } })
    expect(validateHistory(run.messages)).toEqual([])
    expect(validateHistory(server.bodies[1]?.messages)).toEqual([])
    return run.messages.flatMap((message) => (message.role === 'tool' ? [String(message.content)] : []))
  }

  it('a tool that does not exist', async () => {
    expect(await toldAfter(asks(call('a', 'orders_getOrders', good)))).toEqual([
      'There is no tool "orders_getOrders". Did you mean "orders_getOrder"?',
    ])
  })

  it.each(['', '__proto__', 'constructor', 'a tool 🙂'])('a tool with a hostile name: %j', async (name) => {
    expect(await toldAfter(asks(call('a', name, good)))).toEqual([expect.stringContaining('There is no tool')])
  })

  it.each(['{"orderId":"A', 'null', '[]', '"A-1"', '{"orderId":}', '{"__proto__":{"orderId":"A-1"}}'])(
    'arguments that are not right: %s',
    async (json) => {
      expect(await toldAfter(asks(call('a', 'orders_getOrder', json)))).toEqual([
        expect.stringMatching(/^Invalid arguments: /),
      ])
    },
  )

  it('tokens that end in the middle of a call', async () => {
    const cut = says(
      { tool_calls: [call('a', 'orders_getOrder', good), call('b', 'orders_getOrder', '{"orde')] },
      { finish: 'length' },
    )
    expect(await toldAfter(cut)).toEqual([
      expect.stringContaining('"total":1'),
      expect.stringMatching(/^Invalid arguments: the arguments are not valid JSON/),
    ])
    const empty = says({ tool_calls: [call('a', 'orders_label', '')] }, { finish: 'length' })
    expect(await toldAfter(empty)).toEqual([expect.stringMatching(/not valid JSON/)])
  })

  it('no arguments at all for a tool that needs none', async () => {
    expect(await toldAfter(asks(call('a', 'orders_label', '')))).toEqual([expect.stringContaining('"id":"{}"')])
  })

  it('calls of one message with the same id, or without one', async () => {
    const server = await modelServer(
      asks(
        call('a', 'orders_getOrder', good),
        call('a', 'nope', '{}'),
        call('', 'orders_getOrder', good),
        call('a', 'orders_getOrder', '{'),
      ),
      says('I see.'),
    )
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run.outcomes.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed', 'failed'])
    expect(validateHistory(run.messages)).toEqual([])
    const answered = run.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
    expect(answered).toEqual(['a', 'a_1', 'call_2_2', 'a_3'])
    expect(server.bodies[1]?.messages[2]).toMatchObject({ tool_calls: answered.map((id) => ({ id })) })
  })

  it('the same id in two messages', async () => {
    const server = await modelServer(
      asks(call('a', 'orders_getOrder', good)),
      asks(call('a', 'orders_getOrder', good)),
      says('Ok.'),
    )
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run.status).toBe('completed')
    expect(validateHistory(run.messages)).toEqual([])
    expect(new Set(run.outcomes.map((outcome) => outcome.call.toolCallId)).size).toBe(2)
  })

  it('nothing to say', async () => {
    const server = await modelServer(says({ content: null }))
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: '' } })
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('the same wrong call again and again, as far as the policy goes', async () => {
    const wrong = asks(call('a', 'orders_getOrder', '{'))
    const server = await modelServer(...Array.from({ length: 9 }, () => wrong))
    const run = await agentOf(server, { driver, policy: { maxConsecutiveFailures: 4 } }).run('Where?')
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_consecutive_failures' } })
    expect(validateHistory(run.messages)).toEqual([])
    expect(server.bodies).toHaveLength(4)
  })
})

describe.each([false, true])('what a server does wrong ends the run with its reason, streamed: %s', (stream) => {
  const driver = { stream }
  const sends = (chunk: object): Reply => (stream ? events(chunk, '[DONE]') : json(chunk))

  it.each<[string, Reply, string, string]>([
    ['an empty list of choices', sends({ choices: [] }), 'no_choices', 'malformed_result'],
    ['no choices', sends({ id: 'x' }), 'no_choices', 'malformed_result'],
    ['a filtered answer', says('Half an ans', { finish: 'content_filter' }), 'content_filter', 'denied'],
    ['tokens that end before a word', says({ content: null }, { finish: 'length' }), 'empty', 'malformed_result'],
  ])('%s', async (_, reply, code, reason) => {
    const server = await modelServer(reply, says('Too late.'))
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({ status: 'failed', error: { reason, cause: { code } } })
    expect(server.bodies).toHaveLength(1)
    expect(run.messages).toHaveLength(2)
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('a page that is no JSON', async () => {
    const server = await modelServer(raw('<html>Sign in</html>', 'text/html'), says('Too late.'))
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'malformed_result' } })
    expect(JSON.stringify(run)).not.toContain('Sign in')
  })

  it('JSON that ends too early', async () => {
    const text = JSON.stringify(completion({ role: 'assistant', content: 'Here' })).slice(0, -20)
    const server = await modelServer(stream ? events(text) : raw(text), says('Too late.'))
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'malformed_result', cause: { code: 'not_json' } } })
    expect(run.error?.cause).toHaveProperty('cause', expect.any(SyntaxError))
  })

  it('no body at all', async () => {
    const server = await modelServer(raw(''), says('Too late.'))
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'malformed_result' } })
  })

  it.each([
    ['from the start', hangs],
    ['in the middle', hangsInTheMiddle],
  ])('no end %s: the caller may cancel', async (_, reply) => {
    const server = await modelServer(reply)
    const controller = new AbortController()
    const running = agentOf(server, { driver }).run('Where?', { signal: controller.signal })
    await expect.poll(() => server.bodies).toHaveLength(1)
    controller.abort()
    const run = await within(running)
    expect(run).toMatchObject({ status: 'cancelled', stop: { reason: 'cancelled' } })
    await expect.poll(server.abandoned).toBe(1)
    expect(server.bodies).toHaveLength(1)
  })

  it.each([
    ['from the start', hangs],
    ['in the middle', hangsInTheMiddle],
  ])('no end %s: the time budget ends the run', async (_, reply) => {
    const server = await modelServer(reply)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const running = agentOf(server, { driver, policy: { timeBudgetMs: 100 } }).run('Where?')
    await expect.poll(() => server.bodies).toHaveLength(1)
    vi.advanceTimersByTime(100)
    vi.useRealTimers()
    const run = await within(running)
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'time_budget', limit: 100 } })
    await expect.poll(server.abandoned).toBe(1)
  })
})

describe.each([false, true])('what an answer does not need may be wrong, streamed: %s', (stream) => {
  it.each([
    { usage: {} },
    { usage: { total_tokens: 5 } },
    { usage: { prompt_tokens: 3 } },
    { usage: { prompt_tokens: '3', completion_tokens: '4' } },
    { usage: { prompt_tokens: null, completion_tokens: null } },
    { usage: 'many' },
    { model: 5 },
  ])('%j', async (wrong) => {
    const whole = completion({ role: 'assistant', content: 'It has shipped.' })
    const chunks = [
      { choices: [{ index: 0, delta: { content: 'It has shipped.' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], ...wrong },
      '[DONE]',
    ]
    const server = await modelServer(stream ? events(...chunks) : json({ ...whole, ...wrong }))
    const run = await agentOf(server, { driver: { stream } }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'It has shipped.' } })
    expect(run.usage).toMatchObject({ promptTokens: 0, completionTokens: 0 })
  })
})

describe('a stream that is wrong in its parts', () => {
  it.each<[string, unknown]>([
    ['null', 'null'],
    ['a list', []],
    ['choices that are no list', { choices: {} }],
    ['a choice that is none', { choices: [null] }],
    ['a part that is none', { choices: [{ index: 0, delta: 'Ok.' }] }],
    ['content that is a number', { choices: [{ index: 0, delta: { content: 5 } }] }],
    ['calls that are no list', { choices: [{ index: 0, delta: { tool_calls: {} } }] }],
  ])('ends the run with its reason: %s', async (_, part) => {
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
    const server = await modelServer(events(part, end, '[DONE]'), says('Too late.'))
    const driver = { stream: true, onDelta: () => undefined }
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({
      status: 'failed',
      error: { reason: 'malformed_result', cause: { code: 'malformed_message' } },
    })
    expect(server.bodies).toHaveLength(1)
  })

  it.each(['', 'b', undefined])('gives the parts of a call one id, also if later parts have the id %j', async (id) => {
    const part = (each: object, finish_reason: string | null = null) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...each }] }, finish_reason }],
    })
    const begin = (own: string) => part({ id: own, function: { name: 'orders_getOrder', arguments: '' } })
    const more = (text: string) => part({ id, function: { arguments: text } })
    const parts = [begin('a'), more(good.slice(0, 9)), more(good.slice(9))]
    // Some servers send the index 0 for all calls.
    const chunks = [
      ...parts,
      begin('c'),
      more(good),
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ]
    const server = await modelServer(events(...chunks, '[DONE]'), says('Ok.'))
    const run = agentOf(server).run('Where?')
    const texts = new Map<string, string>()
    for await (const each of run.parts()) {
      if (each.kind !== 'delta' || each.delta.type !== 'arguments') continue
      const { tool, toolCallId, text } = each.delta
      expect(tool).toBe('orders_getOrder')
      texts.set(toolCallId, (texts.get(toolCallId) ?? '') + text)
    }
    expect([...texts]).toEqual([
      ['a', good],
      ['c', good],
    ])
    expect((await run).outcomes.map(({ call: { toolCallId } }) => toolCallId)).toEqual(['a', 'c'])
  })

  it('gives the first of several answers', async () => {
    const part = (index: number, content: string, finish_reason: string | null = null) => ({
      choices: [{ index, delta: { content }, finish_reason }],
    })
    const server = await modelServer(events(part(1, 'No'), part(0, 'Yes'), part(1, '.', 'stop'), part(0, '.', 'stop')))
    const heard: unknown[] = []
    const driver = {
      stream: true,
      n: 2,
      onDelta: ({ content }: { content?: string | null }) => void heard.push(content),
    }
    const run = await agentOf(server, { driver }).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'Yes.' } })
    expect(heard).toEqual(['Yes', '.'])
    expect(server.bodies[0]).toMatchObject({ n: 2 })
  })
})

describe('a whole answer that is a little wrong', () => {
  it.each<[string, object, object]>([
    ['no role', { role: undefined, content: 'Ok.' }, { role: 'assistant', content: 'Ok.' }],
    ['no list of calls', { content: 'Ok.', tool_calls: null }, { content: 'Ok.' }],
    ['an empty list of calls', { content: 'Ok.', tool_calls: [] }, { content: 'Ok.' }],
    [
      'content in parts',
      {
        content: [
          { type: 'text', text: 'O' },
          { type: 'text', text: 'k.' },
        ],
      },
      {},
    ],
  ])('is mended: %s', async (_, message, kept) => {
    const server = await modelServer(json(completion({ role: 'assistant', ...message })))
    const run = await agentOf(server).run('Where?')
    expect(run).toMatchObject({ status: 'completed', result: { text: 'Ok.' } })
    expect(run.messages.at(-1)).toMatchObject(kept)
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('is mended in its calls', async () => {
    const calls = [
      { index: 0, function: { name: 'orders_getOrder', arguments: { orderId: 'A-1' } }, extra: 1 },
      { index: 1, id: 'b', type: 'function', function: { name: 'orders_label' } },
      { id: 'c', type: 'custom', custom: { name: 'shell', input: 'ls' } },
    ]
    const server = await modelServer(
      json(completion({ role: 'assistant', content: null, tool_calls: calls })),
      says('Ok.'),
    )
    const run = await agentOf(server).run('Where?')
    expect(run.outcomes.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed'])
    expect(Object(run.messages[2]).tool_calls).toEqual([
      {
        id: 'call_2_0',
        type: 'function',
        function: { name: 'orders_getOrder', arguments: '{"orderId":"A-1"}' },
        extra: 1,
      },
      { id: 'b', type: 'function', function: { name: 'orders_label', arguments: '{}' } },
      calls[2],
    ])
    expect(validateHistory(run.messages)).toEqual([])
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', 'Ok.'],
    ['a role with secrets', { role: 'sk-very-secret', content: 'Ok.' }],
    ['the role of a user', { role: 'user', content: 'Ok.' }],
    ['a number as content', { role: 'assistant', content: 5 }],
    ['calls that are no list', { role: 'assistant', content: null, tool_calls: {} }],
    ['a call that is none', { role: 'assistant', content: null, tool_calls: [null] }],
    ['a call without a name', { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: {} }] }],
    [
      'a call of the time before tools',
      { role: 'assistant', content: null, function_call: { name: 'x', arguments: '' } },
    ],
  ])('is refused where nobody knows what is meant: %s', async (_, message) => {
    const server = await modelServer(json(completion(message)), says('Too late.'))
    const run = await agentOf(server).run('Where?')
    expect(run).toMatchObject({
      status: 'failed',
      error: { reason: 'malformed_result', cause: { code: 'malformed_message' } },
    })
    expect(JSON.stringify([run, run.error?.cause])).not.toContain('sk-very-secret')
    expect(validateHistory(run.messages)).toEqual([])
  })
})
