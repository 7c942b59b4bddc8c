import { join } from 'node:path'
import { createJiti } from 'jiti'
import { root } from '../lib/run.mjs'

/**
 * Compares generated codecs, the schema interpreter and Ajv, with random schemas, random values, and mutated JSON texts. Prints the number of
 * comparisons and each difference. Resolves with the number of differences.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 31 }) {
  const jiti = createJiti(join(root, 'test/codec/'), { fsCache: false })
  const { runCases } = await jiti.import('./differential/run-cases.ts')
  const end = performance.now() + seconds * 1000
  console.log(`soak codec: ${seconds} s of random schemas and values, seed ${seed}`)
  const found = runCases(seed, () => performance.now() < end)
  for (const fault of found.faults) console.log(`DISAGREE ${fault.slice(0, 6000)}\n`)
  const { schemas, compiled, written, picked, pairs, valid, texts, malformed, faults } = found
  console.log(
    `tried ${schemas} schemas (${compiled} with a generated check, ${written} with a writer, ${picked} with a picker), ${pairs} pairs of schema ` +
      `and value (${valid} valid), ${texts} mutated texts (${malformed} invalid JSON)`,
  )
  console.log(`${faults.length} disagreements`)
  return faults.length
}
