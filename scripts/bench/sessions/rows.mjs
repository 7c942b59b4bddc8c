import { atLeast, below, skipped } from '../report.mjs'
import { measured } from './measured.mjs'
import { median, ranks } from './ranks.mjs'
import { resultCounts } from './scale.mjs'

/** Functions that measure the parts of the benchmark: `({ scaleName, scale, missing })` to measurements. */
export const rowsOfPart = {
  continuous: continuousRows,
  latency: latencyRows,
  durable: durableRows,
  neighbour: neighbourRows,
  lifecycle: lifecycleRows,
  idle: idleRows,
}

const memory = 'memory store'
const durable = ['PGlite', 'PostgreSQL']
const all = [memory, ...durable]

/** Measures sessions in memory whose callers make one call after the other. */
async function continuousRows(bench) {
  const kinds = {
    nonStreaming: { title: 'call', withoutSession: 'nonStreaming', perSecond: atLeast(10_000), p99: below(100) },
    streaming: {
      title: 'streaming call, consumed',
      withoutSession: 'streamingWithoutSession',
      perSecond: atLeast(1_000),
    },
  }
  const contestants = { session: `sessions, ${memory}`, toolset: 'toolset without sessions' }
  const rows = []
  for (const [caller, { title, withoutSession, ...aims }] of Object.entries(kinds)) {
    const work = (settings) => ({
      name: 'continuous',
      store: memory,
      settings: { caller, isSession: true, ...settings },
    })
    const works = [
      work({ count: 'many' }),
      work({ count: 'many', isSession: false, caller: withoutSession }),
      work({ count: 'most' }),
    ]
    const [many, toolset, most] = (await measured(works, { bench, rounds: bench.scale.rounds })).map(medians)
    const { session } = contestants
    const manyTitle = `${title}, ${bench.scale.many} sessions`
    const compared = { case: manyTitle, against: contestants.toolset }
    const row = { case: `${title}, ${bench.scale.most} sessions`, contestant: session }
    rows.push(
      { ...compared, contestant: session, value: many.perSecond, unit: 'calls/s', aims: [atLeast(10_000)] },
      { ...compared, contestant: session, value: many.cpu, unit: 'µs CPU' },
      { case: manyTitle, contestant: session, value: many.p50, unit: 'ms p50' },
      { case: manyTitle, contestant: session, value: many.p99, unit: 'ms p99', aims: [below(20)] },
      { ...compared, contestant: contestants.toolset, value: toolset.perSecond, unit: 'calls/s' },
      { ...compared, contestant: contestants.toolset, value: toolset.cpu, unit: 'µs CPU' },
      { ...row, value: most.perSecond, unit: 'calls/s', aims: [aims.perSecond] },
      { ...row, value: most.p99, unit: 'ms p99', aims: [aims.p99] },
      { ...row, value: most.mebibytes, unit: 'MiB RSS growth' },
    )
  }
  return rows
}

/** Measures the waiting time of callers at a constant rate of calls, over all calls of all rounds. */
async function latencyRows(bench) {
  const moments = {
    result: { title: 'call, until its result', aims: { p50: below(50), p99: below(100) } },
    acknowledged: { title: 'streaming call, until acknowledged', aims: allRanks(below(100)) },
    updated: { title: 'streaming call, until its first update', aims: allRanks(below(100)) },
    consumed: { title: 'streaming call, until its result is consumed', aims: {} },
  }
  const works = all.map((store) => ({ name: 'latency', store }))
  const answers = await measured(works, { bench, rounds: 3 })
  const { perSecond, many } = bench.scale
  return Object.entries(moments).flatMap(([moment, { title, aims }]) =>
    all.flatMap((store, index) => {
      const times = ranks(answers[index].flatMap((answer) => answer[moment]))
      return Object.keys(times).map((rank) => ({
        case: `${title}, ${many} sessions, ${perSecond} calls/s`,
        contestant: store,
        value: valueIn(bench, store, () => times[rank]),
        unit: `ms ${rank}`,
        aims: [aims[rank]],
      }))
    }),
  )
}

const allRanks = (aim) => ({ p50: aim, p95: aim, p99: aim })

