import { forked } from '../forked.mjs'
import { atMost, below, least } from '../report.mjs'
import { packageVersion } from './contestants/package-version.mjs'
import { measured, medianRatio } from './measured.mjs'
import { contestants } from './runs.mjs'
import { timedRuns } from './script.mjs'
import { layerCount, parallelCount } from './single-calls.mjs'
import { unusedFeatures, unusedFeatureWorks } from './unused-features.mjs'

/** Functions that measure the parts of the benchmark. */
export const rowsOfPart = {
  call: callRows,
  layers: layerRows,
  parallel: parallelRows,
  unused: unusedRows,
  runs: runRows,
  memory: memoryRows,
}

const toolgen = `toolgen ${packageVersion('@toolgen/runtime')}`

/** Sequential calls: names in `single-calls.mjs`, and descriptions. The ratios are relative to the first. */
const calls = {
  'no listener': { variant: toolgen, aims: [below(6)] },
  'no listener, no hints': { variant: `${toolgen}, tool without hints` },
  'one sink': { variant: `${toolgen}, one sink` },
  'one sink, no hints': { variant: `${toolgen}, one sink, tool without hints` },
  'creating a call': { variant: `${toolgen}, only creating the call` },
}

async function callRows({ quick }) {
  const times = await timesOf(Object.keys(calls), quick)
  return Object.entries(calls).map(([name, { variant, aims }]) => ({
    case: 'one call',
    contestant: variant,
    value: times[name].cpu * 1000,
    unit: 'µs CPU',
    against: toolgen,
    aims,
  }))
}

async function layerRows({ quick }) {
  const scopes = { 'tool layers': 'tool', 'agent layers': 'agent', 'run layers': 'run' }
  const times = await timesOf(['no listener', ...Object.keys(scopes)], quick)
  return Object.entries(scopes).map(([name, scope]) => ({
    case: `each layer around a call, scope: ${scope}`,
    contestant: toolgen,
    value: ((times[name].cpu - times['no listener'].cpu) / layerCount) * 1000,
    unit: 'µs CPU',
    aims: [below(1)],
  }))
}

async function parallelRows({ quick }) {
  const { parallel } = await timesOf(['parallel'], quick)
  const row = { case: `${parallelCount} concurrent calls`, contestant: toolgen, aims: [below(2)] }
  return [
    { ...row, value: parallel.wall, unit: 'ms wall' },
    { ...row, value: parallel.cpu, unit: 'ms CPU' },
  ]
}

async function unusedRows({ quick }) {
  const rows = []
  for (const work of Object.keys(unusedFeatureWorks)) {
    for (const [feature, { isControl = false }] of Object.entries(unusedFeatures)) {
      const value = await medianRatio(work, feature, quick)
      const aims = isControl ? [] : [atMost(1.03)]
      rows.push({ case: `${work}, unused feature`, contestant: feature, value, unit: '× without', aims })
    }
  }
  return rows
}

async function timesOf(names, quick) {
  const times = await measured(
    names.map((name) => ({ args: ['call', name] })),
    quick,
  )
  return Object.fromEntries(names.map((name, index) => [name, times[index]]))
}

async function runRows({ quick }) {
  const all = await contestants()
  const names = all.map(({ name }) => name)
  const rows = []
  for (const [title, { limit }] of Object.entries(timedRuns)) {
    const works = all.map(({ file, program }) => ({ args: ['run', file, title], program }))
    const times = await measured(works, quick)
    const values = times.map(({ cpu }) => cpu)
    rows.push(
      ...comparedRows({ names, values, case: title, unit: 'ms CPU' }, (against) => limit && atMost(limit, against)),
    )
  }
  return rows
}

async function memoryRows({ quick }) {
  const all = await contestants()
  const names = all.map(({ name }) => name)
  const kinds = { messages: 'messages of a run of ten turns', whole: 'result of a run of ten turns' }
  const rows = []
  for (const [part, title] of Object.entries(kinds)) {
    const values = []
    for (const each of all) values.push((await keptBytes(each, part, quick)) / 1024)
    rows.push(...comparedRows({ names, values, case: `memory of the ${title}`, unit: 'KiB' }, () => below(10)))
  }
  return rows
}

async function keptBytes({ file, program }, part, quick) {
  const memory = new URL('./memory-process.mjs', import.meta.url)
  const process = forked(memory, [file, part, quick ? 'quick' : 'full'], program)
  try {
    const { bytes } = await process.message()
    return bytes
  } finally {
    process.stop()
  }
}

/** Returns one row per contestant, with the ratio to the best of the other libraries. */
function comparedRows({ names, values, ...common }, aimOf) {
  const rows = names.map((contestant, index) => ({ ...common, contestant, value: values[index] }))
  const isOwn = ({ contestant }) => contestant.startsWith('toolgen')
  const { contestant: against } = least(rows.filter((row) => !isOwn(row)))
  return rows.map((row) => ({ ...row, against, aims: isOwn(row) ? [aimOf(against)] : [] }))
}
