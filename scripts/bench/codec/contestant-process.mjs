// One contestant at one operation on one shape, in a process of its own: warms it up, then measures a round whenever
// the benchmark asks for one, so that rounds of several contestants alternate.
import { contestant } from './contestants/contestants.mjs'
import { operations } from './operations/operations.mjs'
import { shapeValues } from './shapes/shapes.mjs'

/**
 * CPU milliseconds. Each round begins with a moment that does not count, for caches that others have used since. CPU time
 * counts what the engine's own threads spend on optimising: whoever consists of many functions (toolgen's and Zod's lists
 * of issues) is at its lasting speed only after most of a second.
 */
const times = { warmUp: 1200, settle: 6, round: 36 }

const [file, operationName, shape] = process.argv.slice(2)
const operation = operations[operationName]
const module = await contestant(file)
const run = module.operations[operationName](shape)
const inputs = operation.inputs(shapeValues(shape))
let weight = 0

const perCall = warmUp()
process.on('message', () => {
  repeat(Math.ceil(times.settle / perCall))
  // Whole rounds over all inputs, so that each round does the same work.
  const count = Math.ceil(times.round / perCall / inputs.length) * inputs.length
  const spent = cpuMilliseconds(() => repeat(count))
  process.send({ nanoseconds: (spent / count) * 1e6, weight })
})
process.send({ ready: true })

function repeat(count) {
  for (let index = 0; index < count; index += 1) weight += operation.weigh(run(inputs[index % inputs.length]))
}

/** Runs until the engine has had time to optimise; returns the milliseconds of one call at the end. */
function warmUp() {
  let count = 1
  for (let spent = 0; ; ) {
    const last = cpuMilliseconds(() => repeat(count))
    spent += last
    if (spent >= times.warmUp) return last / count
    if (last < times.warmUp / 8) count *= 2
  }
}

function cpuMilliseconds(work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return Math.max(user + system, 1) / 1000
}
