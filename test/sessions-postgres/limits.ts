import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { postgresLimits } from '../../packages/runtime/src/postgres.js'
import type { CircuitGrant, SharedCircuit } from '../../packages/runtime/src/resilience.js'
import type { Database } from './databases.js'

const script = fileURLToPath(new URL('limiter.mjs', import.meta.url))
const PROCESSES = 20
const HOUR_MS = 3_600_000

/** Declares tests of rate limits and circuit breakers in a database. */
export function describeLimits({ query, pool }: Database): void {
  const store = postgresLimits(query, { timeoutMs: 60_000 })

  /** The time of each admitted call, in microseconds of the database. */
  const slots = async (): Promise<readonly number[]> =>
    (await query('select slot::text from slots order by slot', [])).rows.map((row) =>
      Number(Reflect.get(Object(row), 'slot')),
    )

  beforeEach(async () => {
    await store.migrate()
    for (const statement of [
      'delete from shared_limits',
      'delete from shared_limits_circuits',
      'drop table if exists slots',
      'create table slots (slot bigint not null)',
      'drop table if exists testing',
      'create table testing (running integer not null)',
      'insert into testing values (0)',
      `create or replace function log_slot() returns trigger language plpgsql as
        'begin insert into slots values (new.times[cardinality(new.times)]); return new; end'`,
      'drop trigger if exists log_slot on shared_limits',
      // The first calls of several processes also update the name. These updates admit no call.
      'create trigger log_slot after update of times on shared_limits for each row execute function log_slot()',
    ])
      await query(statement, [])
  })

  describe('a shared rate limit', () => {
    const rate = { name: 'hourly', calls: 3, perMs: HOUR_MS, maxWaitMs: 0 }

    it('admits as many calls as it has, and says when there is room again', async () => {
      const grants = []
      for (let i = 0; i < 5; i += 1) grants.push(await store.take(rate))
      expect(grants.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => ({ admitted: true, waitMs: 0 })))
      for (const grant of grants.slice(3)) {
        if (grant.admitted) throw new Error('admitted')
        expect(grant.retryAfterMs).toBeLessThanOrEqual(HOUR_MS)
        expect(grant.retryAfterMs).toBeGreaterThan(HOUR_MS / 2)
      }
      expect(await slots()).toHaveLength(3)
      expect(await store.take({ ...rate, name: 'other' })).toEqual({ admitted: true, waitMs: 0 })
    })

    it('reserves a place for each call that may wait, one period after the call so many places before it', async () => {
      const patient = { ...rate, maxWaitMs: 2.5 * HOUR_MS }
      const waits = []
      for (let i = 0; i < 12; i += 1) waits.push((await store.take(patient)).admitted)
      expect(waits).toEqual(waits.map((_, i) => i < 9))
      const all = await slots()
      for (const [i, slot] of all.slice(3).entries()) {
        const apart = slot - (all[i] ?? 0)
        expect(apart).toBeGreaterThanOrEqual(HOUR_MS * 1_000)
        expect(apart).toBeLessThanOrEqual((HOUR_MS * 1_000 * 65) / 64)
      }
    })

    it('is not closed for an hour if the clock of the database was set back by an hour', async () => {
      await store.take({ ...rate, perMs: 1_000 })
      const later = `update shared_limits set times = array[times[1] + ${HOUR_MS}000]`
      await query(later, [])
      expect(await store.take({ ...rate, perMs: 1_000 })).toEqual({ admitted: true, waitMs: 0 })
    })

    it('keeps few intervals, however many calls it admits', async () => {
      const many = { name: 'many', calls: 500, perMs: 10, maxWaitMs: HOUR_MS }
      await Promise.all(Array.from({ length: 2_000 }, () => store.take(many)))
      const { rows } = await query('select cardinality(times)::text as size from shared_limits', [])
      expect(Number(Reflect.get(Object(rows[0]), 'size'))).toBeLessThanOrEqual(130)
    })
  })

  describe('a shared circuit', () => {
    const circuit: SharedCircuit = {
      ...{ name: 'payments', failures: 3, halfOpenAfterMs: HOUR_MS, leaseMs: HOUR_MS, successes: 0 },
    }
    const fail = async (of = circuit): Promise<CircuitGrant> => {
      const grant = await store.enter(of)
      if (grant.state !== 'open') await store.report(of, { epoch: grant.epoch, end: 'failure' })
      return grant
    }
    /** Waits until an open circuit allows a test call. All its times are at most one millisecond. */
    const test = async (of: SharedCircuit): Promise<string> => {
      for (;;) {
        const grant = await store.enter(of)
        if (grant.state === 'test') return grant.epoch
      }
    }
    const short = { ...circuit, halfOpenAfterMs: 1, leaseMs: HOUR_MS }

    it('opens after so many failures in a row, for all', async () => {
      await fail()
      await fail()
      const ok = await store.enter(circuit)
      expect(ok).toMatchObject({ state: 'closed', hasFailures: true })
      if (ok.state !== 'closed') return
      await store.report(circuit, { epoch: ok.epoch, end: 'success' })
      expect(await store.enter(circuit)).toMatchObject({ state: 'closed', hasFailures: false })
      for (let i = 0; i < 3; i += 1) await fail()
      const open = await store.enter(circuit)
      if (open.state !== 'open') throw new Error(open.state)
      expect(open.retryAfterMs).toBeLessThanOrEqual(HOUR_MS)
      expect(open.retryAfterMs).toBeGreaterThan(HOUR_MS / 2)
      expect(await store.enter({ ...circuit, name: 'other' })).toMatchObject({ state: 'closed' })
    })

    it('does not count calls that started before its state changed', async () => {
      const slow = await store.enter(short)
      for (let i = 0; i < 3; i += 1) await fail(short)
      const epoch = await test(short)
      if (slow.state === 'open') throw new Error('open')
      await store.report(short, { epoch: slow.epoch, end: 'success' })
      await store.report(short, { epoch: slow.epoch, end: 'failure' })
      expect(await store.enter(short)).toEqual({ state: 'open', retryAfterMs: undefined })
      await store.report(short, { epoch, end: 'success' })
      expect(await store.enter(short)).toMatchObject({ state: 'closed', hasFailures: false })
    })

    it('lets one of many calls test, and another one if the first is lost', async () => {
      const lost = { ...short, leaseMs: 1 }
      for (let i = 0; i < 3; i += 1) await fail(short)
      const first = await test(lost)
      const second = await test(short)
      expect(second).not.toBe(first)
      const grants = await Promise.all(Array.from({ length: 20 }, () => store.enter(short)))
      expect(grants.map(({ state }) => state)).toEqual(grants.map(() => 'open'))
      await store.report(short, { epoch: first, end: 'success' })
      expect(await store.enter(short)).toEqual({ state: 'open', retryAfterMs: undefined })
      await store.report(short, { epoch: second, end: 'running' })
      await store.report(short, { epoch: second, end: 'failure' })
      expect(await test(short)).not.toBe(second)
    })

    it('opens at a rate of failures among the last calls of all', async () => {
      const rated: SharedCircuit = { ...circuit, failures: { above: 0.5, calls: 4 } }
      await store.enter({ ...rated, successes: 2 })
      await fail(rated)
      expect((await fail(rated)).state).toBe('closed')
      expect((await fail(rated)).state).toBe('closed')
      expect((await fail(rated)).state).toBe('open')
    })
  })

  it('shared limits create their tables once, however many begin at the same time, and refuse wrong options', async () => {
    const stores = Array.from({ length: 8 }, () => postgresLimits(query, { table: 'raced_limits', timeoutMs: 60_000 }))
    const grants = await Promise.all(
      stores.map((each) => each.take({ name: `'; drop table x; --\u0000`, calls: 5, perMs: HOUR_MS, maxWaitMs: 0 })),
    )
    expect(grants.filter(({ admitted }) => admitted)).toHaveLength(5)
    expect(() => postgresLimits(query, { table: 'a b' })).toThrow(TypeError)
    expect(() => postgresLimits(query, { timeoutMs: 0 })).toThrow(RangeError)
  })

  it('shared limits count a database that does not answer as unreachable', async () => {
    const mute = postgresLimits(() => new Promise(() => undefined), { timeoutMs: 5 })
    await expect(mute.take({ name: 'mute', calls: 1, perMs: 1, maxWaitMs: 0 })).rejects.toMatchObject({
      name: 'TimeoutError',
      message:
        'PostgreSQL did not answer within 5 ms. Check the connection, or increase `timeoutMs` of postgresLimits.',
    })
  })

  if (pool === undefined) return

  describe(`${PROCESSES} processes`, () => {
    const { connectionString, options } = pool.options
    let children: readonly ChildProcess[] = []
    beforeAll(async () => {
      const args = [String(connectionString), String(options)]
      children = Array.from({ length: PROCESSES }, () => fork(script, args, { stdio: 'inherit' }))
      await Promise.all(children.map((child) => once(child, 'message')))
    })
    afterAll(async () => {
      const running = children.filter((child) => child.exitCode === null && child.signalCode === null)
      const ends = running.map((child) => once(child, 'exit'))
      for (const child of running) child.send({})
      await Promise.all(ends)
    })
    const ask = async <Answer>(child: ChildProcess, request: object): Promise<Answer> => {
      const answer = once(child, 'message')
      child.send(request)
      const [value] = await answer
      return value
    }

    it('share one rate limit: no interval contains more calls', async () => {
      const limit = { name: 'shared', calls: 25, perMs: 200 }
      const all = await Promise.all(
        children.map((child, i) =>
          ask<number>(child, { limit: { ...limit, maxWaitMs: i % 2 === 0 ? 0 : 300 }, count: 40 }),
        ),
      )
      const admitted = await slots()
      expect(admitted).toHaveLength(all.reduce((sum, each) => sum + each, 0))
      expect(admitted.length).toBeGreaterThan(2 * limit.calls)
      const apart = admitted.slice(limit.calls).map((slot, i) => slot - (admitted[i] ?? 0))
      expect(Math.min(...apart)).toBeGreaterThanOrEqual(limit.perMs * 1_000)
    })

    it('share one circuit: only one of them tests at a time', async () => {
      const circuit = { name: 'shared', failures: 1, halfOpenAfterMs: 1, leaseMs: HOUR_MS, successes: 0 }
      const grant = await store.enter(circuit)
      if (grant.state !== 'closed') throw new Error(grant.state)
      await store.report(circuit, { epoch: grant.epoch, end: 'failure' })
      type Tests = readonly { readonly epoch: string; readonly running: number }[]
      const tests = (await Promise.all(children.map((child) => ask<Tests>(child, { circuit, count: 100 })))).flat()
      expect(tests.length).toBeGreaterThan(10)
      expect(tests.filter(({ running }) => running !== 1)).toEqual([])
      expect(new Set(tests.map(({ epoch }) => epoch)).size).toBe(tests.length)
    })

    it('are not blocked by one that is killed during its test', async () => {
      const [killed, other] = children
      if (killed === undefined || other === undefined) throw new Error('no process')
      const circuit = { name: 'killed', failures: 1, halfOpenAfterMs: 1, leaseMs: 1_000, successes: 0 }
      const grant = await store.enter(circuit)
      if (grant.state !== 'closed') throw new Error(grant.state)
      await store.report(circuit, { epoch: grant.epoch, end: 'failure' })
      const enter = async (child: ChildProcess): Promise<CircuitGrant> => {
        for (;;) {
          const got = await ask<CircuitGrant>(child, { enter: circuit })
          if (got.state === 'test') return got
        }
      }
      const first = await enter(killed)
      killed.kill('SIGKILL')
      await once(killed, 'exit')
      const second = await enter(other)
      expect(second).not.toEqual(first)
    })
  })
}
