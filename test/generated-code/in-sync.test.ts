import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const toolgen = join(root, 'packages/codegen/bin/toolgen.js')

it.each([
  'examples/orders',
  'examples/approval',
  'examples/research',
  'examples/files',
  'examples/sessions',
  'test/airline',
])('the checked-in code of %s is what its design gives', { timeout: 60_000 }, (project) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [toolgen, 'check'], {
    cwd: join(root, project),
    encoding: 'utf8',
  })
  expect(stdout + (status === 0 ? '' : stderr)).toBe('')
  expect(status).toBe(0)
})
