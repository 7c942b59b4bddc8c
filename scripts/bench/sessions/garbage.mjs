import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')

/** Returns the used bytes after garbage collection. Waits between collections, because timers still reference objects. */
export async function usedBytes() {
  for (let round = 0; round < 4; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    collect()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
