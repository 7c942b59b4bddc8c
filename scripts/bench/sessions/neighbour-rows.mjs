import { measured } from './measured.mjs'
import { median } from './ranks.mjs'
import { below, row } from './row.mjs'

const rounds = 3

/** Rows of the acknowledgements of quiet sessions, alone and beside a session with large results that nobody takes. */
export async function neighbourRows(bench) {
  const stores = bench.stores.filter((store) => store !== 'memory store')
  const answers = await measured(
    stores.map((store) => ({ name: 'neighbour', store })),
    { bench, rounds },
  )
  const { unreadResults, unreadKilobytes } = bench.scale
  const title = 'streaming call, acknowledged, 50 sessions, 100 calls/s'
  const noisy = `${title}, beside one with ${unreadResults} unread results of ${unreadKilobytes} KB`
  return stores.flatMap((store, place) =>
    ['p50', 'p99'].flatMap((rank) => {
      const figure = (when) => median(answers[place].map((answer) => answer[when][rank]))
      const facts = { contestant: store, unit: `ms ${rank}`, missing: bench.missing.get(store), aim: below(100) }
      const alone = figure('alone')
      return [
        row({ ...facts, case: title, value: alone }),
        row({ ...facts, case: noisy, value: figure('beside'), peer: { name: 'alone', value: alone } }),
      ]
    }),
  )
}
