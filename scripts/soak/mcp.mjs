import { join } from 'node:path'
import { createJiti } from 'jiti'
import { root } from '../lib/run.mjs'

/**
 * Calls the fault server over stdio in random rounds: it dies, stays silent, writes garbage, breaks its schema, changes its
 * tools, answers megabytes, while other calls go on. Every call must end in the outcome that its fault means, in time, and no
 * process may be left. Prints what it tried and what it lost; resolves with the number of faults.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 31 }) {
  const jiti = createJiti(join(root, 'test/mcp/'), { fsCache: false })
  const { faultRounds } = await jiti.import('./fault-rounds.ts')
  let unhandled = 0
  process.on('unhandledRejection', (error) => {
    unhandled += 1
    console.log(`UNHANDLED ${error instanceof Error ? error.stack : String(error)}`)
  })
  console.log(`soak mcp: ${seconds} s of calls of a faulty server, seed ${seed}`)
  const end = performance.now() + seconds * 1000
  const { rounds, calls, processes, ends, faults } = await faultRounds(seed, () => performance.now() < end)
  for (const fault of faults) console.log(`LOST ${fault}`)
  console.log(`tried ${calls} calls in ${rounds} rounds over ${processes} processes`)
  console.log(`ends: ${[...ends].map(([reason, count]) => `${reason} ${count}`).join(', ')}`)
  const lost = faults.length + unhandled
  console.log(`${lost} lost`)
  return lost
}
