import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/postgres.mjs', import.meta.url))

/** Prints the address, and ends with a code of its own. */
const command = 'console.log(process.env.DATABASE_URL); process.exit(7)'
const { status, stdout } = spawnSync(process.execPath, [script, process.execPath, '-e', command], { encoding: 'utf8' })
const canStart = status !== 3

describe.runIf(canStart)('scripts/postgres.mjs', () => {
  it('runs a command beside a server on loopback, gives its exit code and ends the server', async () => {
    expect(status).toBe(7)
    expect(new URL(stdout).hostname).toBe('127.0.0.1')
    await expect(connected(stdout.trim())).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  it('leaves neither the server nor its folder when it is killed', async () => {
    const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
    const [line] = await once(child.stdout, 'data')
    const client = await connected(String(line).trim())
    const { rows } = await client.query('show data_directory')
    await client.end()
    const folder: string = rows[0].data_directory
    expect(existsSync(folder)).toBe(true)
    child.kill('SIGKILL')
    await expect.poll(() => existsSync(folder)).toBe(false)
    await expect(connected(String(line).trim())).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  return client
}
