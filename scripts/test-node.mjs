// `npm run test:node-22` and `npm run test:node-24`: run the tests that depend on a version of Node. npm installs this version if the current one
// differs. Arguments are paths of other tests.
import { spawn } from 'node:child_process'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { nodeOf } from './packages/nodes.mjs'

/** Tests by major version. Version 7 of the AI SDK needs Node 22, and isolated-vm needs Node 24. */
const TESTS = {
  22: [
    'test/integrations/ai-sdk.test.ts',
    'test/integrations/ui-stream.test.ts',
    'test/content-parts/frameworks.test.ts',
    'test/drivers',
    'test/telemetry/ai-sdk-spans.test.ts',
  ],
  24: ['test/code-mode/isolated-vm.test.ts'],
}

const [major, ...paths] = process.argv.slice(2)
if (!Object.hasOwn(TESTS, major ?? '')) {
  console.error(`usage: node scripts/test-node.mjs ${Object.keys(TESTS).join('|')} [PATH ...]`)
  process.exit(2)
}
await setUp()
const tests = paths.length > 0 ? paths : TESTS[major]
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...tests]
spawn(await nodeOf(Number(major)), vitest, { cwd: root, stdio: 'inherit' }).on('close', (code) => {
  process.exitCode = code ?? 1
})
