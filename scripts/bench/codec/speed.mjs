import { contestantFiles } from './contestants/contestants.mjs'
import { forked } from './forked.mjs'
import { operations } from './operations/operations.mjs'
import { shapeNames } from './shapes/shapes.mjs'

const rounds = 7

/** The rows of the operations: every contestant that can do one, in CPU time a call and against the operation's measure. */
export async function speedRows({ only, log }) {
  log('checking that every contestant is right ...')
  const contestants = await inPairs(contestantFiles, check)
  const rows = []
  for (const operation of Object.keys(operations).filter(only)) {
    const takingPart = contestants
      .filter(({ mistakes }) => operation in mistakes)
      .map(({ file, name, mistakes }) => ({ file, name, mistakes: mistakes[operation] }))
    log(`${operation}: ${takingPart.map(({ name }) => name).join(', ')} ...`)
    for (const shape of shapeNames) rows.push(...(await cellRows({ operation, shape, takingPart })))
  }
  return rows
}

async function check(file) {
  const { answer, stop } = forked('check-process.mjs', [file])
  try {
    return { file, ...(await answer()) }
  } finally {
    stop()
  }
}

/** All contestants at one operation and shape. */
async function cellRows({ operation, shape, takingPart }) {
  const { title, against, aims } = operations[operation]
  const right = takingPart.filter(({ mistakes }) => mistakes[shape].length === 0)
  if (!right.some(({ file }) => file === against))
    throw new Error(`${against}, the measure of ${operation}, is wrong at ${shape}`)
  const times = await measured({ operation, shape, against, files: right.map(({ file }) => file) })
  const unit = median(times.get(against))
  const { name: measure } = takingPart.find(({ file }) => file === against)
  return takingPart.map(({ file, name, mistakes }) => {
    const row = { case: `${title}, ${shape}`, contestant: name }
    const aim = file === 'toolgen' ? { against: measure, aim: `≤ ${aims[shape]} ×` } : { against: measure }
    const [mistake] = mistakes[shape]
    if (mistake !== undefined)
      return { ...row, ...aim, value: 'wrong', unit: `${mistake} (of ${mistakes[shape].length})` }
    const time = median(times.get(file))
    return { ...row, ...readable(time), ratio: time / unit, ...aim }
  })
}

/** The nanoseconds of every round of each contestant; the measure runs next to each of the others, round by round. */
async function measured({ operation, shape, against, files }) {
  const started = []
  const start = async (file) => {
    const process = forked('contestant-process.mjs', [file, operation, shape])
    started.push(process)
    await process.answer()
    return { file, process, times: [] }
  }
  try {
    const running = await inPairs(files, start)
    const measure = running.find(({ file }) => file === against)
    const others = running.filter((one) => one !== measure)
    for (let round = 0; round < rounds; round += 1) {
      for (const [place, one] of others.entries()) {
        if (place % 2 === 0) await oneRound(measure)
        await oneRound(one)
      }
    }
    return new Map(running.map(({ file, times }) => [file, times]))
  } finally {
    for (const process of started) process.stop()
  }
}

async function oneRound({ process, times }) {
  process.ask()
  times.push((await process.answer()).nanoseconds)
}

/** Two at a time, for machines of two cores; only CPU time is measured, and rounds never overlap. */
async function inPairs(items, work) {
  const results = []
  for (let start = 0; start < items.length; start += 2)
    results.push(...(await Promise.all(items.slice(start, start + 2).map(work))))
  return results
}

function readable(nanoseconds) {
  return nanoseconds < 10_000 ? { value: nanoseconds, unit: 'ns' } : { value: nanoseconds / 1000, unit: 'µs' }
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
}
