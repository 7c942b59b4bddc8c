// `npm test`: the same set-up as `npm start`, then every check. Arguments go to vitest: `npm test -- packages/dsl`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { node } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'

await setUp()

const only = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'toolgen-test-'))
process.env.TOOLGEN_TEST_COUNTS = join(folder, 'counts.json')
const reporters = ['--reporter=default', '--reporter=./scripts/lib/counts-reporter.mjs']
const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...reporters]
const checks = [
  ['format and lint', ['node_modules/@biomejs/biome/bin/biome', 'ci', '--reporter=summary']],
  ['types, also of the tests', ['node_modules/typescript-7/bin/tsc', '--noEmit', '-p', 'tsconfig.check.json']],
  ['unused files, exports and dependencies', ['node_modules/knip/bin/knip.js']],
]

const failed = []
for (const [title, args] of only.length > 0 ? [] : checks) await step(title, args)
await step('tests', [...vitest, ...only])

const { passed, failed: failures, skipped } = counts()
rmSync(folder, { recursive: true, force: true })
if (failed.length > 0) console.log(`\nFailed: ${failed.join(', ')}`)
console.log(`${passed} passed, ${failures} failed, ${skipped} skipped`)
process.exit(failed.length > 0 ? 1 : 0)

async function step(title, args) {
  console.log(`\n== ${title}`)
  const start = performance.now()
  const code = await node(args)
  console.log(
    `== ${title}: ${code === 0 ? 'ok' : `failed (exit code ${code})`} after ${((performance.now() - start) / 1000).toFixed(1)} s`,
  )
  if (code !== 0) failed.push(title)
}

function counts() {
  try {
    return JSON.parse(readFileSync(process.env.TOOLGEN_TEST_COUNTS, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
}
