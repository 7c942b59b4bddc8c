// `npm run test:quick -- PATH`: runs test files against the sources of the packages, without installation and build.
import { node } from './lib/run.mjs'

const paths = process.argv.slice(2)
if (paths.length === 0) {
  console.error('usage: npm run test:quick -- PATH [...] (for example packages/runtime/src/call/hints.test.ts)')
  process.exit(2)
}
const env = { ...process.env, TOOLGEN_TEST_SOURCES: '1' }
process.exitCode = await node(['node_modules/vitest/vitest.mjs', 'run', ...paths], { env })
