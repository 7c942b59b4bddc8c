import { describe, expect, it } from 'vitest'
import {
  type BoundToolset,
  type RunEvent,
  Runtime,
  type ToolLayer,
  tool,
  toolset,
} from '../../packages/runtime/src/index.js'
import { type Session, SessionRegistry } from '../../packages/runtime/src/sessions.js'
import {
  acknowledged,
  begun,
  build,
  look,
  ours,
  registryOf,
  said,
  settled,
  stillEffects,
  TestStore,
  until,
  Works,
} from './sessions.fixture.js'

const kinds = [
  ['a store in memory', () => undefined],
  ['a durable store', () => new TestStore()],
] as const

describe.each(kinds)('calls in a session with %s', (_, storeOf) => {
  const sessionOf = async (works: Works): Promise<Session> => {
    const store = storeOf()
    const registry = registryOf(works, { ...(store !== undefined && { store }), runtime: { effects: stillEffects() } })
    return registry.open('s-1', ours)
  }

  it('a tool that answers once answers with its outcome, and leaves nothing behind', async () => {
    const session = await sessionOf(new Works())
    const answer = await session.execute(look('A'))
    expect(answer).toMatchObject({ status: 'completed', json: '{"looked":"A","session":"s-1"}' })
    expect([session.poll(), session.pending(), session.hasPending()]).toEqual([[], [], false])
  })

  it('a streaming tool is acknowledged when it begins', async () => {
    const works = new Works()
    const session = await sessionOf(works)
    const answer = await session.execute(build('A', 'from the model'))
    expect(answer).toEqual({
      status: 'streaming',
      callId: 'toolCall-1',
      toolCallId: 'from the model',
      tool: 'reports.reports_build',
      message: expect.stringContaining("'toolCall-1'"),
    })
    const { callId, toolCallId, tool: name } = acknowledged(answer)
    expect(session.pending()).toEqual([{ callId, toolCallId, tool: name, isRun: false, startedAt: 1_000 }])
    expect(session.hasPending()).toBe(true)
    expect((await works.of('A')).sessionId).toBe('s-1')
  })

  it('its updates and its one end come in order, with both ids', async () => {
    const works = new Works()
    const session = await sessionOf(works)
    await session.execute(build('A', 'm'))
    const work = await works.of('A')
    await work.emit({ page: 1 })
    await work.emit({ page: 2 })
    work.complete({ pages: 2 })
    await settled()
    expect(session.poll().map(said)).toEqual(['1:{"page":1}', '2:{"page":2}', 'completed {"pages":2}'])
    expect(session.poll().map(({ callId, toolCallId }) => [callId, toolCallId])).toEqual(
      Array(3).fill(['toolCall-1', 'm']),
    )
    expect(session.poll().map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    expect(session.hasPending()).toBe(false)
  })

  it('without an id of the model the call goes by its own everywhere', async () => {
    const works = new Works()
    const session = await sessionOf(works)
    const answer = acknowledged(await session.execute(build('A')))
    expect(answer).not.toHaveProperty('toolCallId')
    ;(await works.of('A')).complete(1)
    await settled()
    const [entry] = session.poll()
    expect(entry).not.toHaveProperty('toolCallId')
    expect(entry).toMatchObject({ callId: answer.callId, outcome: { call: { toolCallId: answer.callId } } })
  })

  it('two calls under one id of the model stay two', async () => {
    const works = new Works()
    const session = await sessionOf(works)
    await session.execute(build('A', 'm'))
    await session.execute(build('B', 'm'))
    ;(await works.of('B')).complete('b')
    await settled()
    expect((await session.consumeCompleted()).map(({ completion }) => said(completion))).toEqual(['completed "b"'])
    expect(session.pending()).toMatchObject([{ callId: 'toolCall-1' }])
  })

  it('a failure after the acknowledgement is the end of the call', async () => {
    const works = new Works()
    const session = await sessionOf(works)
    const { work } = await begun(session, works, 'A')
    work.fail(new Error('broken'))
    await settled()
    expect(session.poll().map(said)).toEqual(['failed internal'])
    expect(JSON.stringify(session.poll())).not.toContain('broken')
  })

  it('a tool that ends at once is acknowledged all the same, before its end comes', async () => {
    const quick = tool({
      name: 'quick',
      description: 'Quick.',
      parameters: {},
      updates: true,
      run: async (_args, { emit }) => {
        await emit(1)
        return 2
      },
    })
    const store = storeOf()
    const registry = new SessionRegistry({
      agents: { quick: new Runtime().registerToolset(toolset('quick', quick)) },
      ...(store !== undefined && { store }),
    })
    const session = await registry.open('s-1', { userId: 'u-1', namespaces: ['quick'] })
    const order: string[] = []
    const reading = (async () => {
      for await (const entry of session) {
        order.push(said(entry))
        if (entry.kind === 'completed') return
      }
    })()
    order.push((await session.execute({ tool: 'quick', arguments: '{}' })).status)
    await reading
    expect(order).toEqual(['streaming', '1:1', 'completed 2'])
  })

  it.each([
    ['an unknown tool', { tool: 'reports.reports_biuld', arguments: '{}' }, 'unknown_tool'],
    ['arguments that are no JSON', { tool: 'reports.reports_build', arguments: '{' }, 'invalid_arguments'],
  ])('%s is an outcome and is not kept', async (_name, call, reason) => {
    const session = await sessionOf(new Works())
    expect(await session.execute(call)).toMatchObject({ status: 'failed', error: { reason } })
    expect([session.poll(), session.pending()]).toEqual([[], []])
  })

  it('a call that was cancelled before its tool begins is an outcome', async () => {
    const session = await sessionOf(new Works())
    const answer = await session.execute(build('A'), { signal: AbortSignal.abort() })
    expect(answer).toMatchObject({ status: 'failed', error: { reason: 'cancelled' } })
    expect([session.poll(), session.pending()]).toEqual([[], []])
  })

  it('cancels a call by its id, once', async () => {
    const works = new Works()
    const session = await sessionOf(works)
    const { callId, work } = await begun(session, works, 'A')
    const other = await begun(session, works, 'B')
    expect(session.cancel(callId, 'the user has left')).toBe(true)
    expect(work.signal.reason).toMatchObject({ name: 'AbortError', message: 'the user has left' })
    expect(other.work.signal.aborted).toBe(false)
    await settled()
    expect(session.poll().map(said)).toEqual(['failed cancelled'])
    expect([session.cancel(callId), session.cancel('no such call')]).toEqual([false, false])
    await expect(work.emit(1)).rejects.toMatchObject({ reason: 'cancelled' })
    work.complete('too late')
    await settled()
    expect(session.poll().map(said)).toEqual(['failed cancelled'])
  })

  it("the caller's signal counts until the acknowledgement: the work goes on behind it", async () => {
    const works = new Works()
    const session = await sessionOf(works)
    const controller = new AbortController()
    await session.execute(build('A'), { signal: controller.signal })
    controller.abort()
    const work = await works.of('A')
    expect(work.signal.aborted).toBe(false)
    work.complete('ready')
    await settled()
    expect(session.poll().map(said)).toEqual(['completed "ready"'])
    const early = await session.execute(build('B'), { signal: AbortSignal.abort() })
    expect(early).toMatchObject({ status: 'failed', error: { reason: 'cancelled' } })
  })

  it('who gives a call up does not wait for a store that does not answer, and nothing of it is kept', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    store.saved.length = 0
    const letGo = store.hold()
    const caller = new AbortController()
    const answer = session.execute(build('A'), { signal: caller.signal })
    await works.of('A')
    caller.abort()
    expect(await answer).toMatchObject({ status: 'failed', error: { reason: 'cancelled' } })
    expect([session.hasPending(), session.poll()]).toEqual([false, []])
    letGo()
    await until(() => store.saved.at(-1)?.running.length === 0)
    expect(store.saved.map(({ running }) => running.length)).toEqual([1, 0])
  })

  it('a deadline ends a call after its acknowledgement too', async () => {
    const works = new Works()
    const session = await sessionOf(works)
    await session.execute(build('A'), { deadline: 1_003 })
    for await (const entry of session) {
      expect(said(entry)).toBe('failed timeout')
      break
    }
  })

  it('options cannot put a call into another session', async () => {
    const session = await sessionOf(new Works())
    const options: object = { sessionId: 'of somebody else' }
    expect(await session.execute(look('A'), options)).toMatchObject({ json: expect.stringContaining('"s-1"') })
  })
})

