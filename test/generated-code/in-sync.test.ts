import { fileURLToPath } from 'node:url'
import { check } from '@toolgen/codegen'
import { expect, it } from 'vitest'

it.each([
  'examples/orders',
  'examples/approval',
  'examples/research',
  'examples/files',
  'examples/code-mode',
  'examples/durable',
  'examples/sessions',
  'test/airline',
  'test/trust/failures',
  'test/trust/labels',
])('the checked-in code of %s is what its design gives', async (project) => {
  const { drift, inSync, diagnostics } = await check({
    cwd: fileURLToPath(new URL(`../../${project}`, import.meta.url)),
  })
  expect(drift.map(({ path, diff }) => `${path}\n${diff}`)).toEqual([])
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  expect(inSync).toBe(true)
})
