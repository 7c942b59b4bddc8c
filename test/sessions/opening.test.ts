import { describe, expect, it } from 'vitest'
import { Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { begun, look, ours, registryOf, reports, said, settled, TestStore, until, Works } from './sessions.fixture.js'

const say = (name: string) => tool({ name, description: name, parameters: {}, run: () => name })
const runtime = new Runtime()
const agents = {
  support: runtime.registerAgent({ name: 'support', description: 'Helps.' }, [
    toolset('orders', say('get_order'), say('cancel_order')),
    toolset('faq', say('find_answer')),
  ]),
  billing: runtime.registerToolset(toolset('invoices', say('send_invoice'))),
  archive: runtime.registerToolset(toolset('orders', say('get_order'))),
}

describe('opening a session', () => {
  it('gives it the tools of its namespaces, in their order', async () => {
    const sessions = new SessionRegistry({ agents })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['billing', 'support.orders'] })
    expect(session).toMatchObject({
      id: 's-1',
      userId: 'u-1',
      namespaces: ['billing', 'support.orders'],
      missingTools: [],
    })
    expect(session.tools.map(({ toolName }) => toolName)).toEqual(['send_invoice', 'get_order', 'cancel_order'])
  })

  it('calls a tool on behalf of the agent that it belongs to', async () => {
    const sessions = new SessionRegistry({ agents })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['support', 'billing'] })
    const agentsTold: unknown[] = []
    for (const name of ['get_order', 'invoices.send_invoice']) {
      const answer = await session.execute(
        { tool: name, arguments: '{}' },
        { onEvent: ({ agent, type }) => type === 'call_ended' && agentsTold.push(agent) },
      )
      expect(answer.status).toBe('completed')
    }
    expect(agentsTold).toEqual(['support', undefined])
  })

  it('knows nothing of tools outside its namespaces, not even their names', async () => {
    const sessions = new SessionRegistry({ agents })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['support.faq'] })
    const answers = [
      await session.execute({ tool: 'orders.get_order', arguments: '{}' }),
      await session.execute({ tool: 'find_answers', arguments: '{}' }),
    ]
    expect(answers).toMatchObject([
      { error: { reason: 'unknown_tool' }, hint: { near: [] } },
      { error: { reason: 'unknown_tool' }, hint: { near: ['find_answer'] } },
    ])
  })

  it('gives it the tools of a namespace of designs, of all agents', async () => {
    const sessions = new SessionRegistry({ agents })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['default'] }).catch((error) => error)
    expect(session).toMatchObject({
      code: 'ambiguous_tool',
      message:
        "In the namespace 'default', both 'support' and 'archive' have the tool 'orders.get_order'. Open the session with one of these two names instead.",
    })
    const { archive: _, ...others } = agents
    const two = await new SessionRegistry({ agents: others }).open('s-1', { userId: 'u-1', namespaces: ['default'] })
    expect(two.tools.map(({ toolName }) => toolName)).toEqual([
      'get_order',
      'cancel_order',
      'find_answer',
      'send_invoice',
    ])
    const named = new SessionRegistry({ agents: { default: agents.archive, billing: agents.billing } })
    const ofName = await named.open('s-1', { userId: 'u-1', namespaces: ['default'] })
    expect(ofName.tools.map(({ toolName }) => toolName)).toEqual(['get_order'])
  })

  it('finds the same session again, in whatever order its namespaces are named', async () => {
    const sessions = new SessionRegistry({ agents })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['support', 'billing'] })
    expect(await sessions.open('s-1', { userId: 'u-1', namespaces: ['billing', 'support'] })).toBe(session)
    expect(sessions.sessions).toEqual([session])
  })

  it.each<[string, string, { userId: string; namespaces: any[] }, string, RegExp]>([
    ['an empty id', '', { userId: 'u', namespaces: ['support'] }, 'invalid_id', /session id is empty/],
    ['no text as id', 7 as never, { userId: 'u', namespaces: ['support'] }, 'invalid_id', /session id is not a string/],
    ['an endless id', 'x'.repeat(257), { userId: 'u', namespaces: ['support'] }, 'invalid_id', /has 257 characters/],
    ['an id with a zero byte', 'a\0', { userId: 'u', namespaces: ['support'] }, 'invalid_id', /control characters/],
    [
      'an id with half a character',
      'a\ud800',
      { userId: 'u', namespaces: ['support'] },
      'invalid_id',
      /unpaired surrogates/,
    ],
    ['no user', 's', { userId: '', namespaces: ['support'] }, 'invalid_id', /user id is empty/],
    ['no namespaces', 's', { userId: 'u', namespaces: [] }, 'unknown_namespace', /Pass at least one/],
    [
      'an unknown agent',
      's',
      { userId: 'u', namespaces: ['sales'] },
      'unknown_namespace',
      /'sales'.*'support', 'billing'/,
    ],
    ['an unknown toolset', 's', { userId: 'u', namespaces: ['support.sales'] }, 'unknown_namespace', /'support.sales'/],
    ['half a namespace', 's', { userId: 'u', namespaces: ['support.'] }, 'unknown_namespace', /'support\.'/],
    [
      'a tool as namespace',
      's',
      { userId: 'u', namespaces: ['support.orders.get_order'] },
      'unknown_namespace',
      /get_order/,
    ],
    ['a name of every object', 's', { userId: 'u', namespaces: ['constructor'] }, 'unknown_namespace', /'constructor'/],
    [
      'two tools of one name',
      's',
      { userId: 'u', namespaces: ['support', 'archive'] },
      'ambiguous_tool',
      /'support' and 'archive' both have the tool 'orders.get_order'/,
    ],
    ['a namespace twice', 's', { userId: 'u', namespaces: ['support', 'support'] }, 'ambiguous_tool', /listed twice/],
    [
      'a namespace in another',
      's',
      { userId: 'u', namespaces: ['support', 'support.faq'] },
      'ambiguous_tool',
      /'find_answer'|'faq.find_answer'/,
    ],
  ])('fails for %s, and opens nothing', async (_, id, options, code, message) => {
    const store = new TestStore()
    const sessions = new SessionRegistry({ agents, store })
    await expect(sessions.open(id, options)).rejects.toMatchObject({
      name: 'SessionError',
      code,
      message: expect.stringMatching(message),
    })
    expect([sessions.sessions, store.claims]).toEqual([[], 0])
  })

  it('fails for another user and for other namespaces, without details of the other user', async () => {
    const sessions = new SessionRegistry({ agents })
    const session = await sessions.open('s-1', { userId: 'alice', namespaces: ['support'] })
    const wrongUser = { code: 'wrong_user', message: expect.not.stringMatching(/alice|support/) }
    await expect(sessions.open('s-1', { userId: 'bob', namespaces: ['support'] })).rejects.toMatchObject(wrongUser)
    await expect(sessions.restore('s-1', { userId: 'bob' })).rejects.toMatchObject(wrongUser)
    await expect(sessions.delete('s-1', { userId: 'bob' })).rejects.toMatchObject(wrongUser)
    await expect(sessions.open('s-1', { userId: 'alice', namespaces: ['billing'] })).rejects.toMatchObject({
      code: 'other_namespaces',
      message: expect.stringMatching(/'support', not 'billing'/),
    })
    expect(sessions.sessions).toEqual([session])
  })

  it('elsewhere with other namespaces, or as another user, leaves the session where it is', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const { work } = await begun(session, works, 'a')
    const elsewhere = new SessionRegistry({
      agents: { reports: reports(works), other: reports(works, { name: 'other' }) },
      store,
    })
    await expect(elsewhere.open('s-1', { userId: 'u-1', namespaces: ['other'] })).rejects.toMatchObject({
      code: 'other_namespaces',
    })
    await expect(elsewhere.restore('s-1', { userId: 'u-2' })).rejects.toMatchObject({ code: 'wrong_user' })
    work.complete('ready')
    await until(() => !session.hasPending())
    expect(await session.consumeCompleted()).toMatchObject([{ completion: { outcome: { json: '"ready"' } } }])
  })

  it('elsewhere and forgotten there does not come back by what goes on here', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const { work } = await begun(session, works, 'a')
    const elsewhere = registryOf(works, { store })
    await elsewhere.restore('s-1', { userId: 'u-1', takeOver: true })
    await elsewhere.close('s-1')
    await elsewhere.delete('s-1', { userId: 'u-1' })
    work.complete('ready')
    await settled()
    expect(() => session.poll()).toThrow(expect.objectContaining({ code: 'superseded' }))
    await expect(elsewhere.restore('s-1', { userId: 'u-1' })).rejects.toMatchObject({ code: 'unknown_session' })
  })

  it('twice at the same time makes one session, restored once', async () => {
    const store = new TestStore()
    const sessions = registryOf(new Works(), { store })
    const [one, other] = await Promise.all([sessions.open('s-1', ours), sessions.open('s-1', ours)])
    expect(one).toBe(other)
    expect(store.claims).toBe(1)
  })

  it('is not spoilt by another that fails at the same time', async () => {
    const store = new TestStore()
    const before = registryOf(new Works(), { store })
    await before.open('s-1', ours)
    await before.close('s-1')
    const sessions = registryOf(new Works(), { store })
    const both = await Promise.allSettled([
      sessions.open('s-1', { ...ours, userId: 'u-2' }),
      sessions.open('s-1', ours),
    ])
    expect(both).toMatchObject([{ reason: { code: 'wrong_user' } }, { value: { userId: 'u-1' } }])
  })

  it('waits for a session that is being closed, and restores it then', async () => {
    const works = new Works()
    const sessions = registryOf(works)
    const session = await sessions.open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const closing = sessions.close('s-1')
    const opening = sessions.open('s-1', ours)
    await settled()
    expect(sessions.sessions).toEqual([session])
    work.complete('done')
    await closing
    const next = await opening
    expect(next).not.toBe(session)
    expect(next.poll().map(said)).toEqual(['completed "done"'])
    expect(await next.execute(look('A'))).toMatchObject({ status: 'completed' })
  })

  it('of one user at the moment that another closes it is refused', async () => {
    const sessions = registryOf(new Works())
    await sessions.open('s-1', ours)
    const closing = sessions.close('s-1')
    await expect(sessions.open('s-1', { ...ours, userId: 'u-2' })).rejects.toMatchObject({ code: 'wrong_user' })
    await closing
  })
})

describe('a registry', () => {
  it('requires agent names that differ from namespaces', () => {
    expect(() => new SessionRegistry({ agents: {} })).toThrow(/at least one/)
    const bound = reports(new Works())
    expect(() => new SessionRegistry({ agents: { 'a.b': bound } })).toThrow(/'a.b'/)
    expect(() => new SessionRegistry({ agents: { '': bound } })).toThrow(/''/)
  })

  it.each([0, -1, 1.5, Number.NaN, '5'])('does not keep %s updates', (maxUpdatesPerCall: any) => {
    expect(() => registryOf(new Works(), { maxUpdatesPerCall })).toThrow(RangeError)
  })

  it('reports changes of its sessions, even if a listener throws', async () => {
    const told: string[] = []
    const sessions = registryOf(new Works(), {
      onEvent: ({ type, sessionId }) => {
        told.push(`${sessionId} ${type}`)
        throw new Error('a broken listener')
      },
    })
    await sessions.open('s-1', ours)
    await sessions.close('s-1')
    await sessions.restore('s-1', { userId: 'u-1', takeOver: true })
    expect(told).toEqual(['s-1 opened', 's-1 saved', 's-1 closed', 's-1 restored'])
  })
})
