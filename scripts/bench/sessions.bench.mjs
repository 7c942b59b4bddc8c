// `npm run bench -- sessions`: cost of sessions with each store: throughput, latency, closing and restoring, memory. See
// sessions/README.md.
import { preparedDatabases } from './sessions/databases.mjs'
import { rowsOfPart } from './sessions/rows.mjs'
import { scales } from './sessions/scale.mjs'

export const parts = {
  continuous: 'sessions in memory, each with one call after the other',
  latency: 'calls at a constant rate',
  durable: 'streaming calls whose states are stored in a database',
  neighbour: 'sessions next to a session with many unread results',
  lifecycle: 'closing and restoring sessions',
  idle: 'memory of idle sessions',
}

/** Stores that `--without` accepts. */
export const optional = ['PGlite', 'PostgreSQL']

/** Measures the parts. Throws if a call or a session returns a wrong result. */
export async function benchmark({ parts: chosen, without, quick, log }) {
  // The usual value in production.
  process.env.NODE_ENV = 'production'
  const { missing, end } = await preparedDatabases(without)
  for (const [store, reason] of missing) log(`${store}: skipped: ${reason}`)
  const scaleName = quick ? 'quick' : 'full'
  try {
    const rows = []
    for (const part of chosen) {
      log(`${parts[part]} ...`)
      rows.push(...(await rowsOfPart[part]({ scaleName, scale: scales[scaleName], missing })))
    }
    return rows
  } finally {
    await end()
  }
}
