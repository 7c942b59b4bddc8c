import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

const compilers = { '5.9': 'typescript', '6.0': 'typescript-6', '7.0': 'typescript-7' }
const projects = {
  'the goldens and the airline tools': 'test/goldens/tsconfig.json',
  'the examples': 'test/generated-code/examples.json',
}

describe.each(Object.entries(compilers))('under the strictest flags of TypeScript %s', (_, compiler) => {
  it.each(Object.entries(projects))('the generated code of %s type-checks', (_, project) => {
    const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', join(root, project)], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(status).toBe(0)
  })
})
