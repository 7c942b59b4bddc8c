import { packageVersion } from './contestants/package-version.mjs'
import { measured } from './measured.mjs'
import { layerCount, parallelCount } from './single-calls.mjs'

const contestant = `toolgen ${packageVersion('@toolgen/runtime')}`
const scopes = { 'tool layers': 'tool', 'agent layers': 'agent', 'run layers': 'run' }
const listeners = {
  'no listener': { aim: '< 15' },
  'no listener, no hints': {},
  'one sink': {},
  'one sink, no hints': {},
}

/** The rows of calls one after the other. */
export async function callRows() {
  const names = [...Object.keys(listeners), 'building a call']
  const times = await timesOf(names)
  const base = times['no listener'].cpu
  const rows = Object.entries(listeners).map(([name, aim]) =>
    row(`one call, ${name}`, microseconds(times[name].cpu), {
      ratio: times[name].cpu / base,
      against: 'no listener',
      ...aim,
    }),
  )
  const building = times['building a call'].cpu
  return [
    ...rows,
    row('of it building the call', microseconds(building), { ratio: building / base, against: 'no listener' }),
  ]
}

/** The rows of what a layer that only passes the request on adds to a call, by the scope that it belongs to. */
export async function layerRows() {
  const times = await timesOf(['no listener', ...Object.keys(scopes)])
  return Object.entries(scopes).map(([name, scope]) => {
    const added = (times[name].cpu - times['no listener'].cpu) / layerCount
    return row(`each pass-through layer, ${scope} scope`, microseconds(added), { aim: '< 1' })
  })
}

/** The rows of calls that go on at once. */
export async function parallelRows() {
  const { parallel } = await timesOf(['parallel'])
  const title = `${parallelCount} calls at once`
  return [
    row(title, { value: parallel.wall, unit: 'ms' }, { aim: '< 2' }),
    row(title, { value: parallel.cpu, unit: 'ms CPU' }, { aim: '< 2' }),
  ]
}

async function timesOf(names) {
  const times = await measured(names.map((name) => ['call', name]))
  return Object.fromEntries(names.map((name, index) => [name, times[index]]))
}

const microseconds = (milliseconds) => ({ value: milliseconds * 1000, unit: 'µs CPU' })

const row = (title, value, more) => ({ case: title, contestant, ...value, ...more })
