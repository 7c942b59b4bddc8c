import { forked } from '../forked.mjs'

const program = new URL('./measured-process.mjs', import.meta.url)
const pairedProgram = new URL('./paired-process.mjs', import.meta.url)
/** Processes for each work. The engine optimises the same code differently in different processes. */
const processes = 2
const rounds = 7
/** Processes for each ratio. */
const pairedProcesses = 2

/**
 * Measures works in alternating rounds, each in its own processes. Every round reverses the order. Returns for each work the
 * least CPU time and wall time of one repetition, in milliseconds.
 *
 * @param works for each work the arguments of its processes (`args`) and their program of Node (`program`, default: this one)
 * @param quick run everything only briefly
 */
export async function measured(works, quick) {
  const running = []
  try {
    for (const [index, { args, program: node }] of Array.from({ length: quick ? 1 : processes }, () => [
      ...works.entries(),
    ]).flat()) {
      const process = forked(program, [quick ? 'quick' : 'full', ...args], node)
      running.push({ index, process, times: [] })
      await process.message()
    }
    for (let round = 0; round < (quick ? 1 : rounds); round += 1) {
      for (const { process, times } of round % 2 === 0 ? running : running.toReversed()) {
        process.request()
        times.push(await process.message())
      }
    }
    return works.map((_, work) => {
      const times = running.filter(({ index }) => index === work).flatMap((one) => one.times)
      const leastOf = (kind) => Math.min(...times.map((time) => time[kind]))
      return { cpu: leastOf('cpu'), wall: leastOf('wall') }
    })
  } finally {
    for (const { process } of running) process.stop()
  }
}

/**
 * Measures a work in pairs of short rounds: without and with a feature that the work does not use. Returns the median of the ratios of CPU
 * time. It includes the pairs of several processes, because the engine optimises the same code differently in each.
 */
export async function medianRatio(work, feature, quick) {
  const ratios = []
  for (let count = 0; count < (quick ? 1 : pairedProcesses); count += 1) {
    const process = forked(pairedProgram, [quick ? 'quick' : 'full', work, feature])
    try {
      await process.message()
      process.request()
      ratios.push(...(await process.message()).ratios)
    } finally {
      process.stop()
    }
  }
  return ratios.sort((one, other) => one - other)[Math.floor(ratios.length / 2)]
}
