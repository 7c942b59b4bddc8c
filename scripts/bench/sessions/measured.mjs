import { forked } from '../forked.mjs'

const program = new URL('./measured-process.mjs', import.meta.url)

/**
 * Measures workloads in alternating rounds, each in its own process. Reverses the order in every round. Returns the results of all rounds for each
 * workload. If the store of a workload is missing, its array is empty.
 *
 * @param works array of `{ name, store, settings }`: the file in `cases/`, the store, and options for the file
 */
export async function measured(works, { bench, rounds = 1 }) {
  const running = works.flatMap(({ name, store, settings = {} }, index) => {
    if (bench.missing.has(store)) return []
    const args = [name, store, bench.scaleName, rounds, JSON.stringify(settings)]
    return [{ index, process: forked(program, args) }]
  })
  const answers = works.map(() => [])
  try {
    await Promise.all(running.map(({ process }) => process.message()))
    for (let round = 0; round < rounds; round += 1) {
      for (const { index, process } of round % 2 === 0 ? running : running.toReversed()) {
        process.request()
        answers[index].push(await process.message())
      }
    }
    // Each process sends a message after it has closed its store.
    for (const { process } of running) await process.message()
    return answers
  } finally {
    for (const { process } of running) process.stop()
  }
}
