import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = join(here, '../..')
// Inside the workspace, so that its packages resolve as they do for a user who installed them.
const folder = mkdtempSync(join(here, '.out-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the snippet of docs/errors.md type-checks and runs', { timeout: 20_000 }, async () => {
  const page = readFileSync(join(root, 'docs/errors.md'), 'utf8')
  const [snippet = '', ...more] = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text]) => text)
  expect(more).toEqual([])
  writeFileSync(join(folder, 'snippet.ts'), snippet)
  const options = { module: 'NodeNext', target: 'ES2022', strict: true, noEmit: true, types: ['node'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['snippet.ts'] }))
  const tsc = join(root, 'node_modules/typescript-7/bin/tsc')
  const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  expect(stdout).toBe('')
  expect(status).toBe(0)
  const { Runtime } = await import('@toolgen/runtime')
  const loaded: { readonly runtime: unknown } = await import(/* @vite-ignore */ join(folder, 'snippet.ts'))
  expect(loaded.runtime).toBeInstanceOf(Runtime)
})
