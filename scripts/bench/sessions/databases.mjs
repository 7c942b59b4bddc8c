import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NoPostgresError, startPostgres } from '../../lib/postgres.mjs'

/** Environment variable with the folder of an empty embedded database. Each measuring process uses a copy of the folder. */
export const embeddedVariable = 'TOOLGEN_BENCH_PGLITE'

/**
 * Prepares the databases of the measuring processes: an empty embedded database, and a server: the one at DATABASE_URL or, without this variable, a
 * temporary one. Resolves with `missing`, a map from each missing store to the reason, and with `end`, which stops the server and removes the files.
 *
 * @param without stores to leave out
 */
export async function preparedDatabases(without) {
  const missing = new Map(without.map((store) => [store, '--without']))
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
    missing.set('PostgreSQL', 'no PostgreSQL server found')
  }
  return { missing, end }
}

/** Creates a database to copy: creating one takes seconds, and opening a copy takes milliseconds. */
async function makeEmbedded(folder) {
  const { PGlite } = await import('@electric-sql/pglite')
  const database = await PGlite.create(folder)
  await database.close()
  process.env[embeddedVariable] = folder
}