/** Compares streaming calls with stored states to saves of states without calls. */
async function durableRows(bench) {
  const { many, most, rounds } = bench.scale
  const aims = { PGlite: atLeast(500), PostgreSQL: atLeast(1_500) }
  const works = {
    'one call': { sessions: '1 session', saves: 'one save' },
    'many calls': { sessions: `${many} sessions`, saves: 'many saves', isAimed: true },
    'most calls': { sessions: `${most} sessions`, saves: 'many saves', isAimed: true },
  }
  const answers = await measured(
    durable.map((store) => ({ name: 'durable', store })),
    { bench, rounds },
  )
  return durable.flatMap((store, index) => {
    const figure = (work, name) => valueIn(bench, store, () => median(answers[index].map((one) => one[work][name])))
    return Object.entries(works).flatMap(([work, { sessions, saves, isAimed }]) => {
      const title = `streaming call, stored and consumed, ${sessions}`
      const onlySaves = `${store}, only saving the state`
      const row = (name, unit) => ({ case: title, contestant: store, value: figure(work, name), unit })
      return [
        { ...row('perSecond', 'per second'), against: onlySaves, aims: isAimed ? [aims[store]] : [] },
        { case: title, contestant: onlySaves, value: figure(saves, 'perSecond'), unit: 'per second' },
        row('cpu', 'µs CPU'),
        row('statements', 'statements'),
        row('p50', 'ms p50'),
        row('p99', 'ms p99'),
      ]
    })
  })
}

/** Measures acknowledgements of quiet sessions, alone and next to a session with large results that are not consumed. */
async function neighbourRows(bench) {
  const { unreadResults, unreadKilobytes } = bench.scale
  const noisy = `next to a session with ${unreadResults} unread results of ${unreadKilobytes} KB`
  const answers = await measured(
    durable.map((store) => ({ name: 'neighbour', store })),
    { bench, rounds: 3 },
  )
  return durable.flatMap((store, index) =>
    ['p50', 'p99'].flatMap((rank) => {
      const figure = (when) => valueIn(bench, store, () => median(answers[index].map((answer) => answer[when][rank])))
      const row = {
        case: 'streaming call, until acknowledged, 50 sessions, 100 calls/s',
        unit: `ms ${rank}`,
        against: `${store}, alone`,
        aims: [below(100)],
      }
      return [
        { ...row, contestant: `${store}, alone`, value: figure('alone') },
        { ...row, contestant: `${store}, ${noisy}`, value: figure('nextToNoisy') },
      ]
    }),
  )
}

async function lifecycleRows(bench) {
  const answers = await measured(
    all.map((store) => ({ name: 'lifecycle', store })),
    { bench },
  )
  const cases = [
    { title: 'close an idle session', aim: below(10), times: (answer) => answer.closed },
    ...resultCounts.map((count) => ({
      title: count === 0 ? 'restore a session without results' : `restore a session with ${count} results of 1 KB`,
      aim: below(100),
      times: (answer) => answer.restored[count],
    })),
  ]
  return cases.flatMap(({ title, aim, times }) =>
    all.flatMap((store, index) =>
      ['p50', 'p99'].map((rank) => ({
        case: title,
        contestant: store,
        value: valueIn(bench, store, () => times(answers[index][0])[rank]),
        unit: `ms ${rank}`,
        aims: [aim],
      })),
    ),
  )
}

async function idleRows(bench) {
  const [[{ opened, used }]] = await measured([{ name: 'idle', store: memory }], { bench })
  const row = { contestant: memory, unit: 'KB', aims: [below(20)] }
  return [
    { ...row, case: 'idle session, opened', value: opened / 1_000 },
    { ...row, case: 'idle session, after a consumed call', value: used / 1_000 },
  ]
}

/** Returns the value of a store, or the reason why the store is skipped. */
function valueIn({ missing }, store, value) {
  return missing.has(store) ? skipped(missing.get(store)) : value()
}

/** Returns the median of each value over the rounds. */
function medians(answers) {
  return Object.fromEntries(Object.keys(answers[0]).map((key) => [key, median(answers.map((answer) => answer[key]))]))
}
