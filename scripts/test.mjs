// `npm test`: installs and builds like `npm start`, then runs every check and test. Arguments are passed to vitest: `npm test -- packages/dsl`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checks, runCheck, unusedCode } from './lib/checks.mjs'
import { setUp } from './lib/setup.mjs'

await setUp()

const only = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'toolgen-test-'))
process.env.TOOLGEN_TEST_COUNTS = join(folder, 'counts.json')
const reporters = ['--reporter=default', '--reporter=./scripts/lib/counts-reporter.mjs']
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...reporters]
const failed = []
for (const check of [...(only.length > 0 ? [] : [...checks, unusedCode]), ['tests', [...vitest, ...only]]]) {
  if (!(await runCheck(check))) failed.push(check[0])
}

const { passed, failed: failures, skipped } = counts()
rmSync(folder, { recursive: true, force: true })
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
console.log(`${passed} passed, ${failures} failed, ${skipped} skipped`)
process.exit(failed.length > 0 ? 1 : 0)

function counts() {
  try {
    return JSON.parse(readFileSync(process.env.TOOLGEN_TEST_COUNTS, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
}
