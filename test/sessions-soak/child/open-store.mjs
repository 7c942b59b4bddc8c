import { lockDirectory, postgresStore } from '@toolgen/runtime/postgres'

/** The store of a place, with what gives the place back. */
export async function openStore(place, death) {
  const { query, close } = await openDatabase(place)
  return { store: postgresStore({ query: mortal(query, death) }), close }
}

/**
 * The `query` of a place, with what gives the place back; `pool` where it is on a server. Loads only the database that the
 * place has.
 */
export function openDatabase(place) {
  return place.directory === undefined ? onServer(place) : embedded(place)
}

async function embedded({ directory: path }) {
  const lock = lockDirectory(path)
  const { PGlite } = await import('@electric-sql/pglite')
  const database = await PGlite.create(lock.directory)
  const close = async () => {
    await database.close()
    lock.release()
  }
  return { query: (text, values) => database.query(text, values), close }
}

async function onServer({ url, schema }) {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}` })
  pool.on('error', () => undefined)
  return { query: (text, values) => pool.query(text, values), close: () => pool.end(), pool }
}

/** A query that kills this process at one statement: before it is sent, or when it is done and nobody knows. */
function mortal(query, { statement, isAfter } = {}) {
  let count = 0
  return async (text, values) => {
    count += 1
    const isLast = count === statement
    if (isLast && !isAfter) process.kill(process.pid, 'SIGKILL')
    const answer = await query(text, values)
    if (isLast) process.kill(process.pid, 'SIGKILL')
    return answer
  }
}
