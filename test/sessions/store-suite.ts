import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  SessionError,
  type SessionStore,
  type StoredSession,
  type StoredSessionReader,
} from '../../packages/runtime/src/sessions.js'

/** A store under test. */
export interface StoreUnderTest {
  readonly store: SessionStore & StoredSessionReader
  /** Another store with the same sessions, as in another process. The same store if sessions are not shared. */
  readonly elsewhere: SessionStore & StoredSessionReader
  /** Closes the stores and removes the data of the test. */
  close(): Promise<void>
}

const fresh: StoredSession = {
  version: 1,
  sessionId: 's-1',
  userId: 'u-1',
  namespaces: ['support', 'billing.invoices'],
  availableTools: ['orders.getOrder', 'invoices.send'],
  entries: [],
  running: [],
  nextSequence: 1,
}

const hostile = 'a "b" \\ \u{1f600} \u2028 </script> \'; drop table x; -- ${x} %s \n\t'

/** A session with all kinds of data. */
const full: StoredSession = {
  ...fresh,
  approvals: [
    { tool: 'a.b', agent: 'support', by: hostile, at: 1_000, rule: 'fields', fields: { customerId: '"C-7"' } },
    { tool: 'a.c', at: 2_000, rule: 'call', arguments: '{"a":1}' },
    { tool: 'a.d', at: 3_000, rule: 'tool' },
  ],
  entries: [
    {
      kind: 'update',
      sequence: 4,
      callId: 'c-1',
      toolCallId: 'm-1',
      tool: 'a.b',
      isRun: false,
      index: 1,
      update: '{"a":1}',
    },
    {
      kind: 'completed',
      sequence: 5,
      callId: 'c-1',
      toolCallId: 'm-1',
      tool: 'a.b',
      isRun: false,
      droppedUpdates: 3,
      outcome: {
        call: { tool: 'a.b', toolCallId: 'm-1', parentToolCallId: 'p-1' },
        provenance: { tool: 'a.b', durationMs: 12.5, attempts: 2, model: 'm', extra: { deep: [null, true, { x: 1 }] } },
        status: 'completed',
        json: JSON.stringify({ text: hostile, big: 12345678901234567890n.toString(), none: null }),
        data: '[1,2]',
      },
    },
    {
      kind: 'completed',
      sequence: 9,
      callId: 'c-2',
      tool: 'a.c',
      isRun: true,
      timedOut: true,
      outcome: {
        call: { tool: 'a.c', toolCallId: 'c-2' },
        provenance: { tool: 'a.c', durationMs: 0, attempts: 1 },
        status: 'failed',
        error: { reason: 'timeout', message: hostile },
        hint: { reason: 'timeout', action: 'replan', message: hostile, tool: 'a.c' },
      },
    },
    {
      kind: 'update',
      sequence: 11,
      callId: 'c-3',
      tool: 'a.b',
      isRun: false,
      index: 700,
      update: JSON.stringify(hostile),
    },
    {
      kind: 'completed',
      sequence: 12,
      callId: 'c-4',
      tool: 'a.d',
      isRun: false,
      outcome: {
        call: { tool: 'a.d', toolCallId: 'c-4' },
        provenance: { tool: 'a.d', durationMs: 1, attempts: 1 },
        status: 'suspended',
        suspension: {
          version: 1,
          kind: 'approval',
          call: { tool: 'a.d', toolCallId: 'c-4' },
          arguments: '{}',
          prompt: 'May I?',
        },
      },
    },
  ],
  running: [
    { callId: 'c-3', tool: 'a.b', isRun: false, startedAt: 1_700_000_000_000, droppedUpdates: 699 },
    { callId: 'c-5', toolCallId: 'm-5', tool: 'a.b', isRun: true, startedAt: 1_700_000_000_001 },
  ],
  messages: [
    { sequence: 7, message: JSON.stringify({ role: 'user', content: hostile }) },
    {
      sequence: 10,
      message:
        '{"content":null,"role":"assistant","tool_calls":[{"type":"function","id":"m-1","function":{"name":"a_b","arguments":"{\\"x\\":"}}]}',
    },
  ],
  nextSequence: 13,
}

