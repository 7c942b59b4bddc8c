import { createRequire } from 'node:module'
import { join } from 'node:path'
import fc from 'fast-check'
import { root } from '../lib/run.mjs'

const batch = 20

/**
 * Generates code from random designs in which every name and text is hostile, and checks names, emitted files and their syntax. Prints the
 * number of designs and each failure. Resolves with the number of designs that failed.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 31 }) {
  const { hostileDesign, faultsOf } = await load()
  const end = performance.now() + seconds * 1000
  const tried = { designs: 0, tools: 0, files: 0, bytes: 0 }
  let failed = 0
  console.log(`soak generate: ${seconds} s of hostile designs, seed ${seed}`)
  for (let round = 0; performance.now() < end; round += 1) {
    for (const design of fc.sample(hostileDesign, { numRuns: batch, seed: seed + round })) {
      const { files, faults } = await faultsOf(design)
      tried.designs += 1
      tried.tools += design.toolsets.reduce((sum, toolset) => sum + toolset.tools.length, 0)
      tried.files += files.length
      tried.bytes += files.reduce((sum, file) => sum + file.text.length, 0)
      if (faults.length === 0) continue
      failed += 1
      report(design, faults, seed + round)
    }
  }
  console.log(
    `tried ${tried.designs} designs with ${tried.tools} tools: ${tried.files} files, ${tried.bytes} characters`,
  )
  console.log(`${failed} designs failed`)
  return failed
}

function report(design, faults, seed) {
  console.log(`FAILED (--seed ${seed})`)
  for (const fault of faults.slice(0, 5)) console.log(`  ${fault}`)
  console.log(`  design: ${JSON.stringify(design).slice(0, 2000)}`)
}

/** Imports the generator from its sources, because the build does not contain the hostile designs of its tests. */
async function load() {
  const require = createRequire(join(root, 'packages/codegen/package.json'))
  const { createJiti } = require('jiti')
  const jiti = createJiti(join(root, 'packages/codegen/src/emit/'), { interopDefault: false, fsCache: false })
  const { hostileDesign } = await jiti.import('./hostile-design.fixture.ts')
  const { faultsOf } = await jiti.import('./emitted-faults.fixture.ts')
  return { hostileDesign, faultsOf }
}
