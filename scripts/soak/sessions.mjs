import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createJiti } from 'jiti'
import { ranks } from '../bench/sessions/ranks.mjs'
import { NoPostgresError, startPostgres } from '../lib/postgres.mjs'
import { root } from '../lib/run.mjs'

/** Share of the time for sessions next to a locked row and a noisy neighbour. */
const NEIGHBOURS_SHARE = 0.25

/**
 * Kills processes (SIGKILL) that use sessions over a durable store: PGlite, and a PostgreSQL server at DATABASE_URL or a temporary one. The
 * next process must find all results that were saved, delivered and acknowledged. Then runs 50 sessions next to one with a locked row and one
 * with 30 unacknowledged results of 1 MB, at least once per store. Ends after the given seconds or rounds. Prints the number of rounds and each
 * failure. Resolves with the number of failures.
 */
export async function soak({ seconds, rounds = Number.POSITIVE_INFINITY, seed = Date.now() % 2 ** 31 }) {
  const jiti = createJiti(join(root, 'test/sessions-soak/'), { fsCache: false })
  const { killRounds } = await jiti.import('./kill-rounds.ts')
  const { embeddedPlace, serverPlace } = await jiti.import('./place.ts')
  const { neighbourRounds } = await import(pathToFileURL(join(root, 'test/sessions-soak/neighbours.mjs')))
  const server = await someServer()
  const places = [embeddedPlace(), ...(server === undefined ? [] : [await serverPlace(server.url)])]
  try {
    const limit = Number.isFinite(rounds) ? `at most ${rounds} rounds, ` : ''
    const names = places.map(({ name }) => name).join(' and ')
    console.log(`soak sessions: ${seconds} s of killed processes, ${limit}on ${names}, seed ${seed}`)
    const start = performance.now()
    const untilShare = (share) => performance.now() < start + seconds * 1000 * share
    const all = await killRounds(places, seed, (round) => round < rounds && untilShare(1 - NEIGHBOURS_SHARE))
    // Only a test of this script sets a number of rounds.
    const isShort = rounds !== Number.POSITIVE_INFINITY
    const work = isShort ? { calls: 2, resultLength: 20_000 } : { calls: 10, resultLength: 1_000_000 }
    const beside = []
    for (const [index, { name, address }] of places.entries()) {
      const share = 1 - NEIGHBOURS_SHARE + ((index + 1) / places.length) * NEIGHBOURS_SHARE
      const goesOn = () => !isShort && untilShare(share)
      beside.push({ name, ...(await neighbourRounds(address, { ...work, goesOn })) })
    }
    const lost = [
      ...all.flatMap(({ place, ledger }) => ledger.faults.map((fault) => `${place.name}: ${fault}`)),
      ...beside.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`)),
    ]
    for (const fault of lost.slice(0, 20)) console.log(`LOST ${fault.slice(0, 4000)}`)
    for (const { place, kills, ledger } of all) report(place, kills, ledger.counts)
    for (const found of beside) reportNeighbours(found)
    console.log(`${lost.length} lost`)
    return lost.length
  } finally {
    for (const place of places) await place.remove()
    await server?.stop()
  }
}

function report({ name }, kills, counts) {
  console.log(
    `on ${name}: killed ${kills.working} processes at work, ${kills.statements} at a statement, ${kills.starting} during the start, ${kills.overtaken} after another process had opened their sessions; ${kills.staleLocks} stale locks replaced`,
  )
  console.log(
    `  ${counts.calls} calls, ${counts.acknowledged} acknowledged, ${counts.storedUnanswered} stored but not acknowledged because the process was killed; ` +
      `${counts.opened} sessions opened, ${counts.closed} closed, ${counts.strangers} requests of other users rejected`,
  )
  console.log(
    `  ${counts.given} entries consumed in ${counts.takes} calls of consume; ${counts.takesUnderWay} calls, of ${counts.entriesUnderWay} entries, were running when the ` +
      `process was killed; ${counts.entriesUnknown} of these entries were no longer in the session`,
  )
  console.log(`  ends: ${[...counts.ends].map(([end, count]) => `${end} ${count}`).join(', ')}`)
}

function reportNeighbours({ name, rounds, refused, alone, beside }) {
  const figures = [alone, beside].map((milliseconds) => {
    const { p50, p99 } = ranks(milliseconds)
    return `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
  })
  console.log(
    `on ${name}: 50 sessions next to a noisy and a locked one, ${rounds} times; ${refused} calls of the locked session rejected; ` +
      `acknowledgements of the 50 sessions alone: ${figures[0]}; next to the others: ${figures[1]}`,
  )
}

/** Starts a server, unless DATABASE_URL contains the address of one. Returns `undefined` if PostgreSQL is not installed. */
async function someServer() {
  const { DATABASE_URL } = process.env
  if (DATABASE_URL !== undefined) return { url: DATABASE_URL, stop: async () => undefined }
  try {
    return await startPostgres()
  } catch (error) {
    if (!(error instanceof NoPostgresError)) throw error
    console.log(`only PGlite: ${error.message}`)
    return undefined
  }
}
