import { join } from 'node:path'
import { createJiti } from 'jiti'
import { root } from '../lib/run.mjs'

const batch = 50

/**
 * Compares random schemas with changed ones. What is said to take all that was taken is tried with random values, by payload
 * codecs; what is said of tools that share definitions is compared with what is said of each alone.
 * Prints what it tried and where that fails; resolves with the number of failures.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 20 }) {
  const jiti = createJiti(join(root, 'test/diff/'), { fsCache: false })
  const { inclusionCases } = await jiti.import('./inclusion-cases.ts')
  const { sharedCases } = await jiti.import('./shared-cases.ts')
  const end = performance.now() + seconds * 1000
  console.log(`soak diff: ${seconds} s of random schemas and changes, seed ${seed}`)
  const sums = { pairs: 0, widened: 0, values: 0, narrowed: 0, witnessed: 0, toolsets: 0, tools: 0, refused: 0 }
  let failed = 0
  for (let round = seed; performance.now() < end; round += 1) {
    for (const { faults, ...counts } of [inclusionCases(round, batch), sharedCases(round, batch / 10)]) {
      for (const [name, count] of Object.entries(counts)) sums[name] += count
      for (const fault of faults) console.log(`WRONG ${fault.slice(0, 6000)}\n`)
      failed += faults.length
    }
  }
  const { pairs, widened, values, narrowed, witnessed, toolsets, tools, refused } = sums
  console.log(
    `tried ${pairs} pairs of schemas (${widened} said to be compatible, with ${values} values; ${narrowed} not, ${witnessed} of ` +
      `them with a value that shows it), ${tools} tools of ${toolsets} toolsets (${refused} with changes)`,
  )
  console.log(`${failed} failures`)
  return failed
}
