import { forked } from '../forked.mjs'
import { atMost, least, wrong } from '../report.mjs'
import { contestantFiles } from './contestants/contestants.mjs'
import { operations } from './operations.mjs'
import { shapeNames } from './shapes/shapes.mjs'

const checkProgram = new URL('check-process.mjs', import.meta.url)
const contestantProgram = new URL('contestant-process.mjs', import.meta.url)

/** Measures the CPU time of one call, for each operation, shape and contestant. */
export async function speedRows({ names, quick, log }) {
  log('checking the results of all contestants ...')
  const contestants = await inPairs(contestantFiles, check)
  const rows = []
  for (const operation of names) {
    const participants = contestants
      .filter(({ mistakes }) => operation in mistakes)
      .map(({ mistakes, ...rest }) => ({ ...rest, mistakes: mistakes[operation] }))
    log(`${operation}: ${participants.map(({ name }) => name).join(', ')} ...`)
    for (const shape of shapeNames) rows.push(...(await shapeRows({ operation, shape, participants, quick })))
  }
  return rows
}

async function check(file) {
  const { message, stop } = forked(checkProgram, [file])
  try {
    return { file, ...(await message()) }
  } finally {
    stop()
  }
}

/** Measures all contestants with one operation and shape. */
async function shapeRows({ operation, shape, participants, quick }) {
  const { title, reference, limits } = operations[operation]
  const { name: against } = participants.find(({ file }) => file === reference)
  const correct = participants.filter(({ mistakes }) => mistakes[shape].length === 0)
  if (!correct.some(({ file }) => file === reference))
    throw new Error(`${against}, the reference of "${title}", is wrong for ${shape}`)
  const times = await measured({ operation, shape, reference, files: correct.map(({ file }) => file), quick })
  const nanoseconds = new Map([...times].map(([file, values]) => [file, median(values)]))
  // All rows of a case have the same unit, so that readers can compare them.
  const unit =
    Math.min(...nanoseconds.values()) < 10_000 ? { text: 'ns CPU', size: 1 } : { text: 'µs CPU', size: 1_000 }
  const rows = participants.map(({ file, name, mistakes }) => {
    const [mistake] = mistakes[shape]
    const value =
      mistake === undefined
        ? nanoseconds.get(file) / unit.size
        : wrong(`${mistake} (${mistakes[shape].length} mistakes)`)
    return { case: `${title}, ${shape}`, contestant: name, value, unit: unit.text, against }
  })
  const [own, ...others] = rows
  const rivals = others.filter((_, index) => participants[index + 1].isComparable)
  const fastest = least(rivals)?.contestant
  own.aims = [atMost(limits[shape], against), ...(fastest === undefined ? [] : [atMost(1, fastest)])]
  return rows
}

/** Returns the nanoseconds of each round of each contestant. The rounds of each contestant alternate with rounds of the reference. */
async function measured({ operation, shape, reference, files, quick }) {
  const started = []
  const start = async (file) => {
    const process = forked(contestantProgram, [file, operation, shape, quick ? 'quick' : 'full'])
    started.push(process)
    await process.message()
    return { file, process, times: [] }
  }
  try {
    const running = await inPairs(files, start)
    const measuredReference = running.find(({ file }) => file === reference)
    const others = running.filter((one) => one !== measuredReference)
    for (let round = 0; round < (quick ? 1 : 7); round += 1) {
      for (const [index, one] of others.entries()) {
        if (index % 2 === 0) await oneRound(measuredReference)
        await oneRound(one)
      }
    }
    return new Map(running.map(({ file, times }) => [file, times]))
  } finally {
    for (const process of started) process.stop()
  }
}

async function oneRound({ process, times }) {
  process.request()
  times.push((await process.message()).nanoseconds)
}

/** Runs two items at a time, for machines with two cores. Only CPU time is measured, and rounds never overlap. */
async function inPairs(items, work) {
  const results = []
  for (let start = 0; start < items.length; start += 2)
    results.push(...(await Promise.all(items.slice(start, start + 2).map(work))))
  return results
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
