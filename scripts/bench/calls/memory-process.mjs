// Stores the results of runs of one contestant, in its own process, and measures the memory per run.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { checkedRun, contestant } from './runs.mjs'
import { keptRun } from './script.mjs'

const [file, part, scale] = process.argv.slice(2)
/** Number of runs before the measurement, which allocate shared objects, and number of stored runs. */
const counts = scale === 'quick' ? { warmUp: 5, kept: 20 } : { warmUp: 200, kept: 1_000 }

const { messagesOf } = await contestant(file)
const run = await checkedRun(file, keptRun)
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

for (let index = 0; index < counts.warmUp; index += 1) await run()
const kept = Array.from({ length: counts.kept })
const before = await usedBytes()
for (let index = 0; index < counts.kept; index += 1) {
  const result = await run()
  kept[index] = part === 'whole' ? result : messagesOf(result)
}
const after = await usedBytes()
if (kept.some((each) => each === undefined)) throw new Error('not every run was kept')
process.send({ bytes: (after - before) / counts.kept })

/** Returns the used heap after garbage collection. Waits between collections, because timers still reference objects. */
async function usedBytes() {
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    collect()
  }
  return process.memoryUsage().heapUsed
}
