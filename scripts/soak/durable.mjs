import { testModule } from '../lib/test-module.mjs'

/** Share of the time for runs in memory. */
const MEMORY_SHARE = 0.3

/**
 * Runs random scripts of durable agents, and compares each run with the same run without a crash. First runs them on the engine in memory, with
 * crashes at random points. Then runs them on Restate with three worker processes, and kills workers and servers (SIGKILL) during calls. A PostgreSQL
 * database counts the effects. Prints the number of runs, calls, crashes and failures. Resolves with the number of failures.
 *
 * @param cluster true to use a cluster of three Restate nodes
 * @param rounds number of processes to kill. Default: as many as possible in the rest of the time
 */
export async function soak({ seconds, rounds, cluster = false, seed = Date.now() % 2 ** 31 }) {
  const { crashRounds } = await testModule('durable/crash-rounds.ts')
  const { restateRounds } = await testModule('durable/restate-rounds.ts')
  console.log(`soak durable: ${seconds} s of runs with crashes, seed ${seed}`)
  const start = performance.now()
  const until = (share) => performance.now() < start + seconds * 1000 * share
  const memory = await crashRounds(seed, () => until(MEMORY_SHARE))
  const faults = [...memory.faults]
  console.log(`in memory: ${memory.crashes} crashes; ${workOf(memory)}; ${memory.faults.length} faults`)
  try {
    const goesOn = ({ workerKills, serverKills }) =>
      rounds === undefined ? until(1) : workerKills + serverKills < rounds
    const restate = await restateRounds({ seed, goesOn, nodes: cluster ? 3 : 1 })
    faults.push(...restate.faults)
    const kills = `killed ${restate.workerKills} workers and ${restate.serverKills} ${cluster ? 'nodes of a cluster' : 'servers'}`
    console.log(`on Restate: ${kills}; ${workOf(restate)}; ${restate.faults.length} faults`)
  } catch (error) {
    if (!['NoRestateError', 'NoPostgresError'].includes(error.name)) throw error
    console.log(`on Restate: skipped. ${error.message}`)
  }
  for (const fault of faults) console.log(`LOST ${fault}`)
  console.log(`${faults.length} lost`)
  return faults.length
}

function workOf({ runs, calls, unknown, reconnects }) {
  return `${runs} runs with ${calls} calls, of which ${unknown} had an unknown outcome; subscribers reconnected ${reconnects} times`
}
