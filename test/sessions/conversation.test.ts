import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answer, ask, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import { type ChatMessage, validateHistory } from '../../packages/runtime/src/chat.js'
import { approval, type BoundAgent, Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { type Session, SessionRegistry, type SessionRegistryOptions } from '../../packages/runtime/src/sessions.js'
import { analysts, ours as analystsOurs, build, look, told } from './runs.fixture.js'
import { down, settled, TestStore, until, Works } from './sessions.fixture.js'

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

interface Desk {
  readonly agent: BoundAgent
  readonly sessions: SessionRegistry<{ clerk: BoundAgent }>
  open(options?: { readonly takeOver: true }): Promise<Session>
}

/** An agent `clerk` with instructions and the tool `desk.work`, whose sessions keep their conversation. */
function desk(
  planner: Planner,
  {
    work = async () => 'done',
    ...options
  }: Partial<SessionRegistryOptions<{ clerk: BoundAgent }>> & {
    readonly work?: (
      args: { readonly name: string },
      context: { readonly meta: { readonly signal: AbortSignal } },
    ) => Promise<unknown>
  } = {},
): Desk {
  const works = tool({ name: 'work', description: 'Works.', parameters: named, run: work })
  const agent = new Runtime().registerAgent(
    { name: 'clerk', description: 'Clerk.', instructions: 'Be short.' },
    [toolset('desk', works)],
    { planner },
  )
  const sessions = new SessionRegistry({ agents: { clerk: agent }, conversation: true, ...options })
  return { agent, sessions, open: (more) => sessions.open('s-1', { userId: 'u-1', namespaces: ['clerk'], ...more }) }
}

const call = (name: string, toolCallId?: string) => ({
  tool: 'desk.work',
  arguments: JSON.stringify({ name }),
  ...(toolCallId !== undefined && { toolCallId }),
})

/** Calls the tool with each word after `work` of the last message of the user, then answers. */
const working: Planner = ({ messages }) => {
  const last = messages.at(-1)
  const text = String(last?.content)
  if (last?.role !== 'user' || !text.startsWith('work')) return answer('ok')
  const [, ...names] = text.split(' ')
  return callTools(...names.map((name) => call(name, `${name}-id`)))
}

/** The messages, short. */
const short = (messages: readonly ChatMessage[]): string =>
  messages
    .map((message) => {
      if (message.role === 'assistant' && message.tool_calls !== undefined)
        return `calls ${message.tool_calls.map(({ id }) => id).join('+')}`
      const content = String(message.content)
      return message.role === 'tool' ? `${message.tool_call_id}: ${content}` : `${message.role}: ${content}`
    })
    .join(' | ')

const INTERRUPTED = 'The call was interrupted before it ended. The tool may have done part of its work.'

describe('the conversation of a session', () => {
  it('is continued by each run, with the instructions of the agent in front', async () => {
    const seen: string[] = []
    const { agent, open } = desk((request) => {
      seen.push(short(request.messages))
      return working(request)
    })
    const session = await open()
    const first = await session.run(agent, 'work a b')
    const second = await session.run(agent, 'And then?')
    expect(short(session.messages)).toBe(
      'user: work a b | calls a-id+b-id | a-id: "done" | b-id: "done" | assistant: ok | user: And then? | assistant: ok',
    )
    expect(seen.at(-1)).toBe(
      'system: Be short. | user: work a b | calls a-id+b-id | a-id: "done" | b-id: "done" | assistant: ok | user: And then?',
    )
    expect(second.messages.slice(1)).toEqual(session.messages)
    expect(first.messages.slice(1)).toEqual(session.messages.slice(0, 5))
    expect(second.usage.turns).toBe(1)
  })

  it('is not kept without the option, nor changed by a run outside of it', async () => {
    const without = desk(working, { conversation: undefined })
    const session = await without.open()
    await session.run(without.agent, 'work a')
    expect(session.messages).toEqual([])
    const kept = desk(working)
    const other = await kept.open()
    await other.run(kept.agent, 'Hello')
    const outside = await other.run(kept.agent, 'A title, please', { conversation: false })
    expect(short(outside.messages)).toBe('system: Be short. | user: A title, please | assistant: ok')
    expect(short(other.messages)).toBe('user: Hello | assistant: ok')
  })

  it('takes messages and requests as input, and leaves their instructions to the run', async () => {
    const { agent, open } = desk(working)
    const session = await open()
    await session.run(agent, 'Hello')
    const input: ChatMessage[] = [
      { role: 'system', content: 'Be long.' },
      { role: 'user', content: 'One' },
      { role: 'user', content: 'Two' },
    ]
    const run = await session.run(agent, { messages: input, temperature: 0 })
    expect(short(run.messages)).toBe(
      'system: Be long. | user: Hello | assistant: ok | user: One | user: Two | assistant: ok',
    )
    await session.run(agent, [])
    expect(short(session.messages)).toBe(
      'user: Hello | assistant: ok | user: One | user: Two | assistant: ok | assistant: ok',
    )
  })

  it.each<[string, unknown[], RegExp]>([
    [
      'an answer without a call',
      [{ role: 'tool', tool_call_id: 'x', content: '' }],
      /Message 0 of the input: .*does not exist/,
    ],
    [
      'a call without an answer',
      [{ role: 'assistant', tool_calls: [{ id: 'x', type: 'function', function: { name: 'a', arguments: '' } }] }],
      /has no answer/,
    ],
    ['no chat messages', [{ role: 'user' }], /Message 0 of the input: .*content is missing/],
  ])('refuses input with %s, and stays as it is', async (_, input, message) => {
    const { agent, open } = desk(working)
    const session = await open()
    await session.run(agent, 'Hello')
    const run = await session.run(agent, JSON.parse(JSON.stringify(input)))
    expect(run.status).toBe('failed')
    expect(run.error?.message).toMatch(message)
    expect(short(session.messages)).toBe('user: Hello | assistant: ok')
    expect((await session.run(agent, 'Again')).status).toBe('completed')
  })

  it('has the messages of a run that fails', async () => {
    const { agent, open } = desk((request) => {
      if (request.turn === 2) throw new Error('the model is down')
      return working(request)
    })
    const session = await open()
    expect((await session.run(agent, 'work a')).status).toBe('failed')
    expect(short(session.messages)).toBe('user: work a | calls a-id | a-id: "done"')
  })

  it('has the calls of a step that was cancelled, with the answers that there were', async () => {
    const caller = new AbortController()
    const { agent, open } = desk(working, {
      work: async ({ name }, { meta: { signal } }) => {
        if (name === 'a') return 'done'
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          setImmediate(() => caller.abort())
        })
      },
    })
    const session = await open()
    const run = await session.run(agent, 'work a b', { signal: caller.signal })
    expect(run.status).toBe('cancelled')
    expect(validateHistory(session.messages)).toEqual([])
    expect(short(session.messages)).toMatch(/^user: work a b \| calls a-id\+b-id \| a-id: "done" \| b-id: The call was/)
  })

  it('has the calls of a step whose layer throws', async () => {
    const { agent, open } = desk(working)
    const session = await open()
    const broken = agent.stepLayer((next) => async (request) => {
      await next(request)
      throw new Error('broken')
    })
    expect((await session.run(broken, 'work a')).status).toBe('failed')
    expect(short(session.messages)).toBe('user: work a | calls a-id | a-id: "done"')
  })

  it('has answers for the calls of a suspended run, and their results after it was resumed', async () => {
    const { agent, open } = desk(working)
    const asked = agent.layer(approval())
    const env = {
      approval: {
        approve: async ({ toolCallId }: { toolCallId: string }) =>
          toolCallId === 'a-id' ? ('approve' as const) : ('suspend' as const),
      },
    }
    const session = await open()
    const { suspension } = await session.run(asked, 'work a b', { env })
    expect(short(session.messages)).toBe(
      'user: work a b | calls a-id+b-id | a-id: "done" | b-id: The call waits for an answer. Its result will follow.',
    )
    if (suspension === undefined) throw new Error('it was not suspended')
    const run = await session.resume(asked, JSON.parse(JSON.stringify(suspension)), { 'b-id': 'approve' }, { env })
    expect(run.status).toBe('completed')
    expect(run.messages.slice(1)).toEqual(session.messages)
    expect(short(session.messages)).toBe(
      'user: work a b | calls a-id+b-id | a-id: "done" | b-id: "done" | assistant: ok',
    )
    await session.run(asked, 'Thanks', { env })
    expect(session.messages).toHaveLength(7)
  })

  it('has the messages of the runs between a suspension and its end', async () => {
    const { agent, open } = desk(working)
    const asked = agent.layer(approval())
    const env = { approval: { approve: async () => 'suspend' as const } }
    const session = await open()
    const { suspension } = await session.run(asked, 'work a', { env })
    await session.run(asked, 'Meanwhile', { env })
    if (suspension === undefined) throw new Error('it was not suspended')
    const run = await session.resume(asked, suspension, { 'a-id': 'approve' }, { env })
    expect(short(run.messages)).not.toContain('Meanwhile')
    expect(short(session.messages)).toBe(
      'user: work a | calls a-id | a-id: "done" | user: Meanwhile | assistant: ok | assistant: ok',
    )
  })

  it('has the question of a run and its answer', async () => {
    const { agent, open } = desk(({ messages }) => (messages.length === 2 ? ask('Which one?') : answer('ok')))
    const session = await open()
    const { suspension } = await session.run(agent, 'Where is it?')
    expect(short(session.messages)).toBe('user: Where is it? | assistant: Which one?')
    if (suspension === undefined) throw new Error('it asked nothing')
    await session.run(agent, 'Meanwhile')
    await session.resume(agent, suspension, 'A-1')
    expect(short(session.messages)).toBe(
      'user: Where is it? | assistant: Which one? | user: Meanwhile | assistant: ok | user: A-1 | assistant: ok',
    )
  })

  it('refuses a second run at the same time, also from inside of the first, and then goes on', async () => {
    let inner: unknown
    let session: Session | undefined
    const { agent, open } = desk(working, {
      work: async () => {
        const run = await session?.run(agent, 'inner')
        inner = run?.error?.cause
        return 'done'
      },
    })
    session = await open()
    const first = session.run(agent, 'work a')
    const cleared = expect(session.clearMessages()).rejects.toMatchObject({ code: 'run_in_progress' })
    const second = await session.run(agent, 'second')
    expect(second.error?.cause).toMatchObject({ name: 'SessionError', code: 'run_in_progress' })
    expect(String(second.error?.cause)).toContain('conversation: false')
    await cleared
    expect((await first).status).toBe('completed')
    expect(inner).toMatchObject({ code: 'run_in_progress' })
    expect((await session.run(agent, 'third')).status).toBe('completed')
    expect(short(session.messages)).toBe(
      'user: work a | calls a-id | a-id: "done" | assistant: ok | user: third | assistant: ok',
    )
  })

  it('can be read while a run is in progress, up to its last step', async () => {
    const read: string[] = []
    let session: Session | undefined
    const { agent, open } = desk(({ turn }) => (turn < 3 ? callTools(call('a', `${turn}`)) : answer('ok')), {
      work: async () => {
        read.push(short(session?.messages ?? []))
        return 'done'
      },
    })
    session = await open()
    await session.run(agent, 'Go')
    expect(read).toEqual(['', 'user: Go | calls 1 | 1: "done"'])
  })

  it('is removed by clearMessages, also from the store', async () => {
    const store = new TestStore()
    const { agent, open } = desk(working, { store })
    const session = await open()
    await session.run(agent, 'Hello')
    expect(store.saved.at(-1)?.messages).toHaveLength(2)
    store.failure = down
    await expect(session.clearMessages()).rejects.toMatchObject({ code: 'store_failed' })
    expect(session.messages).toHaveLength(2)
    store.failure = undefined
    await session.clearMessages()
    expect(session.messages).toEqual([])
    expect(store.saved.at(-1)?.messages).toBeUndefined()
    expect(short((await session.run(agent, 'Again')).messages)).toBe('system: Be short. | user: Again | assistant: ok')
  })

  it('outlives closing, also in a registry without the option', async () => {
    const store = new TestStore({ isDurable: false })
    const { agent, sessions, open } = desk(working, { store })
    await (await open()).run(agent, 'work a')
    expect(store.saved).toEqual([])
    await sessions.close('s-1')
    const without = desk(working, { store, conversation: undefined })
    const read = await without.open()
    expect(read.messages).toHaveLength(4)
    expect((await read.run(without.agent, 'Hello')).messages).toHaveLength(3)
    await without.sessions.close('s-1')
    const again = await open()
    await again.run(agent, 'And?')
    expect(again.messages).toHaveLength(6)
  })

  it('keeps an unchanged message as one record, and adds only the new ones', async () => {
    const store = new TestStore()
    const { agent, open } = desk(working, { store })
    const session = await open()
    await session.run(agent, 'work a')
    const before = store.saved.at(-1)?.messages ?? []
    await session.run(agent, 'work a')
    const after = store.saved.at(-1)?.messages ?? []
    expect(after.slice(0, 4)).toEqual(before)
    expect(after.map(({ message }) => JSON.parse(message))).toEqual(session.messages)
    const sequences = after.map(({ sequence }) => sequence)
    expect(sequences).toEqual([...sequences].sort((one, other) => one - other))
  })

  it('is refused with its location if a store returns something else', async () => {
    const store = new TestStore()
    const { agent, open } = desk(working, { store })
    await (await open()).run(agent, 'Hello')
    const claim = store.claim.bind(store)
    store.claim = async (...given) => {
      const found = await claim(...given)
      return found && { ...found, messages: [{ sequence: 1, message: '{"role":"cat"}' }] }
    }
    const other = desk(working, { store })
    await expect(other.open({ takeOver: true })).rejects.toMatchObject({
      code: 'corrupt_state',
      message: expect.stringContaining('messages/0'),
    })
  })
})

