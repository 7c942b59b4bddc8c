// `npm run bench -- limits`: cost of a rate limit and of a circuit breaker, in memory and shared in PostgreSQL.
import { NoPostgresError, startPostgres } from '../lib/postgres.mjs'
import { forked } from './forked.mjs'
import { atMost, skipped } from './report.mjs'

export const parts = {
  'rate-limit': 'calls under a rate limit that admits all',
  'circuit-breaker': 'calls under a closed circuit breaker',
}

const contestants = ['no layer', 'in memory', 'select 1', 'PostgreSQL']
/** `select 1` is one statement before each call: the minimum cost of a shared limit. */
const usesDatabase = (contestant) => contestant === 'select 1' || contestant === 'PostgreSQL'

const ROUNDS = 3

/** Measures each contestant several times, in alternating processes, and returns medians. Throws if a call does not complete. */
export async function benchmark({ parts: chosen, quick, log }) {
  const server = process.env.DATABASE_URL === undefined ? await started() : undefined
  const hasDatabase = server !== undefined || process.env.DATABASE_URL !== undefined
  if (server !== undefined) process.env.DATABASE_URL = server.url
  try {
    const rows = []
    for (const part of chosen) {
      const measured = new Map(contestants.map((contestant) => [contestant, []]))
      for (let round = 0; round < (quick ? 1 : ROUNDS); round += 1) {
        for (const contestant of contestants) {
          if (usesDatabase(contestant) && !hasDatabase) continue
          log(`${part}: ${contestant} ...`)
          const file = new URL('limits/measured-process.mjs', import.meta.url)
          const child = forked(file, [part, contestant, quick ? 'quick' : ''])
          measured.get(contestant).push(await child.message())
          child.stop()
        }
      }
      for (const [contestant, all] of measured) rows.push(...rowsFor(parts[part], contestant, all))
    }
    return rows
  } finally {
    if (server !== undefined) {
      delete process.env.DATABASE_URL
      await server.stop()
    }
  }
}

async function started() {
  try {
    return await startPostgres()
  } catch (error) {
    if (error instanceof NoPostgresError) return undefined
    throw error
  }
}

function rowsFor(title, contestant, all) {
  const units = {
    cpuUs: 'µs CPU',
    latencyMs: 'ms, one after the other',
    perSecond: 'calls/s, 20 at a time',
    trips: 'round trips',
  }
  return Object.entries(units).flatMap(([figure, unit]) => {
    if (figure === 'trips' && !usesDatabase(contestant)) return []
    const value = all.length === 0 ? skipped('no PostgreSQL server found') : median(all.map((each) => each[figure]))
    const against = figure === 'trips' ? {} : { against: usesDatabase(contestant) ? 'select 1' : 'no layer' }
    return [{ case: title, contestant, value, unit, ...against, ...(figure === 'trips' && { aims: [atMost(1)] }) }]
  })
}

function median(values) {
  return values.sort((one, other) => one - other)[Math.floor(values.length / 2)]
}
