import { testModule } from '../lib/test-module.mjs'

/** Share of the time for runs in memory. */
const MEMORY_SHARE = 0.3

/**
 * Runs random scripts of durable agents, and compares each run with the same run without a crash. First on the engine in memory, with crashes
 * at random points. Then on a Restate server with three worker processes, where random processes are killed (SIGKILL), also the server. Prints
 * the number of runs, crashes and failures. Resolves with the number of failures.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 31 }) {
  const { crashRounds } = await testModule('durable/crash-rounds.ts')
  const { restateRounds } = await testModule('durable/restate-rounds.ts')
  console.log(`soak durable: ${seconds} s of runs that crash, seed ${seed}`)
  const start = performance.now()
  const until = (share) => () => performance.now() < start + seconds * 1000 * share
  const memory = await crashRounds(seed, until(MEMORY_SHARE))
  console.log(
    `in memory: ${memory.runs} runs with ${memory.calls} calls and ${memory.crashes} crashes; in ${memory.unknown} runs, the outcome of a call was unknown`,
  )
  const faults = [...memory.faults]
  try {
    const restate = await restateRounds(seed, until(1))
    faults.push(...restate.faults)
    console.log(
      `on Restate: ${restate.runs} runs; ${restate.workerKills} workers and ${restate.serverKills} servers killed; in ${restate.unknown} runs, the outcome of a call was unknown`,
    )
  } catch (error) {
    if (error.name !== 'NoRestateError') throw error
    console.log(`on Restate: skipped. ${error.message}`)
  }
  for (const fault of faults) console.log(`LOST ${fault}`)
  console.log(`${faults.length} lost`)
  return faults.length
}
