import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url))

it('nothing that was acknowledged is lost or given out twice when processes are killed', async () => {
  const args = [script, 'sessions', '--rounds', '3', '--seconds', '500', '--seed', '7']
  const soak = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const stdout = await text(soak.stdout)
  expect(stdout).not.toMatch(/^LOST/m)
  expect(stdout).toMatch(/killed \d+ processes at work, \d+ at a statement/)
  expect(stdout).toMatch(/\n {2}[1-9]\d* calls, [1-9]\d* acknowledged/)
  expect(stdout).toMatch(
    /50 sessions next to a noisy and a locked one, 1 times; [1-9]\d* calls of the locked session rejected/,
  )
  expect(stdout).toMatch(/\n0 lost\n$/)
})