const owner = (name: string) => ({ userId: 'u-1', owner: name, takeOver: true })

/**
 * Declares tests of the contract of session stores.
 *
 * @param open creates an empty store
 */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`a session store, ${name}`, () => {
    let under: StoreUnderTest
    beforeEach(async () => {
      under = await open()
    })
    afterEach(() => under.close())

    it('has nothing of a session that was never saved', async () => {
      expect(await under.store.claim('s-1', owner('a'))).toBeUndefined()
      expect(await under.store.claim('s-1', { userId: 'u-2', owner: 'b' })).toBeUndefined()
    })

    it.each([
      ['an empty session', fresh],
      ['a session with one of everything', full],
      ['ids that hold anything', { ...full, sessionId: `s ${hostile.trim()}`, userId: `u ${hostile.trim()}` }],
    ])('gives back what was saved, %s', async (_, session) => {
      const { sessionId, userId } = session
      await under.store.claim(sessionId, { userId, owner: 'a' })
      await under.store.save(session, 'a')
      expect(await under.elsewhere.claim(sessionId, { userId, owner: 'b', takeOver: true })).toEqual(session)
    })

    it('replaces a session as a whole', async () => {
      await under.store.claim('s-1', owner('a'))
      await under.store.save(full, 'a')
      await under.store.save({ ...fresh, nextSequence: 13 }, 'a')
      expect(await under.store.claim('s-1', owner('b'))).toEqual({ ...fresh, nextSequence: 13 })
    })

    it('forgets messages that a session no longer has, and keeps the others', async () => {
      const long = { sequence: 14, message: JSON.stringify({ role: 'user', content: hostile.repeat(300) }) }
      const messages = [...(full.messages ?? []), long]
      await under.store.save({ ...full, messages, nextSequence: 15 }, 'a')
      expect((await under.elsewhere.claim('s-1', owner('b')))?.messages).toEqual(messages)
      await under.elsewhere.save({ ...full, messages: [long], nextSequence: 15 }, 'b')
      expect((await under.elsewhere.claim('s-1', owner('b')))?.messages).toEqual([long])
      const { messages: _, ...without } = { ...full, nextSequence: 15 }
      await under.elsewhere.save(without, 'b')
      expect(await under.store.claim('s-1', owner('c'))).toEqual(without)
    })

    it('keeps what it was given, whatever becomes of that later', async () => {
      const entries = [...full.entries]
      await under.store.save({ ...full, entries }, 'a')
      entries.length = 0
      const read = await under.store.claim('s-1', owner('a'))
      expect(read?.entries).toHaveLength(full.entries.length)
      Reflect.set(read ?? {}, 'entries', [])
      expect((await under.store.claim('s-1', owner('a')))?.entries).toHaveLength(full.entries.length)
    })

    it('shows a session to its user alone', async () => {
      await under.store.save(full, 'a')
      const wrong = { userId: 'u-2', owner: 'b' }
      const failure = { name: 'SessionError', code: 'wrong_user', message: expect.not.stringContaining('u-1') }
      await expect(under.elsewhere.claim('s-1', wrong)).rejects.toMatchObject(failure)
      await expect(under.elsewhere.delete('s-1', wrong)).rejects.toMatchObject(failure)
      await under.store.save({ ...full, nextSequence: 14 }, 'a')
      expect((await under.store.claim('s-1', owner('c')))?.nextSequence).toBe(14)
    })

    it('takes saves from whoever claimed the session last', async () => {
      await under.store.claim('s-1', owner('a'))
      await under.store.save(full, 'a')
      await under.elsewhere.claim('s-1', owner('b'))
      const superseded = { name: 'SessionError', code: 'superseded' }
      await expect(under.store.save(fresh, 'a')).rejects.toMatchObject(superseded)
      await under.elsewhere.save({ ...full, nextSequence: 20 }, 'b')
      expect((await under.store.claim('s-1', owner('c')))?.nextSequence).toBe(20)
    })

    it('gives a session that its owner holds to nobody else, unless it is taken over', async () => {
      const heir = { userId: 'u-1', owner: 'b' }
      const held = { name: 'SessionError', code: 'open_elsewhere', owner: expect.any(Object) }
      await under.store.save(full, 'a')
      await expect(under.elsewhere.claim('s-1', heir)).rejects.toMatchObject(held)
      await under.store.save({ ...full, nextSequence: 22 }, 'a', { isStored: true })
      await expect(under.elsewhere.claim('s-1', heir)).rejects.toMatchObject(held)
      expect(await under.elsewhere.claim('s-1', { ...heir, takeOver: true })).toMatchObject({ nextSequence: 22 })
      await expect(under.store.claim('s-1', { userId: 'u-1', owner: 'c' })).rejects.toMatchObject(held)
    })

    it('gives a session to the next one after its owner has released it', async () => {
      await under.store.save(full, 'a')
      await under.store.save({ ...full, nextSequence: 23 }, 'a', { isStored: true, releases: true })
      expect(await under.elsewhere.claim('s-1', { userId: 'u-1', owner: 'b' })).toMatchObject({ nextSequence: 23 })
      await expect(under.store.save(full, 'a')).rejects.toMatchObject({ code: 'superseded' })
    })

    it('confirms an owner until another one has the session', async () => {
      await under.store.save(full, 'a')
      await under.store.confirm?.('s-1', 'a')
      await under.elsewhere.claim('s-1', owner('b'))
      await under.elsewhere.confirm?.('s-1', 'b')
      if (under.store.confirm === undefined) return
      const superseded = { name: 'SessionError', code: 'superseded' }
      await expect(under.store.confirm('s-1', 'a')).rejects.toMatchObject(superseded)
      await under.store.delete('s-1', owner('b'))
      await expect(under.elsewhere.confirm?.('s-1', 'b')).rejects.toMatchObject(superseded)
    })

    it('leaves a session to its owner where who claims it does not want it as it is', async () => {
      await under.store.save(full, 'a')
      const seen: StoredSession[] = []
      const check = (stored: StoredSession): void => {
        seen.push(stored)
        throw new SessionError('other_namespaces', 'not this one')
      }
      const claim = under.elsewhere.claim('s-1', { ...owner('b'), check })
      await expect(claim).rejects.toMatchObject({ code: 'other_namespaces', message: 'not this one' })
      expect(seen).toEqual([full])
      await under.store.save({ ...full, nextSequence: 21 }, 'a')
      const wanted = await under.elsewhere.claim('s-1', { ...owner('b'), check: (stored) => seen.push(stored) })
      expect(seen[1]).toEqual(wanted)
    })

    it('gives a session that two begin to the first who saves it', async () => {
      await under.store.claim('s-1', owner('a'))
      await under.elsewhere.claim('s-1', owner('b'))
      await under.elsewhere.save({ ...fresh, nextSequence: 2 }, 'b')
      await expect(under.store.save(fresh, 'a')).rejects.toMatchObject({ code: 'superseded' })
      expect((await under.store.claim('s-1', owner('c')))?.nextSequence).toBe(2)
    })

    it('lets two who begin at the same time not both have it', async () => {
      const saves = await Promise.allSettled([
        under.store.save({ ...fresh, nextSequence: 2 }, 'a'),
        under.elsewhere.save({ ...fresh, nextSequence: 3 }, 'b'),
      ])
      expect(saves.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const won = saves[0].status === 'fulfilled' ? 2 : 3
      expect((await under.store.claim('s-1', owner('c')))?.nextSequence).toBe(won)
    })

    it('deletes a session, and what is not there', async () => {
      await under.store.save(full, 'a')
      expect(await under.store.delete('s-1', owner('a'))).toBe(true)
      expect(await under.elsewhere.claim('s-1', owner('b'))).toBeUndefined()
      expect(await under.store.delete('s-1', owner('b'))).toBe(false)
      await under.store.save({ ...fresh, userId: 'u-2' }, 'c')
      expect(await under.store.claim('s-1', { userId: 'u-2', owner: 'd', takeOver: true })).toMatchObject({
        userId: 'u-2',
      })
    })

    it('does not make a session anew that its owner knows to be stored, and that was deleted', async () => {
      await under.store.save(full, 'a')
      await under.elsewhere.claim('s-1', owner('b'))
      await under.elsewhere.delete('s-1', owner('b'))
      const late = under.store.save(full, 'a', { isStored: true })
      await expect(late).rejects.toMatchObject({ name: 'SessionError', code: 'superseded' })
      expect(await under.store.claim('s-1', owner('c'))).toBeUndefined()
      await under.store.save(fresh, 'c')
      await under.store.save({ ...fresh, nextSequence: 2 }, 'c', { isStored: true })
      expect((await under.store.claim('s-1', owner('d')))?.nextSequence).toBe(2)
    })

    it('keeps sessions apart that are saved at the same time', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => `s-${index}`)
      const save = async (sessionId: string, nextSequence: number): Promise<void> =>
        under.store.save({ ...full, sessionId, userId: `u of ${sessionId}`, nextSequence }, `owner of ${sessionId}`)
      await Promise.all(ids.map((id, index) => save(id, 20 + index)))
      await Promise.all(ids.map((id, index) => save(id, 100 + index)))
      const read = await Promise.all(
        ids.map((id) => under.elsewhere.claim(id, { userId: `u of ${id}`, owner: 'x', takeOver: true })),
      )
      expect(read.map((session) => [session?.sessionId, session?.nextSequence])).toEqual(
        ids.map((id, index) => [id, 100 + index]),
      )
    })

    it('lets the failure of one session harm no other that is saved at the same time', async () => {
      await under.store.save({ ...full, sessionId: 'lost' }, 'a')
      await under.elsewhere.claim('lost', owner('b'))
      const [one, lost, other] = await Promise.allSettled([
        under.store.save({ ...fresh, sessionId: 'one' }, 'a'),
        under.store.save({ ...fresh, sessionId: 'lost' }, 'a'),
        under.store.save({ ...fresh, sessionId: 'other' }, 'a'),
      ])
      expect([one?.status, other?.status]).toEqual(['fulfilled', 'fulfilled'])
      expect(lost).toMatchObject({ status: 'rejected', reason: { code: 'superseded' } })
      expect(await under.store.claim('lost', owner('c'))).toEqual({ ...full, sessionId: 'lost' })
    })

    it('lists the sessions of all users by pages, the last saved first', async () => {
      const ids = ['one', `two ${hostile}`, 'three', 'four \u0000', 'five']
      for (const sessionId of ids) {
        await under.store.save({ ...full, sessionId, userId: `u of ${sessionId}` }, 'a', { releases: true })
      }
      await under.store.save({ ...full, sessionId: 'one', userId: 'u of one' }, 'a', { isStored: true })
      const listed = []
      let after: string | undefined
      do {
        const page = await under.elsewhere.list({ limit: 2, ...(after !== undefined && { after }) })
        listed.push(page.sessions)
        after = page.next
      } while (after !== undefined)
      expect(listed.map(({ length }) => length)).toEqual([2, 2, 1])
      const order = ['one', 'five', 'four \u0000', 'three', `two ${hostile}`]
      expect(listed.flat().map(({ savedAt: _, ...others }) => others)).toEqual(
        order.map((sessionId) => ({ sessionId, userId: `u of ${sessionId}`, namespaces: full.namespaces })),
      )
      const years = listed.flat().map(({ savedAt }) => new Date(savedAt).getUTCFullYear())
      for (const year of years) expect(year >= 2025 && year < 2100).toBe(true)
      expect(await under.elsewhere.list({ limit: 5 })).not.toHaveProperty('next')
      expect((await under.elsewhere.list()).sessions).toHaveLength(5)
    })

    it('reads a session without a change of its owner', async () => {
      expect(await under.store.read('s-1')).toBeUndefined()
      await under.store.claim('s-1', owner('a'))
      await under.store.save(full, 'a')
      expect(await under.elsewhere.read('s-1')).toEqual(full)
      await under.store.save({ ...full, nextSequence: 20 }, 'a', { isStored: true })
      expect((await under.elsewhere.read('s-1'))?.nextSequence).toBe(20)
    })

    it.each([{ limit: 0 }, { limit: 1.5 }, { after: 'x' }, { after: '' }])('rejects a page %j', async (options) => {
      await expect(under.store.list(options)).rejects.toThrow(RangeError)
    })
  })
}
