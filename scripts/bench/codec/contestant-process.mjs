// Measures one operation of one contestant with one shape, in its own process: warms up, then measures one round per message from the parent. This
// way, the rounds of several contestants alternate.
import { contestant } from './contestants/contestants.mjs'
import { operations } from './operations.mjs'
import { shapeValues } from './shapes/shapes.mjs'

const [file, operationName, shape, scale] = process.argv.slice(2)
/**
 * CPU milliseconds, including the compiler threads of the engine. `settle` is the part of a round before the measurement, which fills the caches of
 * the processor. Contestants with many functions (issues of toolgen and Zod) need most of a second to reach their final speed.
 */
const times = scale === 'quick' ? { warmUp: 20, settle: 1, round: 2 } : { warmUp: 1200, settle: 6, round: 36 }

const operation = operations[operationName]
const module = await contestant(file)
const run = module.operations[operationName](shape)
const inputs = operation.inputs(shapeValues(shape))
let sum = 0

const perCall = warmUp()
process.on('message', () => {
  repeat(Math.ceil(times.settle / perCall))
  // A multiple of the number of inputs, so that each round does the same work.
  const count = Math.ceil(times.round / perCall / inputs.length) * inputs.length
  const milliseconds = cpuMilliseconds(() => repeat(count))
  process.send({ nanoseconds: (milliseconds / count) * 1e6, sum })
})
process.send({ ready: true })

function repeat(count) {
  for (let index = 0; index < count; index += 1) sum += operation.consume(run(inputs[index % inputs.length]))
}

/** Repeats the operation until the engine has optimized it. Returns the milliseconds of one call at the end. */
function warmUp() {
  let count = 1
  for (let total = 0; ; ) {
    const last = cpuMilliseconds(() => repeat(count))
    total += last
    if (total >= times.warmUp) return last / count
    if (last < times.warmUp / 8) count *= 2
  }
}

function cpuMilliseconds(work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return Math.max(user + system, 1) / 1000
}
