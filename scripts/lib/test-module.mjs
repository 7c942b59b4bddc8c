import { join } from 'node:path'
import { createJiti } from 'jiti'
import { root } from './run.mjs'

/** Imports a TypeScript module of the tests, e.g. `code-mode/plans/nestful.ts`. */
export function testModule(path) {
  const jiti = createJiti(join(root, 'test/'), { fsCache: false })
  return jiti.import(join(root, 'test', path))
}