describe('calls in a session', () => {
  it('wait in their layers without an acknowledgement, and what a layer answers is the answer', async () => {
    let approve: (outcome: 'pass' | 'suspend') => void = () => undefined
    const layer: ToolLayer = (next) => async (request) => {
      const decision = await new Promise((resolve) => {
        approve = resolve
      })
      return decision === 'pass' ? next(request) : request.suspend('approval')
    }
    const guarded = tool({
      name: 'guarded',
      description: 'Guarded.',
      parameters: {},
      updates: true,
      run: async () => 1,
    }).layer(layer)
    const registry = new SessionRegistry({ agents: { a: new Runtime().registerToolset(toolset('a', guarded)) } })
    const session = await registry.open('s-1', { userId: 'u-1', namespaces: ['a'] })
    const answers = [session.execute({ tool: 'guarded', arguments: '{}' })]
    await settled()
    expect([session.pending(), session.hasPending()]).toEqual([[], false])
    approve('suspend')
    expect(await answers[0]).toMatchObject({ status: 'suspended' })
    answers.push(session.execute({ tool: 'guarded', arguments: '{}' }))
    await settled()
    approve('pass')
    expect(await answers[1]).toMatchObject({ status: 'streaming' })
    await settled()
    expect(session.poll().map(said)).toEqual(['completed 1'])
  })

  it('report updates to listeners and sinks', async () => {
    const works = new Works()
    const events: RunEvent[] = []
    const session = await registryOf(works, { runtime: { sinks: [(event) => events.push(event)] } }).open('s-1', ours)
    const updates: string[] = []
    await session.execute(build('A'), { onUpdate: (update) => updates.push(update) })
    const work = await works.of('A')
    await work.emit('half')
    work.complete('done')
    await settled()
    expect(updates).toEqual(['"half"'])
    expect(events.map(({ type, sessionId }) => [type, sessionId])).toEqual([
      ['call_started', 's-1'],
      ['call_updated', 's-1'],
      ['call_ended', 's-1'],
    ])
  })

  it('keep as plain data what a layer made of an outcome', async () => {
    const extra = { when: new Date(0), self: undefined }
    const layer: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      return { ...outcome, provenance: { ...outcome.provenance, extra: extra as never } }
    }
    const session = await layered(layer)
    expect(session.poll()).toMatchObject([{ outcome: { provenance: { extra: { when: '1970-01-01T00:00:00.000Z' } } } }])
  })

  it('fail where what a layer made cannot be kept', async () => {
    const layer: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      return { ...outcome, provenance: { ...outcome.provenance, extra: { count: 1n as never } } }
    }
    expect((await layered(layer)).poll().map(said)).toEqual(['failed internal'])
  })

  it('give out entries that nobody can change', async () => {
    const works = new Works()
    const session = await registryOf(works).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    await work.emit(1)
    work.complete(1)
    await settled()
    const frozen = session
      .poll()
      .flatMap((entry) => [entry, ...(entry.kind === 'completed' ? [entry.outcome, entry.outcome.provenance] : [])])
    expect(frozen.map((part) => Object.isFrozen(part))).toEqual(frozen.map(() => true))
  })
})

async function layered(layer: ToolLayer): Promise<Session> {
  const one = tool({ name: 'one', description: 'One.', parameters: {}, updates: true, run: async () => 1 }).layer(layer)
  const bound: BoundToolset = new Runtime().registerToolset(toolset('a', one))
  const session = await new SessionRegistry({ agents: { a: bound } }).open('s-1', { userId: 'u-1', namespaces: ['a'] })
  await session.execute({ tool: 'one', arguments: '{}' })
  await settled()
  return session
}
