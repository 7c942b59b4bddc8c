// One piece of work in a process of its own: prepares and checks it, warms it up, then measures a round whenever the
// benchmark asks for one, so that rounds of several alternate.
import { checkedRun } from './runs.mjs'
import { timedRuns } from './script.mjs'
import { singleCalls } from './single-calls.mjs'

/** CPU milliseconds. Each round begins with a moment that does not count, for caches that others have used since. */
const times = { warmUp: 2_000, settle: 15, round: 80 }

const [kind, name, title] = process.argv.slice(2)
const work = kind === 'run' ? await checkedRun(name, timedRuns[title]) : await singleCalls[name]()

const perPiece = await warmUp()
process.on('message', async () => {
  await repeat(Math.ceil(times.settle / perPiece))
  const count = Math.max(3, Math.ceil(times.round / perPiece))
  const started = performance.now()
  const spent = await cpuMilliseconds(() => repeat(count))
  process.send({ cpu: spent / count, wall: (performance.now() - started) / count })
})
process.send({ ready: true })

async function repeat(count) {
  for (let index = 0; index < count; index += 1) await work()
}

/** Runs until the engine has had time to optimise; returns the milliseconds of one piece at the end. */
async function warmUp() {
  let count = 1
  for (let spent = 0; ; ) {
    const round = count
    const last = await cpuMilliseconds(() => repeat(round))
    spent += last
    if (spent >= times.warmUp) return last / round
    if (last < times.warmUp / 8) count *= 2
  }
}

async function cpuMilliseconds(task) {
  const before = process.cpuUsage()
  await task()
  const { user, system } = process.cpuUsage(before)
  return Math.max(user + system, 1) / 1000
}
