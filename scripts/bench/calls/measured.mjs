import { forked } from '../codec/forked.mjs'

const program = new URL('./measured-process.mjs', import.meta.url).href
/** Of each piece of work: what the engine makes of the same code differs from process to process. */
const processes = 2
const rounds = 7

/**
 * Measures pieces of work, each in processes of its own, in alternating rounds; the order turns round every time.
 * Returns for each the least milliseconds of one piece, by the processor's time and by the clock.
 *
 * @param works for each piece the arguments of its processes
 */
export async function measured(works) {
  const running = []
  try {
    for (const [place, args] of Array.from({ length: processes }, () => [...works.entries()]).flat()) {
      const process = forked(program, args)
      running.push({ place, process, answers: [] })
      await process.answer()
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const { process, answers } of round % 2 === 0 ? running : running.toReversed()) {
        process.ask()
        answers.push(await process.answer())
      }
    }
    return works.map((_, index) => {
      const answers = running.filter(({ place }) => place === index).flatMap((one) => one.answers)
      return { cpu: least(answers, 'cpu'), wall: least(answers, 'wall') }
    })
  } finally {
    for (const { process } of running) process.stop()
  }
}

const least = (answers, time) => Math.min(...answers.map((answer) => answer[time]))
