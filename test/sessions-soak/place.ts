import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isToolgenError } from '@toolgen/runtime'
import { lockDirectory } from '@toolgen/runtime/postgres'
import pg from 'pg'

/** Location of the database of a process. */
export type PlaceAddress = { readonly directory: string } | { readonly url: string; readonly schema: string }

/** A database that survives the killed processes. */
export interface Place {
  readonly name: string
  readonly address: PlaceAddress
  /** True if several processes can use the database at the same time. */
  readonly isShared: boolean
  /** Returns the faults of the lock while a process holds it. */
  wrongWhileHeld(pid: number): readonly string[]
  /** Returns true if a killed process has left a lock. */
  hasStaleLock(): boolean
  /** Returns the faults of the lock after a process has ended by itself. */
  wrongAtTheEnd(): readonly string[]
  remove(): Promise<void>
}

/** Creates a directory for an embedded database. */
export function embeddedPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-soak-sessions-'))
  const directory = join(folder, 'database')
  const file = `${directory}.lock`
  return {
    name: 'PGlite',
    address: { directory },
    isShared: false,
    wrongWhileHeld: (pid) => {
      try {
        lockDirectory(directory).release()
        return [`LOCK: two processes have ${directory}`]
      } catch (error) {
        if (!isToolgenError(error, 'DirectoryInUseError')) throw error
        return error.holder?.pid === pid ? [] : [`LOCK: it is ${error.holder?.pid}'s, not ${pid}'s: ${error.message}`]
      }
    },
    hasStaleLock: () => existsSync(file),
    wrongAtTheEnd: () => (existsSync(file) ? [`LOCK: ${file} is left`] : []),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Creates a schema on a server. */
export async function serverPlace(url: string): Promise<Place> {
  const schema = `toolgen_soak_${randomBytes(6).toString('hex')}`
  const query = async (text: string): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  await query(`create schema ${schema}`)
  return {
    name: 'a PostgreSQL server',
    address: { url, schema },
    isShared: true,
    wrongWhileHeld: () => [],
    hasStaleLock: () => false,
    wrongAtTheEnd: () => [],
    remove: () => query(`drop schema ${schema} cascade`),
  }
}
