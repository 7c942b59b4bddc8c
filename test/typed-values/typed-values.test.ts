import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runInThread } from '../cli/command-thread.js'
import { plainEnvironment } from '../cli/project.fixture.js'
import { tsc } from '../tsc.js'
import { files } from './project.fixture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the workspace, so that its packages resolve as they do for a user who installed them.
const project = mkdtempSync(join(root, 'test/.out-typed-'))

beforeAll(() => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

it('dates, bigints and bytes go through a generated toolset as typed values', () => {
  const generated = runInThread(['generate'], { cwd: project, env: plainEnvironment() })
  expect([generated.code, generated.stdout]).toEqual([0, ''])
  expect(tsc('7.0', project, '--noEmit')).toEqual({ code: 0, stdout: '' })
  expect(tsc('5.9', project)).toEqual({ code: 0, stdout: '' })
  const { status, stdout } = spawnSync(process.execPath, ['dist/src/main.js'], { cwd: project, encoding: 'utf8' })
  expect([status, stdout]).toEqual([0, 'ok\n'])
})
