import { expect, it } from 'vitest'
import { peek } from '../../packages/runtime/src/call/tool-failure.js'
import { type BoundToolset, Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { postgresStore, type Query } from '../../packages/runtime/src/postgres.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { ours, takenOver, until } from '../sessions/sessions.fixture.js'
import type { Database } from './databases.js'

const RESULTS = 30
const KILOBYTES = 100

const print = tool({
  name: 'print',
  description: 'Prints so many kilobytes; never ends with a negative number.',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string' }, kilobytes: { type: 'integer' } },
    required: ['name', 'kilobytes'],
  },
  updates: true,
  run: async ({ name, kilobytes }, { meta: { signal } }) => {
    if (kilobytes < 0) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return textOf(name, kilobytes)
  },
})

/** Creates a registry that the database sees as a separate process. */
export function printers(query: Query): SessionRegistry<{ reports: BoundToolset }> {
  const agents = { reports: new Runtime().registerToolset(toolset('printers', print)) }
  return new SessionRegistry({ agents, store: postgresStore({ query }) })
}

/** Returns a call of the streaming tool of these registries. */
export const printed = (name: string, kilobytes = 0) => ({
  tool: 'printers.print',
  arguments: JSON.stringify({ name, kilobytes }),
})

const textOf = (name: string, kilobytes: number): string => `${name} ${'x'.repeat(kilobytes * 1_000)}`

/** Declares tests of sessions that share statements with a locked session, or with one that keeps large results. */
export function describeNeighbours({ query }: Database): void {
  it.each([
    ['a locked row', Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })],
    ['a statement that takes too long', Object.assign(new Error('canceling statement'), { code: '57014' })],
    ['a driver that waits no longer', new Error('Query read timeout')],
  ])('defect 4a: fails only the session that causes it, one of 51: %s', async (_, failure) => {
    let isLocked = false
    const failed: number[] = []
    const sessions = printers(async (text, values) => {
      if (isLocked && text.includes('on conflict (session_id)') && String(values[0]).includes('"locked"')) {
        failed.push(JSON.parse(String(values[0])).length)
        throw failure
      }
      return query(text, values)
    })
    const ids = [...Array.from({ length: 50 }, (_, index) => `free ${index}`), 'locked']
    const opened = await Promise.all(ids.map((id) => sessions.open(id, takenOver)))
    isLocked = true
    for (const round of ['first', 'second']) {
      const answers = await Promise.allSettled(
        opened.map((session, index) => session.execute(printed(round, index < 50 ? 0 : -1))),
      )
      expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(50)
      expect(answers[50]).toMatchObject({ status: 'rejected', reason: { code: 'store_failed', cause: failure } })
    }
    // Only the first statement failed for other sessions. After it, the locked session has its own statements.
    expect(failed.filter((changes) => changes > 1)).toEqual([51])
    await Promise.all(
      opened.slice(0, 50).map(async (session) => {
        await until(() => !session.hasPending())
        expect(await session.consumeCompleted()).toHaveLength(2)
      }),
    )
    isLocked = false
    expect(await opened[50]?.execute(printed('third'))).toMatchObject({ status: 'streaming' })
    await sessions.closeAll()
  })

  it('limits the wait for locks in its own statements alone', async () => {
    const limit = async () => (await query(`select current_setting('lock_timeout') as value`, [])).rows
    const limits: unknown[] = []
    const store = postgresStore({
      query: async (text, values) => {
        if (!text.includes('on conflict (session_id)')) return query(text, values)
        const seen = `${text}, current_setting('lock_timeout') as value`
        const { rows } = await query(seen, values)
        limits.push(...rows.map((row) => peek(row, 'value')))
        return { rows: [{ session_id: 'limited' }] }
      },
    })
    await store.claim('limited', { userId: 'u-7', owner: 'first', takeOver: true })
    const state = { version: 1, sessionId: 'limited', userId: 'u-7', namespaces: ['a'], availableTools: [] } as const
    await store.save({ ...state, entries: [], running: [], nextSequence: 1 }, 'first')
    expect(limits).toEqual(['100ms'])
    expect(await limit()).toEqual([{ value: '0' }])
  })

  it('defect 4b: a save writes what changed, not the results that nobody has taken', async () => {
    let bytes = 0
    const sessions = printers((text, values) => {
      bytes += values.reduce((sum: number, value) => sum + String(value).length, 0)
      return query(text, values)
    })
    const written = async (work: () => Promise<unknown>): Promise<number> => {
      bytes = 0
      await work()
      return bytes
    }
    const session = await sessions.open('noisy', ours)
    const call = async (name: string, kilobytes?: number): Promise<void> => {
      await session.execute(printed(name, kilobytes))
      await until(() => !session.hasPending())
    }
    const filled = await written(async () => {
      for (let number = 1; number <= RESULTS; number += 1) await call(`result ${number}`, KILOBYTES)
    })
    const size = RESULTS * KILOBYTES * 1_000
    expect(filled).toBeGreaterThan(size)
    // Each result must be written only once.
    expect(filled).toBeLessThan(size * 1.2)
    // Two saves: for the start and the end of the call.
    expect(await written(() => call('small'))).toBeLessThan(5_000)

    await expectAll(printers(query))
    const again = await (async () => {
      const other = printers((text, values) => {
        bytes += values.reduce((sum: number, value) => sum + String(value).length, 0)
        return query(text, values)
      })
      return other.open('noisy', takenOver)
    })()
    expect(await written(() => again.execute(printed('after a restore')))).toBeLessThan(5_000)
    await until(() => !again.hasPending())
    expect(await written(async () => expect(await again.consume()).toHaveLength(RESULTS + 2))).toBeLessThan(5_000)
    expect((await query(`select from session_tool_state_entries where session_id = 'noisy'`, [])).rows).toEqual([])
  })

  async function expectAll(sessions: ReturnType<typeof printers>): Promise<void> {
    const session = await sessions.open('noisy', takenOver)
    const results = session.poll().map((entry) => {
      if (entry.kind !== 'completed' || entry.outcome.status !== 'completed') throw new Error(JSON.stringify(entry))
      return JSON.parse(entry.outcome.json)
    })
    const names = Array.from({ length: RESULTS }, (_, index) => `result ${index + 1}`)
    expect(results).toEqual([...names.map((name) => textOf(name, KILOBYTES)), textOf('small', 0)])
    await sessions.close('noisy')
  }

  it('writes a result again whose deletion may have happened', async () => {
    let failing: ((text: string) => boolean) | undefined
    const sessions = printers(async (text, values) => {
      const answer = await query(text, values)
      if (failing?.(text) === true) {
        failing = undefined
        throw new Error('The connection was lost after the commit.')
      }
      return answer
    })
    const session = await sessions.open('uncertain', ours)
    await session.execute(printed('kept', KILOBYTES))
    await until(() => !session.hasPending())
    failing = (text) => text.includes('on conflict (session_id)')
    await expect(session.consume()).rejects.toMatchObject({ code: 'store_failed' })
    await session.execute(printed('next'))
    await until(() => !session.hasPending())
    const restored = await printers(query).open('uncertain', takenOver)
    expect(restored.poll()).toEqual(session.poll())
    expect(await restored.consume()).toHaveLength(2)
  })
}
