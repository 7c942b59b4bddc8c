import { join } from 'node:path'
import { check, generate } from '@toolgen/codegen'
import { describe, expect, it } from 'vitest'

const update = process.env.UPDATE_GOLDENS === '1'

describe('the generated code of', () => {
  // To accept a change: UPDATE_GOLDENS=1 npx vitest run test/goldens, then read the diff.
  it.each(['flat', 'nested', 'hostile', 'agents', 'mcp', 'openapi'])('%s is the reviewed one', async (name) => {
    const cwd = join(import.meta.dirname, name)
    if (update) expect((await generate({ cwd, cache: false, force: true })).ok).toBe(true)
    const { ok, drift, diagnostics } = await check({ cwd })
    expect(drift).toEqual([])
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(ok).toBe(true)
  })
})
