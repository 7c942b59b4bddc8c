import { join } from 'node:path'
import { createJiti } from 'jiti'
import { root } from '../lib/run.mjs'

/**
 * Suspends random runs of nested agents, and resumes them from JSON in new runtimes. Compares them with the same runs without suspensions. Also
 * resumes mutated suspensions. Prints the number of scenarios and each failure. Resolves with the number of scenarios that failed.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 31 }) {
  const jiti = createJiti(join(root, 'test/suspension/'), { fsCache: false })
  const { runRounds } = await jiti.import('./run-rounds.ts')
  let unhandled = 0
  process.on('unhandledRejection', (error) => {
    unhandled += 1
    console.log(`UNHANDLED ${error instanceof Error ? error.stack : String(error)}`)
  })
  const end = performance.now() + seconds * 1000
  console.log(`soak suspension: ${seconds} s of suspended runs, seed ${seed}`)
  const { scenarios, calls, suspensions, resumes, mutated, ends, faults } = await runRounds(
    seed,
    () => performance.now() < end,
  )
  for (const fault of faults) console.log(`LOST ${fault.slice(0, 8000)}\n`)
  console.log(
    `tried ${scenarios} scenarios of ${calls} calls: ${suspensions} suspensions, ${resumes} resumptions; ` +
      `${mutated.tried} mutated suspensions (${mutated.resumed} resumed, ${mutated.tried - mutated.resumed} rejected)`,
  )
  console.log(`ends: ${[...ends].map(([reason, count]) => `${reason} ${count}`).join(', ')}`)
  const lost = faults.length + unhandled
  console.log(`${lost} lost`)
  return lost
}
