import { join } from 'node:path'
import { createJiti } from 'jiti'
import { NoPostgresError, startPostgres } from '../lib/postgres.mjs'
import { root } from '../lib/run.mjs'

/**
 * Kills processes (SIGKILL) that work with sessions over a durable store, on PGlite and, at DATABASE_URL or where one can be
 * started, on a PostgreSQL server in turn, and holds what the next process finds against all that was acknowledged, seen and
 * taken. Ends after so many seconds or rounds. Prints what it tried and what it lost; resolves with the number of faults.
 */
export async function soak({ seconds, rounds = Number.POSITIVE_INFINITY, seed = Date.now() % 2 ** 31 }) {
  const jiti = createJiti(join(root, 'test/sessions-soak/'), { fsCache: false })
  const { killRounds } = await jiti.import('./kill-rounds.ts')
  const { embeddedPlace, serverPlace } = await jiti.import('./place.ts')
  const server = await someServer()
  const places = [embeddedPlace(), ...(server === undefined ? [] : [await serverPlace(server.url)])]
  try {
    const limit = Number.isFinite(rounds) ? `at most ${rounds} rounds, ` : ''
    const names = places.map(({ name }) => name).join(' and ')
    console.log(`soak sessions: ${seconds} s of processes that are killed, ${limit}on ${names}, seed ${seed}`)
    const end = performance.now() + seconds * 1000
    const all = await killRounds(places, seed, (round) => round < rounds && performance.now() < end)
    const lost = all.flatMap(({ place, ledger }) => ledger.faults.map((fault) => `${place.name}: ${fault}`))
    for (const fault of lost.slice(0, 20)) console.log(`LOST ${fault.slice(0, 4000)}`)
    for (const { place, kills, ledger } of all) report(place, kills, ledger.counts)
    console.log(`${lost.length} lost`)
    return lost.length
  } finally {
    for (const place of places) await place.remove()
    await server?.stop()
  }
}

function report({ name }, kills, counts) {
  console.log(
    `on ${name}: killed ${kills.working} processes at work, ${kills.statements} at a statement, ${kills.starting} that were starting, ${kills.overtaken} whose sessions another one had; ${kills.staleLocks} stale locks taken over`,
  )
  console.log(
    `  ${counts.calls} calls, ${counts.acknowledged} acknowledged, ${counts.storedUnanswered} more stored when the process was killed; ` +
      `${counts.opened} sessions opened, ${counts.closed} closed, ${counts.strangers} refused to another user`,
  )
  console.log(
    `  ${counts.given} entries in ${counts.takes} takes; ${counts.takesUnderWay} takes of ${counts.entriesUnderWay} entries were under way when the process ` +
      `was killed: ${counts.entriesUnknown} entries were gone then, and may have been taken or not`,
  )
  console.log(`  ends: ${[...counts.ends].map(([end, count]) => `${end} ${count}`).join(', ')}`)
}

/** The server at DATABASE_URL, else one of its own; absent where the system has none. */
async function someServer() {
  const { DATABASE_URL } = process.env
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL, stop: async () => undefined }
  try {
    return await startPostgres()
  } catch (error) {
    if (!(error instanceof NoPostgresError)) throw error
    console.log(`PGlite alone: ${error.message}`)
    return undefined
  }
}
