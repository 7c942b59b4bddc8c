// Measures one workload in its own process. Checks the workload and warms it up, then measures one round per message from the parent. This way, the
// rounds of several workloads alternate.
import { checkedRun } from './runs.mjs'
import { timedRuns } from './script.mjs'
import { singleCalls } from './single-calls.mjs'

const [scale, kind, name, title] = process.argv.slice(2)
/** CPU milliseconds. `settle` is the part of a round before the measurement, which fills the caches of the processor. */
const times = scale === 'quick' ? { warmUp: 20, settle: 1, round: 5 } : { warmUp: 2_000, settle: 15, round: 80 }

const work = kind === 'run' ? await checkedRun(name, timedRuns[title]) : await singleCalls[name]()

const perRepetition = await warmUp()
process.on('message', async () => {
  await repeat(Math.ceil(times.settle / perRepetition))
  const count = Math.max(3, Math.ceil(times.round / perRepetition))
  const started = performance.now()
  const milliseconds = await cpuMilliseconds(() => repeat(count))
  process.send({ cpu: milliseconds / count, wall: (performance.now() - started) / count })
})
process.send({ ready: true })

async function repeat(count) {
  for (let index = 0; index < count; index += 1) await work()
}

/** Repeats the workload until the engine has optimized it. Returns the milliseconds of one repetition at the end. */
async function warmUp() {
  let count = 1
  for (let total = 0; ; ) {
    const round = count
    const last = await cpuMilliseconds(() => repeat(round))
    total += last
    if (total >= times.warmUp) return last / round
    if (last < times.warmUp / 8) count *= 2
  }
}

async function cpuMilliseconds(task) {
  const before = process.cpuUsage()
  await task()
  const { user, system } = process.cpuUsage(before)
  return Math.max(user + system, 1) / 1000
}
