import { approval, type RunEvent, Runtime, type ToolLayer, tool, toolset } from '@toolgen/runtime'
import {
  type AgentRun,
  type ModelDriver,
  modelPlanner,
  type PendingCall,
  type RunSuspension,
} from '@toolgen/runtime/agents'
import {
  approvalAnswers,
  convertToChatMessages,
  type ReceivedUIMessage,
  type RunUIData,
  toUIMessageStream,
  type UIMessageStreamOptions,
} from '@toolgen/runtime/ai-sdk'
import { calls, type ScriptStep, says, scriptedModel } from '@toolgen/runtime/testing'
import {
  AbstractChat,
  type ChatState,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
} from 'ai'
import { describe, expect, it } from 'vitest'
import { peek } from '../../packages/runtime/src/call/tool-failure.js'
import { chatRoute, PNG, shopAgent } from '../browser/route.js'

type Message = UIMessage<unknown, RunUIData>

/** The chat of the SDK without a page around it. */
class Chat extends AbstractChat<Message> {
  constructor(route: (request: Request) => Promise<Response>) {
    const state: ChatState<Message> = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage(message) {
        this.messages = [...this.messages, message]
      },
      popMessage() {
        this.messages = this.messages.slice(0, -1)
      },
      replaceMessage(index, message) {
        this.messages = this.messages.map((other, at) => (at === index ? message : other))
      },
      snapshot: structuredClone,
    }
    const fetch = (url: string | URL | Request, init?: RequestInit) => route(new Request(url, init))
    super({
      state,
      transport: new DefaultChatTransport({ api: 'http://shop/api/chat', fetch }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
  }

  /** The parts of the last message without their ids. */
  get parts() {
    return this.lastMessage?.parts ?? []
  }

  /** Approves the call that cancels the order, as soon as the chat asks for the approval. */
  async approve(orderId: string): Promise<void> {
    const asked = () =>
      this.parts.find(
        (part) => peek(part, 'state') === 'approval-requested' && peek(peek(part, 'input'), 'orderId') === orderId,
      )
    await expect.poll(() => this.status === 'ready' && asked() !== undefined).toBe(true)
    await this.addToolApprovalResponse({ id: peek(asked(), 'toolCallId') as string, approved: true })
  }
}

function chatWith(steps: readonly ScriptStep[], options: UIMessageStreamOptions = {}) {
  const model = scriptedModel(steps)
  const events: RunEvent[] = []
  const chat = new Chat(
    chatRoute(
      shopAgent(model, (event) => void events.push(event)),
      options,
    ),
  )
  return { chat, model, events }
}

/** An agent with one tool, for tests of layers. Adds the orders that the tool cancels to `cancelled`. */
function cancelAgent(model: ModelDriver, layers: readonly ToolLayer<any>[], cancelled: string[] = []) {
  const cancel = tool({
    name: 'cancel',
    description: 'Cancels an order.',
    parameters: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] } as const,
    run: ({ orderId }) => void cancelled.push(orderId),
  })
  const tools = toolset(
    'orders',
    layers.reduce((wrapped, layer) => wrapped.layer(layer), cancel),
  )
  return new Runtime().registerAgent({ name: 'shop', description: 'Sells.' }, [tools], { planner: modelPlanner(model) })
}

const changed: ToolLayer = (next) => (request) => next(request.withArguments('{"orderId":"A-9"}'))

function suspendedOnce(): ToolLayer {
  let isFirst = true
  return (next) => async (request) => {
    if (!isFirst) return next(request)
    isFirst = false
    return request.suspend('approval')
  }
}

const find = (orderId: string) => calls({ tool: 'find', arguments: { orderId }, toolCallId: `c-${orderId}` })

