import { measured } from './measured.mjs'
import { ranks } from './ranks.mjs'
import { below, row } from './row.mjs'

const rounds = 3
const moments = {
  call: { title: 'call, answered', aims: { p50: below(50), p99: below(100) } },
  acknowledgement: {
    title: 'streaming call, acknowledged',
    aims: { p50: below(100), p95: below(100), p99: below(100) },
  },
  update: { title: 'streaming call, first update seen', aims: { p50: below(100), p95: below(100), p99: below(100) } },
  taken: { title: 'streaming call, taken', aims: {} },
}

/** The rows of how long callers wait when calls come at a steady rate; of all calls of all rounds. */
export async function latencyRows(bench) {
  const works = bench.stores.map((store) => ({ name: 'latency', store }))
  const answers = await measured(works, { bench, rounds })
  const { perSecond, many } = bench.scale
  return Object.entries(moments).flatMap(([moment, { title, aims }]) =>
    bench.stores.flatMap((store, place) => {
      const rank = ranks(answers[place].flatMap((answer) => answer[moment]))
      return ['p50', 'p95', 'p99'].map((name) =>
        row({
          case: `${title}, ${many} sessions, ${perSecond} calls/s`,
          contestant: store,
          unit: `ms ${name}`,
          value: rank[name],
          missing: bench.missing.get(store),
          aim: aims[name],
        }),
      )
    }),
  )
}
