import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it, vi } from 'vitest'
import { specOf } from './real-tools.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
// Inside the workspace, so that its packages resolve as they do for a user who installed them.
const folder = mkdtempSync(join(root, 'test/.out-projections-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('every snippet of docs/projections.md type-checks and runs', { timeout: 30_000 }, async () => {
  const page = readFileSync(join(root, 'docs/projections.md'), 'utf8')
  const snippets = [...page.matchAll(/^```ts\n(.*?)^```/gms)].map(([, text = '']) => text)
  expect(snippets).toHaveLength(3)
  const spec = specOf(
    { name: 'getOrder' },
    { type: 'object', properties: { orderId: { type: 'string' }, note: { type: 'string' } }, required: ['orderId'] },
  )
  mkdirSync(join(folder, 'src'))
  const write = (name: string, text: string): void => writeFileSync(join(folder, 'src', name), text)
  write(
    'orders.ts',
    `import type { ToolSpec } from '@toolgen/runtime'\nexport const getOrderSpec: ToolSpec = ${JSON.stringify(spec)}`,
  )
  for (const [at, text] of snippets.entries()) write(`snippet-${at}.ts`, text)
  const options = { module: 'NodeNext', target: 'ES2022', strict: true, noEmit: true, types: ['node'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['src'] }))
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript-7/bin/tsc'), '-p', folder],
    {
      encoding: 'utf8',
    },
  )
  expect(stdout).toBe('')
  expect(status).toBe(0)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  for (const at of snippets.keys()) await import(/* @vite-ignore */ join(folder, 'src', `snippet-${at}.ts`))
  const lines = log.mock.calls.map(([line]) => line)
  log.mockRestore()
  expect(lines).toEqual([
    '/properties/note required: The optional field is required; null stands for leaving it out.',
    '{"orderId":"A-1"}',
  ])
})
