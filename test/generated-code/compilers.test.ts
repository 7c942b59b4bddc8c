import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { tsc } from '../tsc.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const projects = {
  'the goldens and the airline tools': 'test/goldens/tsconfig.json',
  'the examples': 'test/generated-code/examples.json',
}

describe.each(['5.9', '6.0', '7.0'] as const)('under the strictest flags of TypeScript %s', (version) => {
  it.each(Object.entries(projects))('the generated code of %s type-checks', (_, project) => {
    expect(tsc(version, root, '-p', project)).toEqual({ code: 0, stdout: '' })
  })
})
