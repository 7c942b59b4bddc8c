import { setTimeout as pause } from 'node:timers/promises'
import { isToolgenError, Runtime, tool, toolset } from '@toolgen/runtime'
import { postgresStore } from '@toolgen/runtime/postgres'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { openDatabase } from './child/open-store.mjs'

const QUIET = 50
const RESULTS = 30
/** Pause between two calls of a session, in milliseconds. */
const PAUSE_MS = 20

const user = { userId: 'u-1', namespaces: ['printers'] }

const print = tool({
  name: 'print',
  description: 'Prints a text of a length; never ends with a negative one.',
  parameters: {
    type: 'object',
    properties: { name: { type: 'string' }, length: { type: 'integer' } },
    required: ['name', 'length'],
  },
  updates: true,
  run: async ({ name, length }, { meta: { signal } }) => {
    if (length < 0) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    return textOf(name, length)
  },
})

/**
 * Quiet sessions of one store, first alone, then beside a session that keeps large results that nobody takes, and one whose
 * row another transaction has locked. Goes on until told to stop, at least one round.
 *
 * @param address of the place
 * @param calls number of calls of each quiet session, alone and beside the others
 * @param resultLength characters of each of the 30 results that nobody takes
 * @param goesOn whether there is another round
 * @returns `faults`: what went wrong; `rounds`; `alone` and `beside`: the milliseconds of all acknowledgements
 */
export async function neighbourRounds(address, { calls, resultLength, goesOn }) {
  const database = await openDatabase(address)
  const found = { faults: [], rounds: 0, refused: 0, alone: [], beside: [] }
  try {
    do {
      found.rounds += 1
      await round(database, { prefix: `neighbours ${found.rounds}`, calls, resultLength }, found)
    } while (goesOn())
  } finally {
    await database.close()
  }
  return found
}

async function round(database, { prefix, calls, resultLength }, found) {
  const lock = new RowLock(database)
  const registry = registryOver((text, values) => lock.query(text, values))
  const ids = Array.from({ length: QUIET }, (_, index) => `${prefix} quiet ${index}`)
  const [noisyId, lockedId] = [`${prefix} noisy`, `${prefix} locked`]
  const quiet = await Promise.all(ids.map((id) => registry.open(id, user)))
  const [noisy, locked] = [await registry.open(noisyId, user), await registry.open(lockedId, user)]
  await work(quiet, calls, found, found.alone)

  for (let number = 0; number < RESULTS; number += 1) await printed(noisy, `result ${number}`, resultLength)
  await printed(locked, 'before', 0)
  await lock.begin(lockedId)
  let isOver = false
  const others = Promise.all([noise(noisy, () => isOver), refusals(locked, () => isOver, found)])
  await work(quiet, calls, found, found.beside)
  isOver = true
  const [small] = await others
  await lock.end()
  await printed(locked, 'after', 0)

  await registry.closeAll()
  const next = registryOver(database.query)
  const expected = Array.from({ length: RESULTS }, (_, number) => textOf(`result ${number}`, resultLength))
  await expectKept(next, noisyId, [...expected, ...small], found)
  await expectKept(next, lockedId, ['before ', 'after '], found)
  for (const id of ids) await expectKept(next, id, [], found)
  const { rows } = await database.query('select session_id from session_tool_state_entries where session_id like $1', [
    `${prefix} %`,
  ])
  if (rows.length > 0) found.faults.push(`NEIGHBOURS: ${rows.length} rows of entries are left of ${prefix}`)
}

function registryOver(query) {
  const agents = { printers: new Runtime().registerToolset(toolset('printers', print)) }
  return new SessionRegistry({ agents, store: postgresStore({ query }) })
}

/** Every quiet session makes calls, sees each end and takes it. */
async function work(sessions, calls, { faults }, milliseconds) {
  await Promise.all(
    sessions.map(async (session) => {
      for (let number = 0; number < calls; number += 1) {
        const name = `${session.id} ${number}`
        const began = performance.now()
        try {
          await printed(session, name, 10, () => milliseconds.push(performance.now() - began))
          const taken = await session.consumeCompleted()
          const texts = taken.map(({ completion }) => resultOf(completion))
          if (texts.join() !== textOf(name, 10)) faults.push(`NEIGHBOURS: ${name} has ${JSON.stringify(texts)}`)
        } catch (error) {
          faults.push(`NEIGHBOURS: ${name} failed: ${error}: ${error.cause}`)
        }
        await pause(PAUSE_MS)
      }
    }),
  )
}

/** The noisy session goes on with small results. Resolves with their texts. */
async function noise(session, isOver) {
  const texts = []
  while (!isOver()) {
    const name = `small ${texts.length}`
    await printed(session, name, 0)
    texts.push(textOf(name, 0))
    await pause(PAUSE_MS)
  }
  return texts
}

/** The locked session is refused everything. */
async function refusals(session, isOver, found) {
  while (!isOver()) {
    try {
      await session.execute(callOf('refused', -1))
      found.faults.push(`NEIGHBOURS: ${session.id} was acknowledged while its row was locked`)
    } catch (error) {
      if (!isToolgenError(error, 'SessionError') || error.code !== 'store_failed') throw error
      found.refused += 1
    }
    await pause(PAUSE_MS)
  }
}

async function printed(session, name, length, acknowledged = () => undefined) {
  const answer = await session.execute(callOf(name, length))
  if (answer.status !== 'streaming') throw new Error(`${name} was answered with ${JSON.stringify(answer)}`)
  acknowledged()
  while (session.hasPending()) await pause(1)
}

async function expectKept(registry, id, texts, { faults }) {
  const session = await registry.open(id, user)
  const taken = await session.consume()
  const there = taken.map(resultOf)
  if (there.length !== texts.length || there.some((text, index) => text !== texts[index])) {
    const shown = there.map((text) => text.slice(0, 40)).join(', ')
    faults.push(`NEIGHBOURS: ${id} has ${there.length} results, not ${texts.length}: ${shown}`)
  }
  await registry.close(id)
  await registry.delete(id, user)
}

const callOf = (name, length) => ({ tool: 'printers.print', arguments: JSON.stringify({ name, length }) })

const textOf = (name, length) => `${name} ${'x'.repeat(Math.max(0, length))}`

function resultOf({ outcome }) {
  return outcome.status === 'completed' ? JSON.parse(outcome.json) : JSON.stringify(outcome)
}

/** Locks the row of a session: on a server as another transaction does, else the database's answer is made up. */
class RowLock {
  #database
  #holder
  #sessionId

  constructor(database) {
    this.#database = database
  }

  async begin(sessionId) {
    this.#sessionId = sessionId
    if (this.#database.pool === undefined) return
    this.#holder = await this.#database.pool.connect()
    await this.#holder.query('begin')
    await this.#holder.query('select from session_tool_state where session_id = $1 for update', [sessionId])
  }

  async end() {
    this.#sessionId = undefined
    await this.#holder?.query('rollback')
    this.#holder?.release()
  }

  async query(text, values) {
    const isRefused =
      this.#holder === undefined && this.#sessionId !== undefined && text.includes('on conflict (session_id)')
    if (isRefused && values[0].includes(JSON.stringify(this.#sessionId))) {
      throw Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' })
    }
    return this.#database.query(text, values)
  }
}
