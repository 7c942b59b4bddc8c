import { join } from 'node:path'
import { createJiti } from 'jiti'
import { root } from '../lib/run.mjs'

/**
 * Calls a faulty MCP server over stdio in random rounds. During other calls, the server exits, stops answering, writes invalid data, violates
 * its schemas, changes its tools, or sends megabytes. Every call must end in time with the expected outcome, and no process may remain. Prints
 * the number of calls and each failure. Resolves with the number of failures.
 */
export async function soak({ seconds, seed = Date.now() % 2 ** 31 }) {
  const jiti = createJiti(join(root, 'test/mcp/'), { fsCache: false })
  const { faultRounds } = await jiti.import('./fault-rounds.ts')
  let unhandled = 0
  process.on('unhandledRejection', (error) => {
    unhandled += 1
    console.log(`UNHANDLED ${error instanceof Error ? error.stack : String(error)}`)
  })
  console.log(`soak mcp: ${seconds} s of calls to a faulty server, seed ${seed}`)
  const end = performance.now() + seconds * 1000
  const { rounds, calls, processes, ends, faults } = await faultRounds(seed, () => performance.now() < end)
  for (const fault of faults) console.log(`LOST ${fault}`)
  console.log(`tried ${calls} calls in ${rounds} rounds over ${processes} processes`)
  console.log(`ends: ${[...ends].map(([reason, count]) => `${reason} ${count}`).join(', ')}`)
  const lost = faults.length + unhandled
  console.log(`${lost} lost`)
  return lost
}