describe('the limits of a conversation', () => {
  it.each([
    [{ maxMessages: 1 }, /conversation\.maxMessages is 1\. Expected an integer of at least 2/],
    [{ maxBytes: Number.NaN }, /conversation\.maxBytes is NaN/],
    [{ maxTokens: 1.5 }, /conversation\.maxTokens is 1\.5/],
  ])('%j are refused', (conversation, message) => {
    expect(() => desk(working, { conversation })).toThrow(message)
  })

  it('must be an object or true', () => {
    const conversation = JSON.parse('"yes"')
    expect(() => desk(working, { conversation })).toThrow(/must be `true` or an object/)
  })

  it('remove whole turns, the oldest first', async () => {
    const { agent, open } = desk(working, { conversation: { maxMessages: 7 } })
    const session = await open()
    for (const text of ['work a', 'work b', 'Hello']) await session.run(agent, text)
    expect(short(session.messages)).toBe(
      'user: work b | calls b-id | b-id: "done" | assistant: ok | user: Hello | assistant: ok',
    )
  })

  it('remove the oldest steps of a turn that is too long, but not its question', async () => {
    const planner: Planner = ({ turn }) => (turn < 5 ? callTools(call('x', `${turn}`)) : answer('ok'))
    const { agent, open } = desk(planner, { conversation: { maxMessages: 6 } })
    const session = await open()
    const run = await session.run(agent, 'Go')
    expect(run.messages).toHaveLength(11)
    expect(short(session.messages)).toBe('user: Go | calls 3 | 3: "done" | calls 4 | 4: "done" | assistant: ok')
  })

  it('shorten long messages, and calls with long arguments', async () => {
    const long = 'x'.repeat(50_000)
    const { agent, open } = desk(
      ({ messages }) => (messages.at(-1)?.role === 'user' ? callTools(call(long, 'a')) : answer('ok')),
      { conversation: { maxBytes: 2_000 }, work: async () => long },
    )
    const session = await open()
    await session.run(agent, long)
    expect(JSON.stringify(session.messages).length).toBeLessThan(2_010)
    expect(validateHistory(session.messages)).toEqual([])
    expect(session.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(String(session.messages[0]?.content)).toMatch(/x… \(shortened, 50000 characters\)$/)
  })

  it('hold for every conversation, which is always a valid history that ends with the last messages', async () => {
    const word = fc.constantFrom(
      'work a',
      'work a b c',
      'Hello',
      `work ${'z'.repeat(40)}`,
      'y'.repeat(600),
      'é😀"\n'.repeat(50),
    )
    const limits = fc.record({
      maxMessages: fc.integer({ min: 2, max: 12 }),
      maxBytes: fc.integer({ min: 1_000, max: 4_000 }),
      maxTokens: fc.integer({ min: 250, max: 2_000 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 8 }), limits, async (texts, conversation) => {
        const { agent, open } = desk(working, { conversation })
        const session = await open()
        for (const text of texts) await session.run(agent, text)
        const { messages } = session
        expect(validateHistory(messages)).toEqual([])
        expect(messages.length).toBeLessThanOrEqual(conversation.maxMessages)
        const bytes = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0)
        expect(bytes).toBeLessThanOrEqual(conversation.maxBytes)
        expect(messages[0]?.role ?? 'user').toBe('user')
        expect(messages.at(-1)).toEqual({ role: 'assistant', content: 'ok' })
      }),
      { numRuns: 100 },
    )
  })

  it('leave out files, whose place a text takes; addresses of files stay', async () => {
    const data = 'A'.repeat(400_000)
    const { agent, open } = desk(() => answer('ok'))
    const session = await open()
    const run = await session.run(agent, [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'input_audio', input_audio: { data, format: 'wav' } },
          { type: 'file', file: { file_data: data, filename: 'a.pdf' } },
          { type: 'file', file: { file_id: 'f-1' } },
        ],
      },
    ])
    expect(JSON.stringify(run.messages).length).toBeGreaterThan(1_200_000)
    expect(JSON.stringify(session.messages).length).toBeLessThan(1_000)
    expect(session.messages[0]?.content).toEqual([
      { type: 'text', text: 'What is this?' },
      { type: 'text', text: '(This image of 400022 characters is not kept in the conversation.)' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'text', text: '(This audio of 400000 characters is not kept in the conversation.)' },
      { type: 'text', text: '(This file of 400000 characters is not kept in the conversation.)' },
      { type: 'file', file: { file_id: 'f-1' } },
    ])
  })

  it('do not count messages that no store can keep: those are left out', async () => {
    const odd: any = { role: 'assistant', content: 'odd', big: 1n }
    const { agent, open } = desk(() => ({ kind: 'answer', text: 'odd', message: odd }))
    const session = await open()
    expect((await session.run(agent, 'Hello')).status).toBe('completed')
    expect(short(session.messages)).toBe('user: Hello')
  })
})