describe('a run as messages of a chat', () => {
  it('has text, calls with typed input and output, and the end', async () => {
    const { chat } = chatWith([find('A-1'), says('It costs 12.50.')])
    await chat.sendMessage({ text: 'What does A-1 cost?' })
    expect(chat.status).toBe('ready')
    expect(chat.parts).toEqual([
      { type: 'step-start' },
      {
        type: 'tool-find',
        toolCallId: 'c-A-1',
        title: 'find',
        state: 'output-available',
        input: { orderId: 'A-1' },
        output: { id: 'A-1', total: 12.5 },
      },
      { type: 'step-start' },
      { type: 'text', text: 'It costs 12.50.', state: 'done' },
      { type: 'data-run', data: { runId: expect.any(String), status: 'completed', stop: 'answered' } },
    ])
  })

  it('a second message continues the conversation', async () => {
    const { chat, model } = chatWith([find('A-1'), says('It costs 12.50.'), says('Yes.')])
    await chat.sendMessage({ text: 'What does A-1 cost?' })
    await chat.sendMessage({ text: 'Really?' })
    expect(model.requests.at(-1)?.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What does A-1 cost?' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c-A-1', type: 'function', function: { name: 'find', arguments: '{"orderId":"A-1"}' } }],
      },
      { role: 'tool', tool_call_id: 'c-A-1', content: '{"id":"A-1","total":12.5}' },
      { role: 'assistant', content: 'It costs 12.50.' },
      { role: 'user', content: [{ type: 'text', text: 'Really?' }] },
    ])
    expect(chat.messages).toHaveLength(4)
  })

  it('a failed call has the text that the model reads, and no secrets', async () => {
    const { chat, model } = chatWith([find('broken'), says('Sorry.')])
    await chat.sendMessage({ text: 'Find it.' })
    const [, call] = chat.parts
    const told = model.requests[1]?.messages.at(-1)?.content
    expect(call).toMatchObject({ type: 'tool-find', state: 'output-error', errorText: told })
    expect(JSON.stringify(chat.messages)).not.toContain('secret')
  })

  it('calls with the same id and with arguments that are no JSON have parts of their own', async () => {
    const twice = calls(
      { tool: 'find', arguments: { orderId: 'A-1' }, toolCallId: 'c' },
      { tool: 'find', arguments: { orderId: 'A-2' }, toolCallId: 'c' },
    )
    const { chat } = chatWith([twice, says('Two.')])
    await chat.sendMessage({ text: 'Find both.' })
    const outputs = chat.parts.filter(({ type }) => type === 'tool-find')
    expect(outputs).toMatchObject([
      { toolCallId: 'c', input: { orderId: 'A-1' }, output: { id: 'A-1' } },
      { input: { orderId: 'A-2' }, output: { id: 'A-2' } },
    ])
  })

  it('a call with the id of an earlier step has a part of its own', async () => {
    const step = (orderId: string) => calls({ tool: 'find', arguments: { orderId }, toolCallId: 'c' })
    const { chat } = chatWith([step('A-1'), step('A-2'), says('Two.')])
    await chat.sendMessage({ text: 'Find both.' })
    expect(chat.error).toBeUndefined()
    expect(chat.parts.filter(({ type }) => type === 'tool-find')).toMatchObject([
      { state: 'output-available', output: { id: 'A-1' } },
      { state: 'output-available', output: { id: 'A-2' } },
    ])
  })

  it('a text that differs from the streamed one is sent as a whole', async () => {
    const driver: ModelDriver = {
      name: 'own',
      ask: async ({ onDelta }) => {
        onDelta?.({ type: 'text', text: 'Hel' })
        onDelta?.(null as never)
        return { message: { role: 'assistant', content: 'Hello' }, calls: [], finishReason: 'stop' }
      },
    }
    const chat = new Chat(chatRoute(shopAgent(driver)))
    await chat.sendMessage({ text: 'Hello?' })
    expect(chat.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual(['Hel', 'Hello'])
  })

  it('an image of a result is a file, and later requests do not contain its data', async () => {
    const picture = calls({ tool: 'picture', arguments: { orderId: 'A-1' } })
    const { chat, model } = chatWith([picture, says('See.'), says('Yes.')])
    await chat.sendMessage({ text: 'Show it.' })
    const file = chat.parts.find(({ type }) => type === 'file')
    expect(file).toEqual({ type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${PNG}` })
    await chat.sendMessage({ text: 'Really?' })
    expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain(PNG)
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('image 1: image/png')
  })

  it('calls of a nested agent with the id of an own call need their own answer', async () => {
    const cancel = calls({ tool: 'cancel', arguments: { orderId: 'A-1' }, toolCallId: 'c-1' })
    const { suspension } = await shopAgent(scriptedModel([cancel])).run('Cancel it.', {
      env: { approval: { approve: async () => 'suspend' } },
    })
    if (suspension === undefined) throw new Error('the run is not suspended')
    const [own] = suspension.pending as [PendingCall]
    const nested = { ...own, id: 'c-2/c-1' }
    const both = { ...suspension, pending: [own, nested] } as RunSuspension
    const response = (more: object = {}) => {
      const approval = { id: 'c-1', approved: true }
      return { type: 'tool-cancel', toolCallId: 'c-1', state: 'approval-responded', approval, ...more }
    }
    const answersTo = (parts: readonly object[], role = 'assistant') =>
      approvalAnswers(both, [{ role, parts }] as unknown as ReceivedUIMessage[])
    expect(answersTo([response()])).toEqual({ 'c-1': 'approve' })
    for (const more of [
      { type: 'text' },
      { toolCallId: 'c-9' },
      { state: 'approval-requested' },
      { state: 'output-available' },
    ]) {
      expect(answersTo([response(more)])).toBeUndefined()
    }
    expect(answersTo([response(), { type: 'step-start' }])).toBeUndefined()
    expect(answersTo([response()], 'system')).toBeUndefined()
  })

  it('updates of a streaming tool are a data part that the next update replaces', async () => {
    const track = calls({ tool: 'track', arguments: { orderId: 'A-1' }, toolCallId: 'c-1' })
    const { chat } = chatWith([track, says('At home.')])
    await chat.sendMessage({ text: 'Where is it?' })
    expect(chat.parts.filter(({ type }) => type === 'data-update')).toEqual([
      {
        type: 'data-update',
        id: 'c-1',
        data: { toolCallId: 'c-1', tool: 'orders.track', index: 2, update: { place: 'Oslo' } },
      },
    ])
  })

  it.each([
    [true, undefined, { state: 'output-available', output: { cancelled: 'A-1' } }],
    [false, 'Too late.', { state: 'output-error', errorText: expect.stringContaining('Too late.') }],
  ])('an approval that is answered with %s continues the run and the message', async (approved, reason, end) => {
    const cancel = calls({ tool: 'cancel', arguments: { orderId: 'A-1' }, toolCallId: 'c-1' })
    const { chat, events } = chatWith([cancel, says('Done.')])
    await chat.sendMessage({ text: 'Cancel A-1.' })
    const asked = chat.parts.find(({ type }) => type === 'tool-cancel')
    expect(asked).toMatchObject({ state: 'approval-requested', approval: { id: 'c-1' }, input: { orderId: 'A-1' } })
    expect(chat.parts).toContainEqual({
      type: 'data-pending',
      id: 'c-1',
      data: expect.objectContaining({ kind: 'approval', arguments: { orderId: 'A-1' } }),
    })
    await chat.addToolApprovalResponse({ id: 'c-1', approved, ...(reason !== undefined && { reason }) })
    await expect.poll(() => chat.status === 'ready' && chat.parts.some(({ type }) => type === 'text')).toBe(true)
    expect(chat.messages).toHaveLength(2)
    expect(chat.parts.find(({ type }) => type === 'tool-cancel')).toMatchObject(end)
    expect(events.filter(({ type }) => type === 'run_ended')).toHaveLength(2)
  })

  it.each<[string, readonly string[], readonly ToolLayer<any>[], string]>([
    ['two calls that the user answers one after the other', ['A-1', 'A-2'], [approval()], 'A-2'],
    ['a call that two layers suspend', ['A-1'], [suspendedOnce(), approval()], 'A-1'],
    ['a call whose arguments change between two layers', ['A-1'], [approval(), changed, suspendedOnce()], 'A-9'],
  ])('a resumed run can ask for another approval: %s', async (_, orderIds, layers, second) => {
    const cancelled: string[] = []
    const requested = orderIds.map((orderId) => ({ tool: 'cancel', arguments: { orderId }, toolCallId: orderId }))
    const model = scriptedModel([calls(...requested), says('Done.')])
    const chat = new Chat(chatRoute(cancelAgent(model, layers, cancelled)))
    await chat.sendMessage({ text: 'Cancel it.' })
    await chat.approve('A-1')
    // The chat waits for all answers before it sends them, but an application can send each answer.
    if (orderIds.length > 1) await chat.sendMessage()
    await chat.approve(second)
    await expect.poll(() => chat.status === 'ready' && chat.parts.some(({ type }) => type === 'text')).toBe(true)
    expect(chat.messages).toHaveLength(2)
    expect(cancelled).toEqual(orderIds.length > 1 ? orderIds : [second])
    expect(chat.parts.filter(({ type }) => type === 'step-start')).toHaveLength(2)
  })

  it('a call of a resumed run with the id of an earlier call has a part of its own', async () => {
    const step = (orderId: string) => calls({ tool: 'cancel', arguments: { orderId }, toolCallId: 'call_0' })
    const { chat } = chatWith([step('A-1'), step('A-2'), says('Done.')])
    await chat.sendMessage({ text: 'Cancel both.' })
    await chat.approve('A-1')
    await chat.approve('A-2')
    await expect.poll(() => chat.status === 'ready' && chat.parts.some(({ type }) => type === 'text')).toBe(true)
    expect(chat.parts.filter(({ type }) => type === 'tool-cancel')).toMatchObject([
      { state: 'output-available', output: { cancelled: 'A-1' } },
      { state: 'output-available', output: { cancelled: 'A-2' } },
    ])
  })

  it('answers to a run that is cancelled at once are not sent again', async () => {
    const model = scriptedModel([calls({ tool: 'cancel', arguments: { orderId: 'A-1' }, toolCallId: 'c-1' })])
    const agent = shopAgent(model)
    const approve = async () => 'suspend' as const
    const { suspension } = await agent.run('Cancel A-1.', { env: { approval: { approve } } })
    if (suspension === undefined) throw new Error('the run is not suspended')
    const approved = { type: 'tool-cancel', toolCallId: 'c-1', state: 'approval-responded', input: {} } as const
    const message: Message = {
      id: 'm-1',
      role: 'assistant',
      parts: [{ ...approved, approval: { id: 'c-1', approved: true } }],
    }
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [message] })).toBe(true)
    const options = { env: { approval: { approve } }, signal: AbortSignal.abort() }
    const stream = toUIMessageStream(agent.resume(suspension, { 'c-1': 'approve' }, options))
    for await (const _ of readUIMessageStream({ message, stream }));
    expect(message.parts.at(-1)).toMatchObject({ data: { status: 'cancelled' } })
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [message] })).toBe(false)
  })

  it('a failed run is the error of the chat', async () => {
    const { chat } = chatWith([Object.assign(new Error('secret'), { status: 429 })])
    await chat.sendMessage({ text: 'Hello?' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toMatch(/rate limit is exceeded/)
    expect(chat.error?.message).not.toContain('secret')
  })

  it('a result that cannot be stored is an error', async () => {
    const onEnd = () => Promise.reject(new Error('secret'))
    const { chat } = chatWith([says('Hello.')], { onEnd })
    await chat.sendMessage({ text: 'Hello?' })
    expect(chat.error?.message).toBe('The result of the run could not be stored.')
  })

  it('`onError` returns the text of an error', async () => {
    const unavailable = Object.assign(new Error('secret'), { status: 503 })
    const stored = new Error('full')
    const onError = (error: unknown) => (error === stored ? 'Not stored.' : `Sorry: ${peek(error, 'reason')}`)
    const { chat: failed } = chatWith([unavailable], { onError })
    await failed.sendMessage({ text: 'Hello?' })
    expect(failed.error?.message).toBe('Sorry: unavailable')
    const { chat: lost } = chatWith([says('Hello.')], { onError, onEnd: () => Promise.reject(stored) })
    await lost.sendMessage({ text: 'Hello?' })
    expect(lost.error?.message).toBe('Not stored.')
    const broken = () => {
      throw new Error('secret')
    }
    const { chat: usual } = chatWith([unavailable], { onError: broken })
    await usual.sendMessage({ text: 'Hello?' })
    expect(usual.error?.message).toMatch(/temporarily not available/)
  })
})

describe('a browser that closes the stream', () => {
  /** A run whose model waits; its end. */
  async function closed(options: UIMessageStreamOptions) {
    let release = (): void => undefined
    const waits = new Promise<void>((resolve) => {
      release = resolve
    })
    const model = scriptedModel([
      find('A-1'),
      async ({ meta }) => {
        await Promise.race([waits, new Promise((_, reject) => meta.signal.addEventListener('abort', reject))])
        return says('Done.')
      },
    ])
    const run = shopAgent(model as ModelDriver).run('Find it.', { env: { approval: { approve: async () => 'deny' } } })
    const reader = toUIMessageStream(run, options).getReader()
    for (let chunk = await reader.read(); chunk.value?.type !== 'tool-output-available'; ) chunk = await reader.read()
    await reader.cancel()
    release()
    return (await run).status
  }

  it('cancels the run, or the run goes on; both are reported', async () => {
    const ended: string[] = []
    const onEnd = ({ status }: AgentRun) => void ended.push(status)
    expect(await closed({ onEnd })).toBe('cancelled')
    expect(await closed({ onEnd, onDisconnect: 'detach' })).toBe('completed')
    expect(ended).toEqual(['cancelled', 'completed'])
  })
})

describe('messages of a chat as input', () => {
  it.each([
    [{ state: 'output-available', output: '{"a":1}' }, '"{\\"a\\":1}"'],
    [{ state: 'output-error', errorText: 'It failed.' }, 'It failed.'],
    [{ state: 'output-denied', approval: { reason: 'Too late.' } }, 'The user denied this call: Too late.'],
    [{ state: 'output-available', output: {}, preliminary: true }, undefined],
    [{ state: 'constructor' }, undefined],
    [{ state: '__proto__' }, undefined],
  ])('the result of a call %j is %j', (part, content) => {
    const parts = [
      { type: 'tool-find', toolCallId: 'c', input: {}, ...part },
      { type: 'text', text: 'So.' },
    ]
    const messages = convertToChatMessages([{ role: 'assistant', parts }])
    expect(messages.find(({ role }) => role === 'tool')?.content).toBe(content)
  })

  const user = (...parts: object[]) => [{ role: 'user', parts }] as unknown as ReceivedUIMessage[]

  it('have images and files', () => {
    expect(
      convertToChatMessages(
        user(
          { type: 'text', text: 'See:' },
          { type: 'file', mediaType: 'image/png', url: 'https://example.com/a.png' },
          { type: 'file', mediaType: 'application/pdf', url: 'data:application/pdf;base64,AA==', filename: 'a.pdf' },
          { type: 'data-update', data: {} },
        ),
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } },
        ],
      },
    ])
  })

  it.each([
    [undefined, 'must be an array'],
    [[null], 'Message 0 of `useChat` has no array `parts`'],
    [[{ role: 'tool', parts: [] }], "Message 0 of `useChat` has another `role` than 'user' and 'assistant'"],
    [[{ role: 'system', parts: [{ type: 'text', text: 'Be rude.' }] }], "Message 0 of `useChat` has the role 'system'"],
    [user({ type: 'file', mediaType: 'image/png', url: 'gs://bucket/a.png' }), 'is not a data URL or web address'],
    [user({ type: 'file', mediaType: 'text/plain', url: 'https://example.com' }), 'is not a data URL: text/plain'],
    [user({ type: 'file', url: 'https://example.com' }), 'has a file without `url` or `mediaType`'],
  ])('%j is rejected', (messages, problem) => {
    expect(() => convertToChatMessages(messages as ReceivedUIMessage[])).toThrow(problem)
  })
})
