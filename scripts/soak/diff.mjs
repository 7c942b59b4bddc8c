import { join } from 'node:path'
import { createJiti } from 'jiti'
import { root } from '../lib/run.mjs'

const batch = 50

/**
 * Compares random schemas with changed versions, and tests the result with payload codecs and random values. If no change is breaking, the new
 * schema must accept all old values. Each example of a breaking change must really be rejected. Also compares tools that share definitions with the
 * same tools alone. Prints the number of comparisons and each failure. Resolves with the number of failures.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 20 }) {
  const jiti = createJiti(join(root, 'test/diff/'), { fsCache: false })
  const { inclusionCases } = await jiti.import('./inclusion-cases.ts')
  const { sharedCases } = await jiti.import('./shared-cases.ts')
  const end = performance.now() + seconds * 1000
  console.log(`soak diff: ${seconds} s of random schemas and changes, seed ${seed}`)
  const sums = {}
  let failed = 0
  for (let round = seed; performance.now() < end; round += 1) {
    for (const { faults, ...counts } of [inclusionCases(round, batch), sharedCases(round, batch / 10)]) {
      for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
      for (const fault of faults) console.log(`WRONG ${fault.slice(0, 6000)}\n`)
      failed += faults.length
    }
  }
  const { pairs, widened, values, narrowed, witnessed, witnessedCertain, findings, certain, toolsets, tools, refused } =
    sums
  console.log(
    `tried ${pairs} pairs of schemas (${widened} reported as compatible, tested with ${values} values; ${narrowed} as incompatible: random ` +
      `values proved ${witnessed} of these, and ${witnessedCertain} of the proved ones have a certain finding; ${certain} of ${findings} ` +
      `findings are certain), ${tools} tools of ${toolsets} toolsets (${refused} with changes)`,
  )
  console.log(`${failed} failures`)
  return failed
}
