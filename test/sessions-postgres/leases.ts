import { expect, it, onTestFinished, vi } from 'vitest'
import { peek } from '../../packages/runtime/src/call/tool-failure.js'
import { type PostgresStoreOptions, postgresStore, type Query } from '../../packages/runtime/src/postgres.js'
import type { SessionError } from '../../packages/runtime/src/sessions.js'
import { begun, build, look, ours, registryOf, said, takenOver, until, Works } from '../sessions/sessions.fixture.js'
import type { Database } from './databases.js'

/** Declares tests of leases. Each registry simulates a process. */
export function describeLeases({ query }: Database): void {
  const processAt = (address: string | undefined, { run = query, leaseMs }: { run?: Query; leaseMs?: number } = {}) => {
    const works = new Works()
    const owner = { ...(address !== undefined && { address }), ...(leaseMs !== undefined && { leaseMs }) }
    const options: PostgresStoreOptions = { query: run, owner }
    return { works, sessions: registryOf(works, { store: postgresStore(options) }) }
  }
  const expire = (address: string) =>
    query('update session_tool_state_owners set expires_at = clock_timestamp() where address = $1', [address])

  it('refuses a session that is open elsewhere, with the address, the end of the lease and the next step', async () => {
    const owner = processAt('http://10.0.0.1:3000')
    const { work } = await begun(await owner.sessions.open('refused', ours), owner.works, 'A')
    const other = processAt('http://10.0.0.2:3000')
    const { rows } = await query('select floor(extract(epoch from clock_timestamp()) * 1000)::text as now', [])
    const now = Number(peek(rows[0], 'now'))
    for (const open of [
      () => other.sessions.open('refused', ours),
      () => other.sessions.restore('refused', { userId: 'u-1' }),
    ]) {
      const error: SessionError = await open().then(
        () => expect.fail('opened'),
        (error) => error,
      )
      expect(error).toMatchObject({ name: 'SessionError', code: 'open_elsewhere' })
      const { address, expiresAt = 0, expiresInMs = 0 } = error.owner ?? {}
      expect(address).toBe('http://10.0.0.1:3000')
      expect(expiresInMs).toBeGreaterThan(0)
      expect(expiresInMs).toBeLessThanOrEqual(15_000)
      expect(expiresAt).toBeGreaterThan(now)
      expect(error.message).toBe(
        `The session 'refused' is open in the process at http://10.0.0.1:3000, whose lease ends in ${expiresInMs} ms unless it is renewed. Send the request to this address, open the session after the lease has ended, or open the session with \`takeOver: true\`.`,
      )
    }
    // The rejected attempts do not affect the owner.
    work.complete('done')
    await until(() => !owner.sessions.sessions[0]?.hasPending())
    await owner.sessions.closeAll()
    expect((await (await other.sessions.open('refused', ours)).consume()).map(said)).toEqual(['completed "done"'])
    await other.sessions.closeAll()
  })

  it('says which option shows the address, if the owner has none', async () => {
    const owner = processAt(undefined)
    await owner.sessions.open('unnamed', ours)
    const error: SessionError = await processAt(undefined)
      .sessions.open('unnamed', ours)
      .then(
        () => expect.fail('opened'),
        (error) => error,
      )
    expect(error.owner).not.toHaveProperty('address')
    expect(error.message).toContain('set `owner: { address }` of its store')
    await owner.sessions.closeAll()
  })

  it('lets a session be opened after the lease has expired; the old owner runs no tool in it any more', async () => {
    const owner = processAt('http://expired')
    const session = await owner.sessions.open('expired', ours)
    const running = await begun(session, owner.works, 'A')
    const single = session.execute(look('wait'))
    await owner.works.of('wait')
    await expire('http://expired')
    const heir = processAt('http://heir')
    expect((await heir.sessions.open('expired', ours)).poll().map(said)).toEqual(['failed interrupted'])
    const begunBefore = owner.works.begun.length
    const superseded = { name: 'SessionError', code: 'superseded' }
    await expect(session.execute(look('wait'))).rejects.toMatchObject(superseded)
    await expect(session.execute(build('B'))).rejects.toMatchObject(superseded)
    expect(owner.works.begun).toHaveLength(begunBefore)
    expect(running.work.signal.reason).toMatchObject(superseded)
    expect(await single).toMatchObject({ status: 'failed', error: { reason: 'interrupted' } })
    expect(owner.sessions.sessions).toEqual([])
    await expect(owner.sessions.open('expired', ours)).rejects.toMatchObject({ owner: { address: 'http://heir' } })
    await heir.sessions.closeAll()
  })

  it('renews an expired lease before the next call, if nobody has opened the session', async () => {
    const owner = processAt('http://renewed')
    const session = await owner.sessions.open('renewed', ours)
    await expire('http://renewed')
    expect(await session.execute(look('A'))).toMatchObject({ status: 'completed' })
    await expect(processAt(undefined).sessions.open('renewed', ours)).rejects.toMatchObject({ code: 'open_elsewhere' })
    await owner.sessions.closeAll()
  })

  it('tells the owner without any call of its own that it has lost a session', async () => {
    const owner = processAt('http://slow', { leaseMs: 100 })
    const session = await owner.sessions.open('noticed', ours)
    const { work } = await begun(session, owner.works, 'A')
    const heir = processAt('http://heir')
    await heir.sessions.open('noticed', takenOver)
    await until(() => work.signal.aborted)
    expect(work.signal.reason).toMatchObject({ code: 'superseded' })
    expect(() => session.poll()).toThrow(expect.objectContaining({ code: 'superseded' }))
    await heir.sessions.closeAll()
  })

  it('keeps the lease while the process has sessions open', async () => {
    let renewals = 0
    const owner = processAt('http://kept', {
      leaseMs: 100,
      run: (text, values) => {
        if (text.includes('on conflict (process_id)')) renewals += 1
        return query(text, values)
      },
    })
    await owner.sessions.open('kept', ours)
    await until(() => renewals > 5)
    await owner.sessions.closeAll()
    const free = processAt('http://next')
    await free.sessions.open('kept', ours)
    await free.sessions.closeAll()
  })

  it('confirms the owner for many calls with few statements', async () => {
    let statements = 0
    const owner = processAt(undefined, {
      run: (text, values) => {
        if (text.includes('is_valid')) statements += 1
        return query(text, values)
      },
    })
    const opened = await Promise.all(
      Array.from({ length: 10 }, (_, index) => owner.sessions.open(`many ${index}`, ours)),
    )
    const answers = await Promise.all(
      opened.flatMap((session) => Array.from({ length: 20 }, (_, call) => session.execute(look(`call ${call}`)))),
    )
    expect(answers.every(({ status }) => status === 'completed')).toBe(true)
    expect(statements).toBeLessThanOrEqual(10)
    await owner.sessions.closeAll()
  })

  it('runs no tool while the database cannot confirm the owner, and runs it again later', async () => {
    const down = new Error('connect ECONNREFUSED')
    let isDown = false
    const run: Query = (text, values) => (isDown ? Promise.reject(down) : query(text, values))
    const owner = processAt(undefined, { run })
    const session = await owner.sessions.open('unconfirmed', ours)
    isDown = true
    const storeFailed = { name: 'SessionError', code: 'store_failed', cause: down }
    await expect(session.execute(look('wait'))).rejects.toMatchObject(storeFailed)
    await expect(session.execute(build('A'))).rejects.toMatchObject(storeFailed)
    expect(owner.works.begun).toEqual([])
    isDown = false
    expect(await session.execute(look('B'))).toMatchObject({ status: 'completed' })
    await owner.sessions.closeAll()
  })

  it('releases a session that could not be opened after all, also if the database fails at first', async () => {
    let failing = (_: string): boolean => false
    const run: Query = (text, values) => (failing(text) ? Promise.reject(new Error('down')) : query(text, values))
    const crashed = processAt('http://crashed')
    await begun(await crashed.sessions.open('not opened', ours), crashed.works, 'A')
    await expire('http://crashed')
    const owner = processAt('http://failing', { run, leaseMs: 100 })
    // Claims the session. Then neither storing the interrupted call nor releasing the session succeeds.
    failing = (text) => text.includes('on conflict (session_id)') || text.includes('set process_id = null')
    await expect(owner.sessions.open('not opened', ours)).rejects.toMatchObject({ code: 'store_failed' })
    failing = () => false
    // The same process can open the session immediately. Other processes must wait until the release has succeeded.
    await (await owner.sessions.open('not opened', ours)).consume()
    await owner.sessions.close('not opened')
    const next = processAt(undefined)
    await next.sessions.open('not opened', ours)
    await next.sessions.closeAll()
  })

  it('renews the lease of a session that was opened slowly, also if the database fails at first', async () => {
    let renewals = 0
    let isFailing = false
    let letGo = (): void => undefined
    const held = new Promise<void>((resolve) => {
      letGo = resolve
    })
    let isReading = false
    const run: Query = async (text, values) => {
      if (text.includes('on conflict (process_id)')) {
        renewals += 1
        if (isFailing) throw new Error('down')
      }
      if (text.includes("'session' as kind")) {
        isReading = true
        await held
      }
      return query(text, values)
    }
    const owner = processAt('http://slowly', { run, leaseMs: 100 })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const opening = owner.sessions.open('slowly', ours)
    await expect.poll(() => isReading).toBe(true)
    // The process holds no session yet, so it stops to renew its lease.
    await vi.advanceTimersByTimeAsync(100)
    expect(renewals).toBe(1)
    isFailing = true
    letGo()
    await opening
    isFailing = false
    const later = async (): Promise<number> => {
      await vi.advanceTimersByTimeAsync(50)
      return renewals
    }
    await expect.poll(later).toBeGreaterThan(5)
    vi.useRealTimers()
    await owner.sessions.closeAll()
  })

  it.each([
    [{ address: '' }, TypeError, 'Expected the address of this process'],
    [{ leaseMs: 50 }, RangeError, 'at least 100'],
    [{ leaseMs: Number.NaN }, RangeError, 'at least 100'],
    [{ leaseMs: Number.POSITIVE_INFINITY }, RangeError, 'at least 100'],
  ])('refuses the options %j', (owner, type, message) => {
    const create = () => postgresStore({ query, owner })
    expect(create).toThrow(type)
    expect(create).toThrow(message)
  })
}
