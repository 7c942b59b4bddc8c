import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../../..')
const MAIN = 'dist/src/main.js'

/** Exit code of the example if no Restate server can be started. */
const NO_SERVER = 3

it('the example pays each invoice once, although a worker is killed while it pays', ({ skip }) => {
  expect(node([join(root, 'node_modules/typescript-7/bin/tsc'), '-b', '.'])).toMatchObject({ stdout: '', status: 0 })
  const { stdout, stderr, status } = node([MAIN])
  if (status === NO_SERVER) skip(stderr)
  expect([status, stderr.replace(/^(Installing Restate .*|added .*|)\n/gm, '')]).toEqual([0, ''])
  const [killed] = /worker-\d(?= is killed while it pays)/.exec(stdout) ?? []
  expect(stdout.match(/^ {3}worker-\d pays I-\d$/gm)?.at(-1)).not.toContain(killed)
  expect(stdout.slice(stdout.indexOf('the run waits'))).toBe(`the run waits for an approval: Close the accounts of 2026?
the run completed: Made 8 calls, 0 of them failed.

the services really did:
   closed 2026
   paid I-1
   paid I-2
   paid I-3
   sent the receipt of I-1
   sent the receipt of I-2
   sent the receipt of I-3

34 events, the last one is run_ended
`)
})

function node(args: readonly string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, args, { cwd: join(import.meta.dirname, '..'), encoding: 'utf8' })
}
