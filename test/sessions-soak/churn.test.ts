import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { memoryStore, SessionRegistry, type SessionStore } from '../../packages/runtime/src/sessions.js'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const SESSIONS = 1_000
/** Before anything is measured: what is compiled, and what grows once, is no growth. */
const WARM_UPS = 1
const ROUNDS = 2

/** Of the heap, for each session that was opened, used and closed; what one open session takes is many times that. */
const MAX_BYTES = 400

const quick = tool({
  name: 'quick',
  description: 'Quick.',
  parameters: {},
  updates: true,
  run: async (_args, { emit }) => {
    await emit('half')
    return 'done'
  },
})
const agents = { quick: new Runtime().registerToolset(toolset('quick', quick)) }
const call = { tool: 'quick', arguments: '{}' }
const who = { userId: 'u-1', namespaces: ['quick'] } as const

/** A memory store that counts as durable: everything is saved as soon as it happens. */
function durableStore(): SessionStore {
  return { ...memoryStore(), isDurable: true }
}

/** What a thousand sessions do: each is called, watched, partly taken, closed, restored, taken whole, closed and forgotten. */
async function churn(sessions: SessionRegistry<typeof agents>, used: (session: object) => void): Promise<void> {
  const ids = Array.from({ length: SESSIONS }, (_, index) => `s-${index}`)
  await Promise.all(
    ids.map(async (id) => {
      const session = await sessions.open(id, who)
      used(session)
      void session[Symbol.asyncIterator]().next()
      await session.execute(call)
      await session.consume()
      await session.execute(call)
      await sessions.close(id)
      const restored = await sessions.restore(id, who)
      if ((await restored.consume()).length === 0) throw new Error('Nothing was restored.')
      await sessions.close(id)
      await sessions.delete(id, who)
    }),
  )
}

async function heapUsed(): Promise<number> {
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
  }
  return process.memoryUsage().heapUsed
}

/** By how much the heap grows, in bytes for each session that was opened, used and closed. */
async function growth(store: SessionStore, used: (session: object) => void = () => undefined): Promise<number> {
  const sessions = new SessionRegistry({ agents, store })
  for (let round = 1; round <= WARM_UPS; round += 1) await churn(sessions, () => undefined)
  const before = await heapUsed()
  for (let round = 1; round <= ROUNDS; round += 1) await churn(sessions, used)
  const after = await heapUsed()
  expect(sessions.sessions).toEqual([])
  return (after - before) / (ROUNDS * SESSIONS)
}

describe('a thousand sessions that are opened, called, closed, restored and forgotten again and again', () => {
  it.each([
    ['with the memory store', memoryStore],
    ['with a durable store', durableStore],
  ])('leave nothing in memory, %s', async (_, store) => {
    expect(await growth(store())).toBeLessThan(MAX_BYTES)
  })

  it('finds a leak of the size of the sessions', async () => {
    const kept: object[] = []
    expect(await growth(memoryStore(), (session) => kept.push(session))).toBeGreaterThan(4 * MAX_BYTES)
    expect(kept).toHaveLength(ROUNDS * SESSIONS)
  })
})
