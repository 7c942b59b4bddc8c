import { forked } from '../codec/forked.mjs'

const program = new URL('./measured-process.mjs', import.meta.url).href

/**
 * Measures cases, each in a process of its own, in alternating rounds; the order turns round every time. Returns for each
 * the answers of all its rounds; none where its store cannot be had here.
 *
 * @param works `{ name, store, settings }` of each: the file in `cases/`, and what it is given
 */
export async function measured(works, { bench, rounds = 1 }) {
  const running = works.flatMap(({ name, store, settings = {} }, place) => {
    if (bench.missing.has(store)) return []
    const args = [name, store, bench.scaleName, rounds, JSON.stringify(settings)]
    return [{ place, process: forked(program, args) }]
  })
  const answers = works.map(() => [])
  try {
    await Promise.all(running.map(({ process }) => process.answer()))
    for (let round = 0; round < rounds; round += 1) {
      for (const { place, process } of round % 2 === 0 ? running : running.toReversed()) {
        process.ask()
        answers[place].push(await process.answer())
      }
    }
    // Each gives its store back.
    for (const { process } of running) await process.answer()
    return answers
  } finally {
    for (const { process } of running) process.stop()
  }
}
