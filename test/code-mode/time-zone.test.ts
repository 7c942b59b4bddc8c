import { execFile } from 'node:child_process'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const child = fileURLToPath(new URL('time-zone.mjs', import.meta.url))
const isSupported = Number.parseInt(process.versions.node, 10) >= 24

it.each(['quickJsSandbox', ...(isSupported ? ['isolatedVmSandbox'] : [])])(
  'a suspended program in %s continues in a process with another time zone',
  async (sandbox) => {
    const env = { ...process.env, TZ: 'America/New_York' }
    const { stdout } = await promisify(execFile)(process.execPath, [child, sandbox], { env })
    const day = Date.UTC(2026, 0, 1)
    const outcome = { status: 'completed', json: JSON.stringify([day, 0, 0, day, 0]), logs: [] }
    expect(JSON.parse(stdout)).toEqual([19, outcome])
  },
)
