import { EventEmitter } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { peek } from '../../packages/runtime/src/call/tool-failure.js'
import { type Listen, listenWith, postgresStore, type Query } from '../../packages/runtime/src/postgres.js'
import { memoryStore, type SessionEntry } from '../../packages/runtime/src/sessions.js'
import { begun, ours, registryOf, said, takenOver, until, Works } from '../sessions/sessions.fixture.js'
import type { Database } from './databases.js'

const user = { userId: 'u-1' }

/** Declares tests of subscribers that follow sessions of other processes. Each registry simulates a process. */
export function describeSubscriptions({ query, listen, pool }: Database): void {
  const processWith = ({
    run = query,
    on = listen,
    leaseMs = 15_000,
  }: {
    run?: Query
    on?: Listen
    leaseMs?: number
  } = {}) => {
    const works = new Works()
    const store = postgresStore({ query: run, owner: { leaseMs }, subscriptions: { listen: on } })
    const sessions = registryOf(works, { store })
    onTestFinished(() => sessions.closeAll({ drainMs: 0 }))
    return { works, sessions }
  }

  async function take(entries: AsyncIterator<SessionEntry>, count: number): Promise<readonly SessionEntry[]> {
    const taken: SessionEntry[] = []
    while (taken.length < count) {
      const { done, value } = await entries.next()
      if (done === true) throw new Error(`The subscription ended after ${taken.length} entries.`)
      taken.push(value)
    }
    return taken
  }

  it('follows a session of another process, whose entries are consumed there at once', async () => {
    const owner = processWith()
    const session = await owner.sessions.open('followed', ours)
    const followed = await processWith().sessions.subscribe('followed', user)
    const { work, callId } = await begun(session, owner.works, 'A')
    await work.emit('one')
    expect((await session.consume()).map(said)).toEqual(['1:"one"'])
    expect((await take(followed, 1)).map(said)).toEqual(['1:"one"'])
    await work.emit('two')
    work.complete({ pages: 3 })
    await until(() => !session.hasPending())
    await session.consume()
    const entries = await take(followed, 2)
    expect(entries.map(said)).toEqual(['2:"two"', 'completed {"pages":3}'])
    expect(entries.every((entry) => entry.callId === callId)).toBe(true)
    await followed.return?.()
    expect(await followed.next()).toEqual({ done: true, value: undefined })
  })

  it('continues after an entry, and while the session moves to other processes, until it is deleted', async () => {
    const first = processWith()
    const session = await first.sessions.open('moving', ours)
    const a = await begun(session, first.works, 'A')
    a.work.complete('a')
    await until(() => !session.hasPending())
    const reader = processWith()
    const followed = await reader.sessions.subscribe('moving', { ...user, after: 0 })
    const [entry] = await take(followed, 1)
    expect(entry).toMatchObject({ callId: a.callId })
    await begun(session, first.works, 'B')
    // For other processes, the first process looks dead.
    const second = processWith()
    await second.sessions.open('moving', takenOver)
    expect((await take(followed, 1)).map(said)).toEqual(['failed interrupted'])
    await second.sessions.close('moving')
    const third = processWith()
    const c = await begun(await third.sessions.open('moving', ours), third.works, 'C')
    c.work.complete('c')
    expect((await take(followed, 1)).map(said)).toEqual(['completed "c"'])
    const again = await reader.sessions.subscribe('moving', { ...user, after: entry?.sequence ?? 0 })
    expect((await take(again, 2)).map(said)).toEqual(['failed interrupted', 'completed "c"'])
    await third.sessions.close('moving')
    await third.sessions.delete('moving', user)
    expect(await followed.next()).toEqual({ done: true, value: undefined })
    expect(await again.next()).toEqual({ done: true, value: undefined })
  })

  it('notifies positions, not contents: entries of any size arrive, of sessions with the longest id', async () => {
    const payloads: string[] = []
    const on: Listen = (channel, { notify, lost }) =>
      listen(channel, {
        notify: (payload) => {
          payloads.push(payload)
          notify(payload)
        },
        lost,
      })
    const id = '\u{1f600}'.repeat(128)
    const owner = processWith()
    const session = await owner.sessions.open(id, ours)
    const followed = await processWith({ on }).sessions.subscribe(id, user)
    const { work } = await begun(session, owner.works, 'A')
    work.complete('x'.repeat(300_000))
    const [entry] = await take(followed, 1)
    expect(said(entry as SessionEntry)).toHaveLength(300_000 + 'completed ""'.length)
    await until(() => payloads.length > 0)
    expect(Math.max(...payloads.map((payload) => Buffer.byteLength(payload)))).toBeLessThan(8_000)
    await followed.return?.()
  })

  it('loses and repeats nothing if its connection and its queries fail again and again', async () => {
    const lose = new Set<() => void>()
    const on: Listen = async (channel, handlers) => {
      const close = await listen(channel, handlers)
      lose.add(handlers.lost)
      return close
    }
    let failures = 0
    const run: Query = (text, values) => {
      if (!text.includes('is_same_user') || failures === 0) return query(text, values)
      failures -= 1
      return Promise.reject(new Error('connect ECONNREFUSED'))
    }
    const owner = processWith()
    const session = await owner.sessions.open('lossy', ours)
    const followed = await processWith({ on, run }).sessions.subscribe('lossy', user)
    const { work } = await begun(session, owner.works, 'A')
    const seen: string[] = []
    const reading = (async () => {
      for await (const entry of followed) {
        seen.push(said(entry))
        if (entry.kind === 'completed') return
      }
    })()
    // Each connection seems to live for a minute. After shorter lives, the pauses would grow to seconds.
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    for (let round = 1; round <= 20; round += 1) {
      for (let update = 1; update <= 20; update += 1) await work.emit(round)
      vi.advanceTimersByTime(60_000)
      for (const each of lose) each()
      lose.clear()
      failures = round % 3
      if (round % 5 === 0) await session.consume()
      await until(() => lose.size > 0)
    }
    work.complete('done')
    await reading
    const expected = Array.from({ length: 400 }, (_, index) => `${index + 1}:${Math.floor(index / 20) + 1}`)
    expect(seen).toEqual([...expected, 'completed "done"'])
  })

  it('connects again once at a time, and less and less often, while no server listens', async () => {
    const attempts: number[] = []
    const clients: EventEmitter[] = []
    let isAvailable = true
    const on = listenWith(() => {
      const client = new EventEmitter()
      clients.push(client)
      return Object.assign(client, {
        query: async () => undefined,
        connect: async () => {
          attempts.push(Date.now())
          if (isAvailable) return
          // Like pg, which also reports the end of a connection that was never open.
          client.emit('error', new Error('connect ECONNREFUSED'))
          client.emit('end')
          throw new Error('connect ECONNREFUSED')
        },
        end: async () => void client.emit('end'),
      })
    })
    await processWith().sessions.open('unavailable', ours)
    const followed = await processWith({ on }).sessions.subscribe('unavailable', user)
    isAvailable = false
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const start = Date.now()
    clients[0]?.emit('end')
    await vi.advanceTimersByTimeAsync(20_000)
    const delays = attempts.slice(1).map((at) => at - start)
    expect(delays).toEqual([50, 150, 350, 750, 1_550, 3_150, 6_350, 11_350, 16_350])
    isAvailable = true
    await vi.advanceTimersByTimeAsync(60_000)
    expect(attempts).toHaveLength(11)
    await followed.return?.()
  })

  it('connects less and less often to a server that ends each connection at once', async () => {
    const connections: (() => void)[] = []
    let reads = 0
    const on: Listen = async (_, { lost }) => {
      connections.push(lost)
      if (connections.length > 1) setTimeout(lost, 20)
      return () => undefined
    }
    await processWith().sessions.open('flapping', ours)
    const run: Query = (text, values) => {
      reads += 1
      return query(text, values)
    }
    const followed = await processWith({ on, run }).sessions.subscribe('flapping', user)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const before = reads
    void followed.next()
    connections[0]?.()
    await vi.advanceTimersByTimeAsync(60_000)
    // The delays are 50, 100, 200, 400, 800, 1,600 and 3,200 ms, then 5 s.
    expect(connections).toHaveLength(18)
    expect(reads - before).toBeLessThan(30)
    await followed.return?.()
  })

  it.runIf(pool !== undefined)('loses nothing if the server ends the connections that listen', async () => {
    const owner = processWith()
    const session = await owner.sessions.open('terminated', ours)
    const followed = await processWith().sessions.subscribe('terminated', user)
    const { work } = await begun(session, owner.works, 'A')
    for (let round = 1; round <= 5; round += 1) {
      await query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where query like 'listen %' and datname = current_database() and pid <> pg_backend_pid()`,
        [],
      )
      await work.emit(round)
      expect((await take(followed, 1)).map(said)).toEqual([`${round}:${round}`])
    }
    await followed.return?.()
  })

  it('reads page by page, so that a slow reader keeps little in memory', async () => {
    const sizes: number[] = []
    const run: Query = async (text, values) => {
      const result = await query(text, values)
      if (text.includes('is_same_user')) sizes.push(result.rows.length - 1)
      return result
    }
    const owner = processWith()
    const session = await owner.sessions.open('pages', ours)
    const { work } = await begun(session, owner.works, 'A')
    for (let update = 1; update <= 900; update += 1) await work.emit(update)
    work.complete('done')
    await until(() => !session.hasPending())
    const followed = await processWith({ run }).sessions.subscribe('pages', { ...user, after: 0 })
    const updates = (await take(followed, 901)).slice(0, 900).map(said)
    expect(updates).toEqual(Array.from({ length: 900 }, (_, index) => `${index + 1}:${index + 1}`))
    expect(Math.max(...sizes)).toBe(200)
    await followed.return?.()
  })

  it('fails if entries after the position are no longer kept, and names the position that is possible', async () => {
    const owner = processWith({ leaseMs: 100 })
    const session = await owner.sessions.open('old', ours)
    for (const name of ['A', 'B']) (await begun(session, owner.works, name)).work.complete(name)
    await until(() => !session.hasPending())
    await query(
      `update session_tool_state_log set logged_at = logged_at - interval '2 hours' where session_id = 'old'`,
      [],
    )
    const reader = processWith()
    const open = () => reader.sessions.subscribe('old', { ...user, after: 0 })
    let error: unknown
    // The owner deletes old entries when it renews its lease.
    for (;;) {
      const entries = await open().catch((failure) => {
        error = failure
      })
      if (entries === undefined) break
      await entries.return?.()
      // Yields to the event loop, because an embedded database answers in the same turn and timers would never run.
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(error).toMatchObject({ name: 'SessionError', code: 'entries_expired' })
    const last = session.poll().at(-1)?.sequence ?? 0
    expect(String(error)).toContain(`after: ${last}`)
    const followed = await reader.sessions.subscribe('old', { ...user, after: last })
    ;(await begun(session, owner.works, 'C')).work.complete('c')
    expect((await take(followed, 1)).map(said)).toEqual(['completed "c"'])
    await followed.return?.()
  })

  it('fails for unknown sessions, other users, wrong positions and stores without subscriptions', async () => {
    const { sessions } = processWith()
    await sessions.open('mine', ours)
    await expect(sessions.subscribe('unknown', user)).rejects.toMatchObject({ code: 'unknown_session' })
    await expect(sessions.subscribe('mine', { userId: 'u-2', after: 0 })).rejects.toMatchObject({ code: 'wrong_user' })
    await expect(sessions.subscribe('', user)).rejects.toMatchObject({ code: 'invalid_id' })
    await expect(sessions.subscribe('mine', { ...user, after: -1 })).rejects.toThrow(RangeError)
    for (const store of [memoryStore(), postgresStore({ query })]) {
      await expect(registryOf(new Works(), { store }).subscribe('mine', user)).rejects.toThrow(
        'subscriptions: { listen }',
      )
    }
    const broken = processWith({ on: () => Promise.reject(new Error('no connection')) })
    await expect(broken.sessions.subscribe('mine', user)).rejects.toMatchObject({ code: 'store_failed' })
    expect(() => postgresStore({ query, subscriptions: { listen, keepMs: 0 } })).toThrow(RangeError)
    expect(
      peek(
        await query('select count(*)::int as count from session_tool_state_log', []).then(({ rows }) => rows[0]),
        'count',
      ),
    ).toEqual(expect.any(Number))
  })
}
