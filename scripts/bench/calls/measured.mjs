import { forked } from '../forked.mjs'

const program = new URL('./measured-process.mjs', import.meta.url)
const pairedProgram = new URL('./paired-process.mjs', import.meta.url)
/** Number of processes per workload. The engine optimizes the same code differently in different processes. */
const processes = 2
const rounds = 7
/** Number of processes per ratio. */
const pairedProcesses = 2

/**
 * Measures workloads in alternating rounds, each in its own processes. Reverses the order in every round. Returns for each workload the minimum CPU
 * time and wall time of one repetition, in milliseconds.
 *
 * @param works arguments of the processes of each workload (`args`), and their Node executable (`program`, default: the current one)
 * @param quick measure only briefly
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
 * Measures a workload in pairs of short rounds: without and with a feature that the workload does not use. Returns the median of the ratios of CPU
 * time over several processes, because the engine optimizes the same code differently in each process.
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
