// `npm run test:node-24`: the tests that need Node 24: those of the sandbox with isolated-vm. npm installs Node 24 if this is another version.
// Arguments are paths of other tests to run on Node 24.
import { spawn } from 'node:child_process'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { nodeOf } from './packages/nodes.mjs'

await setUp()
const paths = process.argv.slice(2)
const tests = paths.length > 0 ? paths : ['test/code-mode/isolated-vm.test.ts']
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...tests]
spawn(await nodeOf(24), vitest, { cwd: root, stdio: 'inherit' }).on('close', (code) => {
  process.exitCode = code ?? 1
})
