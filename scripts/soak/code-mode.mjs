import { testModule } from '../lib/test-module.mjs'

/** Share of the time for the test that kills processes. */
const KILLS_SHARE = 0.25

/**
 * Runs random programs in code mode, while threads are killed and programs are cancelled. The programs return known values, exceed limits or
 * try to escape. Then kills processes (SIGKILL) whose programs wait for approvals, and continues these programs in other processes. Prints the
 * number of programs and of failures. Resolves with the number of failures.
 *
 * @param rounds number of processes to kill. Default: as many as possible in the last quarter of the time
 */
export async function soak({ seconds, rounds, seed = Date.now() % 2 ** 31 }) {
  const { programRounds } = await testModule('code-mode/soak/program-rounds.ts')
  const { killRounds } = await testModule('code-mode/kills/kill-rounds.ts')
  let unhandled = 0
  process.on('unhandledRejection', (error) => {
    unhandled += 1
    console.log(`UNHANDLED ${error instanceof Error ? error.stack : String(error)}`)
  })
  console.log(`soak code-mode: ${seconds} s of programs, seed ${seed}`)
  const start = performance.now()
  const untilShare = (share) => performance.now() < start + seconds * 1000 * share
  const { programs, calls, kills, workers, ends, growthMiB, delay, faults } = await programRounds(seed, () =>
    untilShare(1 - KILLS_SHARE),
  )
  const killed = await killRounds(seed, (kills) => (rounds === undefined ? untilShare(1) : kills < rounds))
  for (const fault of [...faults, ...killed.faults]) console.log(`LOST ${fault.slice(0, 4000)}`)
  console.log(
    `tried ${programs} programs with ${calls} calls in ${workers} threads, ${kills} of them killed; memory grew by at most ${growthMiB} MiB; ` +
      `event loop delay ${delay.p99.toFixed(1)} ms (p99), ${delay.max.toFixed(1)} ms (maximum); of an idle thread: ${delay.idleP99.toFixed(1)} ms (p99)`,
  )
  console.log(
    `ends: ${[...ends]
      .sort()
      .map(([end, count]) => `${end} ${count}`)
      .join(', ')}`,
  )
  console.log(
    `killed ${killed.kills} processes of ${killed.programs} waiting programs with ${killed.calls} calls; ${killed.refused} second answers rejected`,
  )
  const lost = faults.length + killed.faults.length + unhandled
  console.log(`${lost} lost`)
  return lost
}
