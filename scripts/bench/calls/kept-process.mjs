// Keeps what runs of one contestant give back, in a process of its own, and says how much memory each takes.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { checkedRun, contestant } from './runs.mjs'
import { keptRun } from './script.mjs'

/** So many runs before, for what is made once; so many are kept. */
const counts = { warmUp: 200, kept: 1_000 }

const [file, part] = process.argv.slice(2)
const { messagesOf } = await contestant(file)
const run = await checkedRun(file, keptRun)
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

for (let index = 0; index < counts.warmUp; index += 1) await run()
const kept = Array.from({ length: counts.kept })
const before = await usedBytes()
for (let index = 0; index < counts.kept; index += 1) {
  const ended = await run()
  kept[index] = part === 'whole' ? ended : messagesOf(ended)
}
const after = await usedBytes()
if (kept.some((each) => each === undefined)) throw new Error('not every run was kept')
process.send({ bytes: (after - before) / counts.kept })

/** When all that nobody holds is gone, what ends a moment later too. */
async function usedBytes() {
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    collect()
  }
  return process.memoryUsage().heapUsed
}
