import { testModule } from '../lib/test-module.mjs'

/**
 * Runs random scripts of durable agents on the engine in memory, and crashes them at random points. Compares each run with the same run
 * without a crash. Prints the number of runs, crashes and failures. Resolves with the number of failures.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 31 }) {
  const { crashRounds } = await testModule('durable/crash-rounds.ts')
  const end = performance.now() + seconds * 1000
  console.log(`soak durable: ${seconds} s of runs that crash, seed ${seed}`)
  const { runs, calls, crashes, unknown, faults } = await crashRounds(seed, () => performance.now() < end)
  for (const fault of faults) console.log(`LOST ${fault}`)
  console.log(
    `tried ${runs} runs with ${calls} calls and ${crashes} crashes; in ${unknown} runs, the outcome of a call was unknown`,
  )
  console.log(`${faults.length} lost`)
  return faults.length
}
