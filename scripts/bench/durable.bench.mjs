// `npm run bench -- durable`: durable runs whose process is killed, and their cost, compared with two other libraries. See durable/README.md.
import { startContestants } from './durable/contestants.mjs'
import { costRows } from './durable/cost.mjs'
import { crashRows } from './durable/crashes.mjs'
import { skipped } from './report.mjs'

export const parts = {
  crashes: 'runs whose process is killed (SIGKILL) during calls: effects that happen twice or are lost, and results',
  cost: 'runs per second, cost of the engine per call, and time of an approval',
}

/** Contestants that users can leave out. */
export const optional = ['langgraph', 'workflow']

export const defaultRounds = 10

/** Measures the parts. `rounds` is the number of rounds of the part `crashes`. Throws if a run without a crash returns a wrong result. */
export async function benchmark({ parts: chosen, without, rounds, quick, log }) {
  const { contestants, query, stop, missing } = await startContestants(without)
  if (missing !== undefined) {
    return chosen.map((part) => ({ case: parts[part], contestant: 'toolgen', value: skipped(missing), unit: '' }))
  }
  try {
    const rows = []
    if (chosen.includes('crashes'))
      rows.push(...(await crashRows(contestants, query, { rounds: quick ? 1 : rounds, log })))
    if (chosen.includes('cost')) rows.push(...(await costRows(contestants, { quick, log })))
    return rows
  } finally {
    await stop()
  }
}
