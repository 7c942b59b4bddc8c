import { describe, expect, it } from 'vitest'
import { type RunEvent, Runtime } from '../../packages/runtime/src/index.js'
import { memoryStore, type Session, SessionRegistry } from '../../packages/runtime/src/sessions.js'
import {
  acknowledged,
  begun,
  build,
  registryOf,
  reports,
  said,
  settled,
  TestStore,
  until,
  Works,
} from './sessions.fixture.js'

const namespaces = ['reports'] as const

describe('two users who share one configuration and the same tool instances', () => {
  it('see only their own calls, updates, results and failures', async () => {
    const works = new Works()
    const events: RunEvent[] = []
    const sessions = registryOf(works, { runtime: { sinks: [(event) => events.push(event)] } })
    const alice = await sessions.open('s-alice', { userId: 'alice', namespaces })
    const bob = await sessions.open('s-bob', { userId: 'bob', namespaces })
    const heard: string[] = []
    const reading = (async () => {
      for await (const entry of bob) heard.push(said(entry))
    })()
    const a = await begun(alice, works, 'of alice')
    const b = await begun(bob, works, 'of bob')
    await a.work.emit('a')
    await b.work.emit('b')
    a.work.fail(new Error('of alice'))
    b.work.complete('b')
    await settled()
    expect(alice.poll().map(said)).toEqual(['1:"a"', 'failed internal'])
    expect(bob.poll().map(said)).toEqual(['1:"b"', 'completed "b"'])
    expect([await alice.consume(), await alice.consume()].map((entries) => entries.length)).toEqual([2, 0])
    expect(bob.poll()).toHaveLength(2)
    await sessions.closeAll()
    await reading
    expect(heard).toEqual(['1:"b"', 'completed "b"'])
    const ofBob = events.filter(({ sessionId }) => sessionId === 's-bob')
    expect(ofBob.map(({ type }) => type)).toEqual(['call_started', 'call_updated', 'call_ended'])
    expect(JSON.stringify(ofBob)).not.toContain('alice')
  })

  it("cannot cancel each other's calls, even with the id at hand", async () => {
    const works = new Works()
    const sessions = registryOf(works)
    const alice = await sessions.open('s-alice', { userId: 'alice', namespaces })
    const bob = await sessions.open('s-bob', { userId: 'bob', namespaces })
    const { callId, work } = await begun(alice, works, 'A')
    await begun(bob, works, 'B')
    expect(bob.cancel(callId)).toBe(false)
    await sessions.close('s-bob', { cancel: true })
    expect(work.signal.aborted).toBe(false)
    expect(alice.hasPending()).toBe(true)
  })

  it('are not held up by a store that fails for one of them', async () => {
    const works = new Works()
    const store = new TestStore()
    const save = store.save.bind(store)
    let isDown = false
    store.save = async (session, owner) => {
      if (isDown && session.userId === 'alice') throw new Error('down')
      return save(session, owner)
    }
    const sessions = registryOf(works, { store })
    const alice = await sessions.open('s-alice', { userId: 'alice', namespaces })
    const bob = await sessions.open('s-bob', { userId: 'bob', namespaces })
    const a = await begun(alice, works, 'A')
    const b = await begun(bob, works, 'B')
    isDown = true
    a.work.complete('a')
    b.work.complete('b')
    await settled()
    expect((await bob.consume()).map(said)).toEqual(['completed "b"'])
    expect(alice.poll()).toEqual([])
    isDown = false
    await until(() => alice.poll().length === 1)
  })

  it.each([
    ['in memory', () => memoryStore()],
    ['durable', () => new TestStore()],
  ])('keep apart under load, failures, cancellation and restore, with a store %s', async (_, storeOf) => {
    const works = new Works()
    const runtime = new Runtime()
    const bound = reports(works, { runtime })
    const store = storeOf()
    const sessions = new SessionRegistry({ agents: { reports: bound }, store })
    const users = Array.from({ length: 20 }, (_, index) => `user-${index}`)
    const seen = new Map(users.map((user) => [user, [] as string[]]))

    const live = async (user: string, round: number): Promise<void> => {
      const session: Session = await sessions.open(`session of ${user}`, { userId: user, namespaces })
      const names = Array.from({ length: 5 }, (_, index) => `${user}/${round}/${index}`)
      await Promise.all(
        names.map(async (name, index) => {
          const { callId } = acknowledged(await session.execute(build(name)))
          const work = await works.of(name)
          expect(work.sessionId).toBe(session.id)
          await work.emit(name)
          if (index === 0) session.cancel(callId, name)
          else if (index === 1) work.fail(new Error(name))
          else work.complete(name)
        }),
      )
      if (round % 2 === 0) await until(() => !session.hasPending())
      const reader = round % 2 === 0 ? session : await reopened(user)
      for (const { completion, updates } of await reader.consumeCompleted()) {
        expect(updates.map(({ update }) => update)).toHaveLength(1)
        seen.get(user)?.push(`${updates[0]?.update} ${said(completion)}`)
      }
    }
    const reopened = async (user: string): Promise<Session> => {
      await sessions.close(`session of ${user}`)
      return sessions.restore(`session of ${user}`, { userId: user })
    }

    for (let round = 0; round < 4; round += 1) await Promise.all(users.map((user) => live(user, round)))
    for (const user of users) {
      const expected = [0, 1, 2, 3].flatMap((round) =>
        [0, 1, 2, 3, 4].map((index) => {
          const name = JSON.stringify(`${user}/${round}/${index}`)
          return `${name} ${index === 0 ? 'failed cancelled' : index === 1 ? 'failed internal' : `completed ${name}`}`
        }),
      )
      expect([...(seen.get(user) ?? [])].sort()).toEqual(expected.sort())
    }
  })
})
