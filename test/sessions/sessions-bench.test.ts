import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
// What the command does once everything is installed and built.
const program = `
  const { benchmark } = await import('./scripts/bench/sessions.bench.mjs')
  console.log(JSON.stringify(await benchmark({ log: () => undefined })))`

/** A busy machine takes long to start a database. */
const limit = 120_000

interface Row {
  readonly case: string
  readonly contestant: string
  readonly unit: string
  readonly value?: number
  readonly aim?: string
  readonly met?: boolean
}

async function rowsOf(...options: readonly string[]): Promise<readonly Row[]> {
  const args = ['--input-type=module', '--eval', program, '--', '--quick', ...options]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
  return JSON.parse(stdout)
}

describe('the benchmark of sessions', () => {
  it('has every figure or says why not, and says whether an aim is met', { timeout: limit }, async () => {
    const rows = await rowsOf('--without', 'PGlite')
    expect([...new Set(rows.map((row) => row.case))]).toEqual([
      'trivial call, 20 sessions',
      'trivial call, 50 sessions',
      'trivial streaming call, taken, 20 sessions',
      'trivial streaming call, taken, 50 sessions',
      'call, answered, 20 sessions, 400 calls/s',
      'streaming call, acknowledged, 20 sessions, 400 calls/s',
      'streaming call, first update seen, 20 sessions, 400 calls/s',
      'streaming call, taken, 20 sessions, 400 calls/s',
      'streaming call, stored and taken, 1 session',
      'streaming call, stored and taken, 20 sessions',
      'streaming call, stored and taken, 50 sessions',
      'a save after the other',
      'saves of 20 sessions at once',
      'close of an idle session',
      'restore without results',
      'restore with 10 results of 1 KB',
      'restore with 100 results of 1 KB',
      'idle session, opened',
      'idle session, after a call that was taken',
    ])
    expect(rows.map(({ contestant }) => contestant)).toContain('PGlite (left out)')
    for (const { case: title, contestant, value, aim, met } of rows) {
      const isMissing = /^(?:PGlite|PostgreSQL) \(/.test(contestant)
      expect(value === undefined, title).toBe(isMissing)
      expect(met === undefined, title).toBe(isMissing || aim === undefined)
    }
  })
})
