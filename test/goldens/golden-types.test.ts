import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const require = createRequire(join(import.meta.dirname, '../../package.json'))

describe('the generated code type-checks under the strictest flags', () => {
  it.each([
    ['TypeScript 5.9', 'typescript'],
    ['TypeScript 6.0', 'typescript-6'],
    ['TypeScript 7.0', 'typescript-7'],
  ])('of %s', { timeout: 60_000 }, (_, alias) => {
    const compiler = join(dirname(require.resolve(`${alias}/package.json`)), 'bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', import.meta.dirname], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })
})
