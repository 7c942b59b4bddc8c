import { measured } from './measured.mjs'
import { median } from './ranks.mjs'
import { atLeast, below, row } from './row.mjs'

const store = 'memory store'
const kinds = {
  answered: {
    title: 'trivial call',
    without: 'answered',
    mostAims: { perSecond: atLeast(10_000), p99: below(100) },
  },
  streaming: {
    title: 'trivial streaming call, taken',
    without: 'streamingWithout',
    mostAims: { perSecond: atLeast(1_000) },
  },
}
const contestants = { session: `sessions, ${store}`, toolset: 'the toolset without sessions' }

/** The rows of sessions in memory that call without a pause. */
export async function continuousRows(bench) {
  const rows = []
  for (const [caller, { title, without, mostAims }] of Object.entries(kinds)) {
    const work = (settings) => ({ name: 'continuous', store, settings: { caller, isSession: true, ...settings } })
    const works = [
      work({ count: 'many' }),
      work({ count: 'many', isSession: false, caller: without }),
      work({ count: 'most' }),
    ]
    const answers = await measured(works, { bench, rounds: bench.scale.rounds })
    const [many, toolset, most] = answers.map(medians)
    rows.push(...manyRows(`${title}, ${bench.scale.many} sessions`, { many, toolset }))
    rows.push(...mostRows(`${title}, ${bench.scale.most} sessions`, most, mostAims))
  }
  return rows
}

function manyRows(title, { many, toolset }) {
  const peer = (name) => ({ name: contestants.toolset, value: toolset[name] })
  const own = { case: title, contestant: contestants.session }
  return [
    row({ ...own, unit: 'calls/s', value: many.perSecond, peer: peer('perSecond'), aim: atLeast(10_000) }),
    row({ ...own, unit: 'µs CPU', value: many.cpu, peer: peer('cpu') }),
    row({ ...own, unit: 'ms p50', value: many.p50 }),
    row({ ...own, unit: 'ms p99', value: many.p99, aim: below(20) }),
    row({ case: title, contestant: contestants.toolset, unit: 'calls/s', value: toolset.perSecond }),
    row({ case: title, contestant: contestants.toolset, unit: 'µs CPU', value: toolset.cpu }),
  ]
}

function mostRows(title, most, aims) {
  const own = { case: title, contestant: contestants.session }
  return [
    row({ ...own, unit: 'calls/s', value: most.perSecond, aim: aims.perSecond }),
    row({ ...own, unit: 'ms p99', value: most.p99, aim: aims.p99 }),
    row({ ...own, unit: 'MiB RSS more', value: most.mebibytes }),
  ]
}

/** Figure by figure, over the rounds. */
function medians(answers) {
  return Object.fromEntries(Object.keys(answers[0]).map((key) => [key, median(answers.map((answer) => answer[key]))]))
}