describe('a stored conversation', () => {
  /** Opens the session with the state that a process has left that died after its save number `index`. */
  const after = async (store: TestStore, index: number): Promise<Session> => {
    const crashed = new TestStore()
    const state = store.saved[index]
    if (state !== undefined) await crashed.save(state, 'dead')
    return desk(working, { store: crashed }).open({ takeOver: true })
  }

  it('has every call before it runs, and every answer before a model reads it, whenever the process dies', async () => {
    const store = new TestStore()
    const begun: number[] = []
    const { agent, open } = desk(
      (request) => {
        const answers = request.messages.filter(({ role }) => role === 'tool')
        const stored = (store.saved.at(-1)?.messages ?? []).map(({ message }) => JSON.parse(message))
        for (const each of answers) expect(stored).toContainEqual(each)
        return working(request)
      },
      {
        store,
        work: async ({ name }) => {
          begun.push(store.saved.length)
          expect(JSON.stringify(store.saved.at(-1)?.messages)).toContain(`${name}-id`)
          return 'done'
        },
      },
    )
    const session = await open()
    for (const text of ['work a b', 'Hello', 'work c']) await session.run(agent, text)
    expect(begun).toEqual([2, 2, 6])
    const histories: string[] = []
    for (let index = -1; index < store.saved.length; index += 1) {
      const restored = await after(store, index)
      expect(validateHistory(restored.messages)).toEqual([])
      histories.push(short(restored.messages))
    }
    expect(histories.slice(1, 5)).toEqual([
      '',
      `user: work a b | calls a-id+b-id | a-id: ${INTERRUPTED} | b-id: ${INTERRUPTED}`,
      'user: work a b | calls a-id+b-id | a-id: "done" | b-id: "done"',
      'user: work a b | calls a-id+b-id | a-id: "done" | b-id: "done" | assistant: ok',
    ])
    expect(histories.at(-1)).toBe(short(session.messages))
  })

  it('does not run a call that cannot be stored', async () => {
    const store = new TestStore()
    const begun: string[] = []
    const { agent, open } = desk(working, {
      store,
      work: async ({ name }) => {
        begun.push(name)
        return 'done'
      },
    })
    const session = await open()
    store.failure = down
    const run = await session.run(agent, 'work a')
    expect(run.status).toBe('failed')
    expect(run.error?.cause).toMatchObject({ name: 'SessionError', code: 'store_failed' })
    expect(begun).toEqual([])
    store.failure = undefined
    await until(() => store.saved.at(-1)?.messages !== undefined)
    expect(short(session.messages)).toBe(`user: work a | calls a-id | a-id: ${INTERRUPTED}`)
  })

  it('gives the answer back if it cannot be stored yet, and stores it later', async () => {
    const store = new TestStore()
    const { agent, open } = desk(working, { store })
    const session = await open()
    store.failure = down
    expect((await session.run(agent, 'Hello')).result?.text).toBe('ok')
    expect(store.saved.at(-1)?.messages).toBeUndefined()
    store.failure = undefined
    await until(() => store.saved.at(-1)?.messages !== undefined)
    expect(store.saved.at(-1)?.messages).toHaveLength(2)
  })

  it('of a session that was opened elsewhere is not changed: the run is cancelled', async () => {
    const store = new TestStore()
    const here = desk(working, { store })
    const session = await here.open()
    await session.run(here.agent, 'Hello')
    const there = await desk(working, { store }).open({ takeOver: true })
    const run = await session.run(here.agent, 'And here?')
    expect(run.status).toBe('cancelled')
    expect((await session.run(here.agent, 'And now?')).error?.cause).toMatchObject({ code: 'superseded' })
    expect(there.messages).toHaveLength(2)
  })

  it('has what was kept when its session is closed before the run ends', async () => {
    const store = new TestStore()
    const { agent, sessions, open } = desk(
      ({ turn }) => (turn === 1 ? callTools(call('a', 'a')) : new Promise<never>(() => undefined)),
      { store },
    )
    const session = await open()
    const run = session.run(agent, 'Go')
    await settled()
    await sessions.close('s-1', { drainMs: 1 })
    expect((await run).status).toBe('cancelled')
    expect(short((await open()).messages)).toBe('user: Go | calls a | a: "done"')
  })

  it('takes the result of a streaming call over in the write that removes it from the entries', async () => {
    const works = new Works()
    const store = new TestStore()
    const planner: Planner = ({ messages }) =>
      messages.at(-1)?.content === 'Build it.'
        ? callTools(build('a'))
        : messages.at(-1)?.content === 'Look.'
          ? callTools(look('b'))
          : answer('ok')
    const { agent, sessions } = analysts(works, planner, { store, conversation: true })
    const session = await sessions.open('s-1', analystsOurs)
    await session.run(agent, 'Build it.')
    ;(await works.of('a')).complete('ready')
    await until(() => !session.hasPending())
    const outside = await session.run(agent, 'A title?', { conversation: false })
    expect(told(outside)).toEqual([])
    const { length } = store.saved
    const run = await session.run(agent, 'And?')
    expect(told(run)).toHaveLength(1)
    for (const { entries, messages = [] } of store.saved.slice(length)) {
      const isMoved = messages.some(({ message }) => message.includes('has ended. Its result:'))
      expect([isMoved, entries.length]).toEqual([true, 0])
    }
    expect(told(session)).toHaveLength(1)
    expect(told(await session.run(agent, 'Once more'))).toHaveLength(1)
  })

  it('has the result of a streaming call once if the run is cancelled meanwhile', async () => {
    const works = new Works()
    const store = new TestStore()
    const planner: Planner = ({ messages }) =>
      messages.at(-1)?.content === 'Build it.' ? callTools(build('a')) : answer('ok')
    const { agent, sessions } = analysts(works, planner, { store, conversation: true })
    const session = await sessions.open('s-1', analystsOurs)
    await session.run(agent, 'Build it.')
    ;(await works.of('a')).complete('ready')
    await until(() => !session.hasPending())
    const letGo = store.hold()
    const caller = new AbortController()
    const cancelled = session.run(agent, '?', { signal: caller.signal })
    await settled()
    caller.abort()
    await settled()
    letGo()
    expect((await cancelled).status).toBe('cancelled')
    expect(session.poll().length + told(session).length).toBe(1)
    expect(told(await session.run(agent, 'Now'))).toHaveLength(1)
    expect(told(session)).toHaveLength(1)
  })
})
