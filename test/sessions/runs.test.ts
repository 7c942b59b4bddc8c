import { isToolgenError } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { approval } from '../../packages/runtime/src/index.js'
import { analyst, analysts, asking, build, idle, ours, told } from './runs.fixture.js'
import { settled, TestStore, until, Works } from './sessions.fixture.js'

describe('a run in a session', () => {
  it('that is cancelled before it begins takes nothing', async () => {
    const works = new Works()
    const { agent, sessions } = analysts(works, asking(build('a')))
    const session = await sessions.open('s-1', ours)
    await session.run(agent, 'Build it.')
    ;(await works.of('a')).complete('ready')
    await until(() => !session.hasPending())
    expect((await session.run(agent, '?', { signal: AbortSignal.abort() })).status).toBe('cancelled')
    expect(told(await session.run(agent, '?'))).toHaveLength(1)
  })

  it('that a layer begins again has heard what it heard', async () => {
    const works = new Works()
    let failures = 1
    const planner: Planner = (request) => {
      if (request.messages[0]?.content === 'Build it.') return asking(build('a'))(request)
      failures -= 1
      if (failures === 0) throw new Error('the model is down')
      return answer('!')
    }
    const { agent, sessions } = analysts(works, planner)
    const session = await sessions.open('s-1', ours)
    await session.run(agent, 'Build it.')
    ;(await works.of('a')).complete('ready')
    await until(() => !session.hasPending())
    const again = agent.runLayer((next) => async (request) => {
      const run = await next(request)
      return run.status === 'failed' ? next(request) : run
    })
    const run = await session.run(again, '?')
    expect(run.status).toBe('completed')
    expect(told(run)).toHaveLength(1)
  })

  it('goes on in the session in which it was suspended, and in no other', async () => {
    const works = new Works()
    const { agent, sessions } = analysts(works, asking(build('a')))
    const asked = agent.layer(approval())
    const env = { approval: { approve: async () => 'suspend' as const } }
    const alice = await sessions.open('s-1', ours)
    const bob = await sessions.open('s-2', { ...ours, userId: 'u-2' })
    const { suspension } = await alice.run(asked, 'Build it.', { env })
    expect(suspension).toMatchObject({ sessionId: 's-1' })
    if (suspension === undefined) return
    const id = suspension.pending[0]?.id ?? ''
    const stolen = await bob.resume(asked, suspension, { [id]: 'approve' }, { env })
    expect(stolen).toMatchObject({ status: 'failed', messages: [] })
    expect(stolen.error?.cause).toMatchObject({ code: 'other_session' })
    expect(works.begun).toEqual([])
    expect((await alice.resume(asked, suspension, { [id]: 'approve' }, { env })).status).toBe('completed')
  })

  it('fails where the session does not have the tools of the agent', async () => {
    const works = new Works()
    const { sessions } = analysts(works, idle)
    const session = await sessions.open('s-1', ours)
    const run = await session.run(analyst(works, { planner: idle }), '?')
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'internal' } })
    expect(run.error?.cause).toMatchObject({ code: 'unknown_namespace' })
    expect(isToolgenError(run.error?.cause, 'SessionError')).toBe(true)
  })

  it('fails where the session is closed', async () => {
    const { agent, sessions } = analysts(new Works(), idle)
    const session = await sessions.open('s-1', ours)
    await sessions.close('s-1')
    expect((await session.run(agent, '?')).error?.cause).toMatchObject({ code: 'closed' })
  })

  it('is waited for by a close, and its calls too', async () => {
    const works = new Works()
    let close = (): void => undefined
    const closing = new Promise<void>((resolve) => {
      close = resolve
    })
    const { agent, sessions } = analysts(works, async ({ turn }) => {
      if (turn === 1) return callTools(build('1'))
      await closing
      return turn === 2 ? callTools(build('2')) : answer('!')
    })
    const session = await sessions.open('s-1', ours)
    const run = session.run(agent, 'Build it.')
    ;(await works.of('1')).complete(1)
    await until(() => !session.hasPending())
    let isClosed = false
    const closed = sessions.close('s-1').then(() => {
      isClosed = true
    })
    close()
    expect((await run).status).toBe('completed')
    await settled()
    expect(isClosed).toBe(false)
    ;(await works.of('2')).complete(2)
    await closed
    const again = await sessions.open('s-1', ours)
    expect(again.poll().map((entry) => entry.kind === 'completed' && entry.outcome)).toMatchObject([{ json: '2' }])
    expect(told(await run)).toHaveLength(1)
  })

  it('is aborted by a close whose time is over', async () => {
    const works = new Works()
    const { agent, sessions } = analysts(works, () => new Promise<never>(() => undefined))
    const session = await sessions.open('s-1', ours)
    const run = session.run(agent, '?')
    await settled()
    await sessions.close('s-1', { drainMs: 1 })
    expect((await run).status).toBe('cancelled')
  })

  it('receives the outcomes of its calls after a restart', async () => {
    const works = new Works()
    const store = new TestStore()
    const before = analysts(works, asking(build('a'), build('b')), { store })
    const session = await before.sessions.open('s-1', ours)
    const first = await before.agent.run('?')
    expect(first.status).toBe('completed')
    await session.run(before.agent, 'Build it.')
    ;(await works.of('a')).complete('ready')
    await until(() => session.pending().length === 1)
    const after = analysts(new Works(), idle, { store })
    const restored = await after.sessions.restore('s-1', { userId: 'u-1', takeOver: true })
    const run = await restored.run(after.agent, 'And?')
    expect(told(run)).toEqual([
      expect.stringContaining('"ready"'),
      expect.stringMatching(/has failed:\n"The call was interrupted before it ended\./),
    ])
    expect(store.saved.at(-1)?.entries).toEqual([])
  })

  it('goes on without the results where the store does not let go of them; a later one has them', async () => {
    const works = new Works()
    const store = new TestStore()
    const { agent, sessions } = analysts(works, asking(build('a')), { store })
    const session = await sessions.open('s-1', ours)
    await session.run(agent, 'Build it.')
    ;(await works.of('a')).complete('ready')
    await until(() => !session.hasPending())
    store.failure = new Error('down')
    const without = await session.run(agent, '?')
    expect(without.status).toBe('completed')
    expect(told(without)).toEqual([])
    store.failure = undefined
    expect(told(await session.run(agent, '?'))).toHaveLength(1)
  })

  it('that is cancelled while the store lets go of them leaves them to a later one', async () => {
    const works = new Works()
    const store = new TestStore()
    const { agent, sessions } = analysts(works, asking(build('a')), { store })
    const session = await sessions.open('s-1', ours)
    await session.run(agent, 'Build it.')
    ;(await works.of('a')).complete('ready')
    await until(() => !session.hasPending())
    const letGo = store.hold()
    const caller = new AbortController()
    const cancelled = session.run(agent, '?', { signal: caller.signal })
    await settled()
    caller.abort()
    expect(await cancelled).toMatchObject({ status: 'cancelled', messages: [{ content: '?' }] })
    expect(session.poll()).toEqual([])
    const { saves } = store
    letGo()
    await until(() => store.saved.length > saves)
    expect(store.saved.at(-1)?.entries).toHaveLength(1)
    expect(session.poll()).toHaveLength(1)
    expect(told(await session.run(agent, '?'))).toHaveLength(1)
  })

  it('receives an error if the start of a call cannot be stored', async () => {
    const works = new Works()
    const store = new TestStore()
    const { agent, sessions } = analysts(works, asking(build('a')), { store })
    const session = await sessions.open('s-1', ours)
    store.failure = new Error('down')
    const run = await session.run(agent, 'Build it.')
    expect(run.outcomes).toMatchObject([{ status: 'failed', error: { reason: 'unavailable' } }])
    expect((await works.of('a')).signal.aborted).toBe(true)
    expect(session.hasPending()).toBe(false)
  })

  it('that is suspended goes on with its acknowledged calls, and begins those that were approved', async () => {
    const works = new Works()
    const { agent, sessions } = analysts(works, asking(build('a', 'one'), build('b', 'two')))
    const asked = agent.layer(approval())
    const session = await sessions.open('s-1', ours)
    const approve = async ({ toolCallId }: { readonly toolCallId: string }): Promise<'approve' | 'suspend'> =>
      toolCallId === 'one' ? 'approve' : 'suspend'
    const env = { approval: { approve } }
    const waiting = await session.run(asked, 'Build it.', { env })
    expect(waiting.outcomes).toMatchObject([{ acknowledgement: { toolCallId: 'one' } }, { status: 'suspended' }])
    const suspension = JSON.parse(JSON.stringify(waiting.suspension))
    ;(await works.of('a')).complete('ready')
    await settled()
    const run = await session.resume(asked, suspension, { two: 'approve' }, { env })
    expect(run.status).toBe('completed')
    expect(run.outcomes).toMatchObject([
      { acknowledgement: { toolCallId: 'one' }, result: { data: { status: 'streaming' } } },
      { acknowledgement: { toolCallId: 'two' } },
    ])
    expect(told(run)).toEqual([expect.stringContaining('"ready"')])
    expect(validateHistory(run.messages)).toEqual([])
    expect(session.pending()).toMatchObject([{ toolCallId: 'two' }])
  })
})
