import { measured } from './measured.mjs'
import { contestantFiles, contestantNames } from './runs.mjs'
import { timedRuns } from './script.mjs'

/** The most of the processor's time of the fastest of the others that a run of several calls may take. */
const aim = 0.1

/** The rows of whole runs with a fake model: toolgen against the fastest of the others, each other against toolgen. */
export async function runRows() {
  const names = await contestantNames()
  const rows = []
  for (const [title, { calls }] of Object.entries(timedRuns)) {
    const times = await measured(contestantFiles.map((file) => ['run', file, title]))
    const spent = times.map(({ cpu }, index) => ({ name: names[index], value: cpu }))
    const row = { case: title, unit: 'ms CPU', ...(calls > 1 && { aim: `≤ ${aim} ×` }) }
    rows.push(...againstOthers(spent, row))
  }
  return rows
}

/**
 * The rows of a figure of which less is better: the first contestant against the best of the others, each other against
 * the first.
 *
 * @param row what all rows say; its `aim` is that of the first contestant
 */
export function againstOthers([own, ...others], { aim, ...row }) {
  const best = others.reduce((least, other) => (other.value < least.value ? other : least))
  const rowOf = ({ name, value }, against) => ({
    ...row,
    contestant: name,
    value,
    ratio: value / against.value,
    against: against.name,
  })
  return [{ ...rowOf(own, best), ...(aim && { aim }) }, ...others.map((other) => rowOf(other, own))]
}
