import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { files } from './project.fixture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the workspace, so that its packages resolve as they do for a user who installed them.
const project = mkdtempSync(join(root, 'test/.out-typed-'))
const done = { status: 0, stdout: '' }

beforeAll(() => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

it('dates, bigints and bytes go through a generated toolset as typed values', () => {
  expect(node(join(root, 'packages/codegen/bin/toolgen.js'), 'generate')).toEqual(done)
  expect(node(join(root, 'node_modules/typescript-7/bin/tsc'), '-p', '.', '--noEmit')).toEqual(done)
  expect(node(join(root, 'node_modules/typescript/bin/tsc'), '-p', '.')).toEqual(done)
  expect(node('dist/src/main.js')).toEqual({ status: 0, stdout: 'ok\n' })
})

function node(...args: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8' })
  return { status, stdout: status === 0 ? stdout : stdout + stderr }
}
