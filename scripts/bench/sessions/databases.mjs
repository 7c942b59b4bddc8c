import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NoPostgresError, startPostgres } from '../../lib/postgres.mjs'

/** Names the folder of an empty embedded database to the processes that are forked: each uses a copy of it. */
export const embeddedVariable = 'TOOLGEN_BENCH_PGLITE'

/**
 * Prepares what the processes that are forked open: an empty embedded database, and the server at DATABASE_URL, else one
 * from the system's programs. Resolves with `missing`, which has for each store that they cannot have the reason, and with
 * how to end what was begun.
 *
 * @param without the stores that are not wanted
 */
export async function preparedDatabases(without) {
  const missing = new Map(without.map((store) => [store, 'left out']))
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-bench-'))
  let stop = async () => undefined
  const end = async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    if (!missing.has('PGlite')) await makeEmbedded(join(folder, 'empty'))
    if (!missing.has('PostgreSQL') && process.env.DATABASE_URL === undefined) {
      const server = await startPostgres()
      stop = server.stop
      process.env.DATABASE_URL = server.url
    }
  } catch (error) {
    if (!(error instanceof NoPostgresError)) {
      await end()
      throw error
    }
    missing.set('PostgreSQL', 'no server can be started here')
  }
  return { missing, end }
}

/** Making one takes seconds; a copy opens at once. */
async function makeEmbedded(folder) {
  const { PGlite } = await import('@electric-sql/pglite')
  const database = await PGlite.create(folder)
  await database.close()
  process.env[embeddedVariable] = folder
}
