import fc from 'fast-check'
import { expect, it } from 'vitest'
import { postgresStore, type Query } from '../../packages/runtime/src/postgres.js'
import type { Database } from './databases.js'
import { completed, completedEntry, failed, storedSession, updateEntry } from './stored-session.fixture.js'

const who = { userId: 'u-7', owner: 'first', takeOver: true }

/** Declares tests of the guarantees that only this store has. */
export function describePostgresStore({ query }: Database): void {
  const store = postgresStore({ query })

  it('gives a session back as it was saved, its entries in their order', async () => {
    const saved = storedSession('whole', {
      entries: [
        completedEntry(1, failed),
        updateEntry(2, '"half"'),
        {
          ...completedEntry(4, completed('[ 1.0, 1e2 ]')),
          kind: 'completed',
          outcome: completed('[ 1.0, 1e2 ]'),
          droppedUpdates: 4,
        },
        { ...completedEntry(5, failed), kind: 'completed', outcome: failed, timedOut: true },
        updateEntry(9, '"late"'),
      ],
      nextSequence: 10,
    })
    await store.save(saved, 'first')
    expect(await store.claim('whole', who)).toEqual(saved)
  })

  it('keeps JSON texts byte for byte: numbers, blanks, keys given twice, in their order', async () => {
    const json = '{ "z": 1.0, "a": 1E400, "z": 12345678901234567890.0, "text": "\\u0000 \\ud800 é" }'
    await store.save(
      storedSession('bytes', { entries: [updateEntry(1, json), completedEntry(2, completed(json))] }),
      'first',
    )
    const restored = await store.claim('bytes', who)
    expect(restored?.entries).toMatchObject([{ update: json }, { outcome: { json } }])
  })

  it('keeps any text, also what PostgreSQL has no character for', async () => {
    const texts = fc.string({
      unit: fc.oneof(fc.constantFrom('\0', '\u001b', '\ud800', '\udfff', '\\', '"', 'u', '0', '1b'), fc.string()),
    })
    await fc.assert(
      fc.asyncProperty(texts, texts, async (id, text) => {
        const sessionId = `any ${id}`
        const saved = storedSession(sessionId, {
          userId: text,
          namespaces: [text],
          entries: [updateEntry(1, JSON.stringify(text)), completedEntry(2, completed(JSON.stringify(text)))],
        })
        await store.save(saved, text)
        expect(await store.claim(sessionId, { userId: text, owner: text, takeOver: true })).toEqual(saved)
        expect(await store.delete(sessionId, { userId: text })).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  it('does not take one unstorable user id for another', async () => {
    await store.save(storedSession('surrogate', { userId: '\ud800' }), 'first')
    await expect(store.claim('surrogate', { userId: '\ud801', owner: 'second' })).rejects.toMatchObject({
      code: 'wrong_user',
    })
  })

  it('has nothing for a session that was never saved', async () => {
    expect(await store.claim('none', who)).toBeUndefined()
  })

  it('gives nobody the session of another user, and leaves it with its owner', async () => {
    const saved = storedSession('private')
    await store.save(saved, 'first')
    const error: unknown = await store
      .claim('private', { userId: 'u-8', owner: 'thief', takeOver: true })
      .catch((error) => error)
    expect(error).toMatchObject({ code: 'wrong_user' })
    expect(String(error)).not.toContain('u-7')
    await expect(store.delete('private', { userId: 'u-8' })).rejects.toMatchObject({
      code: 'wrong_user',
    })
    await store.save(saved, 'first')
  })

  it('takes nothing from whoever had a session before', async () => {
    await store.save(storedSession('moved'), 'first')
    await store.claim('moved', { userId: 'u-7', owner: 'second', takeOver: true })
    await expect(store.save(storedSession('moved', { entries: [] }), 'first')).rejects.toMatchObject({
      code: 'superseded',
    })
    await store.save(storedSession('moved'), 'second')
    expect((await store.claim('moved', { userId: 'u-7', owner: 'third', takeOver: true }))?.entries).toHaveLength(2)
  })

  it('goes on with the revisions of another process, whose clock may be ahead', async () => {
    await store.save(storedSession('clock'), 'first')
    await query(`update session_tool_state set revision = 9000000000000000 where session_id = 'clock'`, [])
    await store.claim('clock', { userId: 'u-7', owner: 'second', takeOver: true })
    await store.save(storedSession('clock', { entries: [] }), 'second')
  })

  it('is not set back by a save that reaches the database after its successor', async () => {
    const held: { readonly text: string; readonly values: unknown[] }[] = []
    const losing: Query = async (text, values) => {
      if (!text.includes('on conflict (session_id)')) return query(text, values)
      held.push({ text, values })
      if (held.length === 1) throw new Error('The connection was lost.')
      return query(text, values)
    }
    const slow = postgresStore({ query: losing })
    await slow.claim('late', who)
    await expect(slow.save(storedSession('late'), 'first')).rejects.toMatchObject({ code: 'store_failed' })
    await slow.save(storedSession('late', { entries: [] }), 'first')
    const [lost] = held
    await query(lost?.text ?? '', lost?.values ?? [])
    expect((await store.claim('late', who))?.entries).toEqual([])
  })

  it('deletes a session, also one that is not there', async () => {
    await store.save(storedSession('gone'), 'first')
    await store.delete('gone', who)
    await store.delete('gone', who)
    expect(await store.claim('gone', who)).toBeUndefined()
  })

  it('fails with what the database failed with, and works again after it', async () => {
    const lost = new Error('connect ECONNREFUSED')
    let isDown = true
    const flaky = postgresStore({ query: (text, values) => (isDown ? Promise.reject(lost) : query(text, values)) })
    const failure = { code: 'store_failed', cause: lost }
    await expect(flaky.claim('down', who)).rejects.toMatchObject(failure)
    await expect(flaky.save(storedSession('down'), 'first')).rejects.toMatchObject(failure)
    await expect(flaky.delete('down', who)).rejects.toMatchObject(failure)
    isDown = false
    await flaky.save(storedSession('down'), 'first')
    expect(await flaky.claim('down', who)).toEqual(storedSession('down'))
  })
}
