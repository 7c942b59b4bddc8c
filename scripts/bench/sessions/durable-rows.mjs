import { measured } from './measured.mjs'
import { median } from './ranks.mjs'
import { atLeast, row } from './row.mjs'

const aims = { PGlite: atLeast(500), PostgreSQL: atLeast(1_500) }

/** The rows of streaming calls of which every step is stored, beside bare saves by the same store. */
export async function durableRows(bench) {
  const works = Object.keys(aims).map((store) => ({ name: 'durable', store }))
  const answers = await measured(works, { bench, rounds: bench.scale.rounds })
  return Object.entries(aims).flatMap(([store, aim], place) => {
    const figure = (work, name) => median(answers[place].map((one) => one[work][name]))
    return storeRows({ store, aim, figure, scale: bench.scale, missing: bench.missing.get(store) })
  })
}

function storeRows({ store, aim, figure, missing, scale: { many, most } }) {
  const peers = { 'one save': 'a save after the other', 'many saves': `saves of ${many} sessions at once` }
  const calls = (work, sessions, against, aimed) => {
    const own = { case: `streaming call, stored and taken, ${sessions}`, contestant: store, missing }
    const peer = { name: peers[against], value: figure(against, 'perSecond') }
    return [
      row({ ...own, unit: 'calls/s', value: figure(work, 'perSecond'), peer, ...aimed }),
      row({ ...own, unit: 'µs CPU', value: figure(work, 'cpu') }),
      row({ ...own, unit: 'statements', value: figure(work, 'statements') }),
      row({ ...own, unit: 'ms p50', value: figure(work, 'p50') }),
      row({ ...own, unit: 'ms p99', value: figure(work, 'p99') }),
    ]
  }
  const saves = (work) =>
    row({ case: peers[work], contestant: store, unit: 'saves/s', value: figure(work, 'perSecond'), missing })
  return [
    ...calls('one call', '1 session', 'one save'),
    ...calls('many calls', `${many} sessions`, 'many saves', { aim }),
    ...calls('most calls', `${most} sessions`, 'many saves', { aim }),
    saves('one save'),
    saves('many saves'),
  ]
}
