import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { left, MAIN, node, startedUntil } from './example-process.js'
import { silentDatabase } from './silent-database.js'

const root = join(import.meta.dirname, '../../..')
const transcript = readFileSync(join(import.meta.dirname, 'transcript.txt'), 'utf8')
const { DATABASE_URL, ...embedded } = process.env

/** Exit code of scripts/postgres.mjs if no server can be started. */
const NO_SERVER = 3

beforeAll(() => {
  // The same compilation as in `npm start -- sessions`.
  const compiled = node([join(root, 'node_modules/typescript-7/bin/tsc'), '-b', '.'], embedded)
  expect([compiled.stdout, compiled.stderr]).toEqual(['', ''])
})

describe('the sessions example', () => {
  it('finds results after a stop and after a crash, in an embedded database, and leaves nothing behind', () => {
    const before = left()
    const { stdout, stderr, status } = node([MAIN], embedded)
    expect([stdout, stderr, status]).toEqual([transcript, '', 0])
    expect(left()).toEqual(before)
  })

  it('finds them on a PostgreSQL server', ({ skip }) => {
    const before = left()
    const server = DATABASE_URL === undefined ? [join(root, 'scripts/postgres.mjs'), process.execPath] : []
    const { stdout, stderr, status } = node([...server, MAIN], process.env)
    if (status === NO_SERVER) skip('no server can be started here: install PostgreSQL')
    expect([stdout, stderr, status]).toEqual([transcript.replace('an embedded PGlite database', 'PostgreSQL'), '', 0])
    expect(left()).toEqual(before)
  })

  it('says what is wrong where the database cannot be reached, and leaves nothing behind', async () => {
    const before = left()
    const database = await silentDatabase()
    database.close()
    const { stderr, status } = node([MAIN], { ...embedded, DATABASE_URL: database.url })
    expect([stderr, status]).toEqual([expect.stringContaining('503 store_failed'), 1])
    expect(left()).toEqual(before)
  })
})

describe('the sessions example, while its users wait', async () => {
  const database = await silentDatabase()
  const env = { ...embedded, DATABASE_URL: database.url }
  afterAll(() => database.close())

  it('leaves nothing behind where it is interrupted', async () => {
    const before = left()
    const end = await startedUntil('anna:', env)
    expect(left().processes).toBe(before.processes + 1)
    expect(left().folders).toHaveLength(before.folders.length + 1)
    expect(await end('SIGINT')).toEqual({ code: 1, errors: 'It was ended by SIGINT.\n' })
    expect(left()).toEqual(before)
  })

  it('leaves no process behind where it is killed', async () => {
    const before = left()
    const end = await startedUntil('anna:', env)
    await end('SIGKILL')
    database.close()
    await expect.poll(() => left().processes).toBe(before.processes)
    // A killed example cannot remove its folder.
    const folders = left().folders.filter((name) => !before.folders.includes(name))
    for (const name of folders) rmSync(join(tmpdir(), name), { recursive: true })
  })
})
