import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { RunSuspension } from '../../packages/runtime/src/agents.js'
import { approval, Runtime } from '../../packages/runtime/src/index.js'
import { postgresClaims } from '../../packages/runtime/src/postgres.js'
import { agentOf, callOf, callsAtOnce, order } from '../runs/agents.fixture.js'
import type { Database } from './databases.js'

const script = fileURLToPath(new URL('claimer.mjs', import.meta.url))
const DAY_MS = 24 * 60 * 60 * 1_000
const env = { approval: { approve: async () => 'suspend' as const } }

/** Declares tests of claims of suspensions in a database. */
export function describeClaims({ query, pool }: Database): void {
  const table = async () =>
    (await query('select suspension_id from suspension_claims order by suspension_id', [])).rows.map((row) =>
      Reflect.get(Object(row), 'suspension_id'),
    )

  it('defect 5e: let one of two runtimes resume a suspension', async () => {
    const ran: number[] = []
    const agents = [0, 1].map((index) =>
      agentOf(
        () => {
          ran.push(index)
          return order
        },
        { runtime: new Runtime({ claims: postgresClaims(query) }), planner: callsAtOnce(callOf('A', 'one')) },
      ).layer(approval()),
    )
    const first = await agents[0]?.run('?', { env })
    const suspension: RunSuspension = JSON.parse(JSON.stringify(first?.suspension))
    const runs = await Promise.all(agents.map((agent) => agent.resume(suspension, { one: 'approve' }, { env })))
    expect(runs.map(({ status }) => status).sort()).toEqual(['completed', 'failed'])
    const failed = runs.find(({ status }) => status === 'failed')
    expect(failed?.error?.cause).toMatchObject({ code: 'already_resumed' })
    expect(ran).toHaveLength(1)
  })

  it('defect 5e: create their table once, however many begin at the same time', async () => {
    await query('drop table if exists suspension_claims', [])
    await query(`delete from session_migrations where table_name = 'suspension_claims'`, [])
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => postgresClaims(query).claim('raced', { suspendedAt: Date.now() })),
    )
    expect(answers.filter((answer) => answer === true)).toHaveLength(1)
    expect(answers.filter((answer) => answer === false)).toHaveLength(7)
    const { rows } = await query(`select version from session_migrations where table_name = 'suspension_claims'`, [])
    expect(rows).toEqual([{ version: 1 }])
  })

  it('defect 5e: refuse expired suspensions, before and after a clean-up', async () => {
    const claims = postgresClaims(query, { maxAgeMs: 30 * DAY_MS })
    const keeping = postgresClaims(query, { maxAgeMs: Number.POSITIVE_INFINITY })
    const old = { suspendedAt: Date.now() - 31 * DAY_MS }
    await query('delete from suspension_claims', [])
    expect(await claims.claim('never resumed', old)).toBe('expired')
    expect(await keeping.claim('old', old)).toBe(true)
    expect(await claims.claim('young', { suspendedAt: Date.now() })).toBe(true)
    expect(await claims.claim('of an earlier version')).toBe(true)
    expect(await keeping.cleanUp()).toBe(0)
    expect(await claims.cleanUp()).toBe(1)
    expect(await table()).toEqual(['of an earlier version', 'young'])
    expect(await claims.claim('old', old)).toBe('expired')
    expect(await claims.claim('young', { suspendedAt: Date.now() })).toBe(false)
    expect(await claims.claim('of an earlier version')).toBe(false)
  })

  it('defect 5e: take any id, and refuse options that cannot be', async () => {
    const id = `\u0000'; drop table suspension_claims; -- \ud800`
    expect(await postgresClaims(query).claim(id, { suspendedAt: Date.now() })).toBe(true)
    expect(await postgresClaims(query).claim(id, { suspendedAt: Date.now() })).toBe(false)
    expect(() => postgresClaims(query, { maxAgeMs: 0 })).toThrow(RangeError)
    expect(() => postgresClaims(query, { table: 'a b' })).toThrow(TypeError)
  })

  if (pool === undefined) return

  it('defect 5e: let one of two processes resume each suspension', async () => {
    const { connectionString, options } = pool.options
    const children = [0, 1].map(() => fork(script, [String(connectionString), String(options)], { stdio: 'inherit' }))
    try {
      await Promise.all(children.map((child) => once(child, 'message')))
      const ids = Array.from({ length: 50 }, (_, index) => `shared-${index}`)
      const [one, other] = await Promise.all(children.map((child) => claimedBy(child, ids)))
      expect(one).toHaveLength(50)
      expect(one?.map((answer) => !answer)).toEqual(other)
    } finally {
      for (const child of children) if (child.connected) child.send({})
    }
  })
}

async function claimedBy(child: ChildProcess, ids: readonly string[]): Promise<readonly boolean[]> {
  const answer = once(child, 'message')
  child.send({ ids })
  const [answers] = await answer
  return answers
}
