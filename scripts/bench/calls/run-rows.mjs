import { measured } from './measured.mjs'
import { contestant, contestantFiles } from './runs.mjs'
import { callCount, runKinds } from './stock.mjs'

/** The most of the processor's time of the fastest of the others that a run of toolgen may take. */
const aim = 0.1

/** The rows of whole runs with a fake model: toolgen against the fastest of the others, each other against toolgen. */
export async function runRows() {
  const names = await namesOf(contestantFiles)
  const rows = []
  for (const [kind, callsPerTurn] of Object.entries(runKinds)) {
    const times = await measured(contestantFiles.map((file) => ['run', file, String(callsPerTurn)]))
    const [own, ...others] = contestantFiles.map((_, index) => ({ name: names[index], cpu: times[index].cpu }))
    const fastest = others.reduce((best, other) => (other.cpu < best.cpu ? other : best))
    const row = ({ name, cpu }, against, more) => ({
      case: `run of ${callCount} calls, ${kind}`,
      contestant: name,
      value: cpu,
      unit: 'ms CPU',
      ratio: cpu / against.cpu,
      against: against.name,
      ...more,
    })
    rows.push(row(own, fastest, { aim: `≤ ${aim} ×` }), ...others.map((other) => row(other, own)))
  }
  return rows
}

const namesOf = (files) => Promise.all(files.map(async (file) => (await contestant(file)).name))
