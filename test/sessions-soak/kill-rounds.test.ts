import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url))

it('nothing that was acknowledged is lost or given out twice when processes are killed', { timeout: 120_000 }, () => {
  const args = [script, 'sessions', '--rounds', '3', '--seconds', '60', '--seed', '7']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status, stdout + stderr).toBe(0)
  expect(stdout).toMatch(/killed \d+ processes at work, \d+ at a statement/)
  expect(stdout).toMatch(/\n {2}[1-9]\d* calls, [1-9]\d* acknowledged/)
  expect(stdout).toMatch(/\n0 lost\n$/)
})
