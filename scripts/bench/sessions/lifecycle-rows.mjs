import { resultCounts } from './cases/lifecycle.mjs'
import { measured } from './measured.mjs'
import { below, row } from './row.mjs'

/** The rows of sessions that are closed and restored. */
export async function lifecycleRows(bench) {
  const works = bench.stores.map((store) => ({ name: 'lifecycle', store }))
  const answers = (await measured(works, { bench })).map(([answer]) => answer)
  const restored = resultCounts.map((count) => ({
    title: count === 0 ? 'restore without results' : `restore with ${count} results of 1 KB`,
    aim: below(100),
    times: (answer) => answer?.restored[count],
  }))
  const closed = { title: 'close of an idle session', aim: below(10), times: (answer) => answer?.closed }
  return [closed, ...restored].flatMap(({ title, aim, times }) =>
    bench.stores.flatMap((store, place) =>
      ['p50', 'p99'].map((rank) =>
        row({
          case: title,
          contestant: store,
          unit: `ms ${rank}`,
          value: times(answers[place])?.[rank],
          missing: bench.missing.get(store),
          aim,
        }),
      ),
    ),
  )
}
