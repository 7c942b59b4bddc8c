// `npm run bench -- sessions [--only continuous,latency,durable,neighbour,lifecycle,idle] [--without PGlite,PostgreSQL] [--quick]`:
// what sessions cost over each store: how many calls, how long callers wait, how long closing and restoring take, how much
// memory. `--quick` only sees that everything runs. scripts/bench/sessions/README.md tells how it measures.
import { continuousRows } from './sessions/continuous-rows.mjs'
import { preparedDatabases } from './sessions/databases.mjs'
import { durableRows } from './sessions/durable-rows.mjs'
import { idleRows } from './sessions/idle-rows.mjs'
import { latencyRows } from './sessions/latency-rows.mjs'
import { lifecycleRows } from './sessions/lifecycle-rows.mjs'
import { neighbourRows } from './sessions/neighbour-rows.mjs'
import { scaleName, scaleOf } from './sessions/scale.mjs'

/** Each part with what measures it and the line that announces it. */
const parts = {
  continuous: { measure: continuousRows, line: 'sessions in memory that call without a pause ...' },
  latency: { measure: latencyRows, line: 'calls at a steady rate ...' },
  durable: { measure: durableRows, line: 'streaming calls that are stored ...' },
  neighbour: { measure: neighbourRows, line: 'quiet sessions beside a noisy one ...' },
  lifecycle: { measure: lifecycleRows, line: 'closing and restoring ...' },
  idle: { measure: idleRows, line: 'idle sessions ...' },
}

/** All stores, in the order of the report. */
const stores = ['memory store', 'PGlite', 'PostgreSQL']

/** Measures and returns the rows of the report; throws when a call or a session does not do what it should. */
export async function benchmark({ log }) {
  const wanted = listed(process.argv, '--only', Object.keys(parts)) ?? Object.keys(parts)
  const without = listed(process.argv, '--without', stores.slice(1)) ?? []
  // As applications run.
  process.env.NODE_ENV = 'production'
  const { missing, end } = await preparedDatabases(without)
  for (const [store, why] of missing) log(`${store}: ${why}`)
  const scale = scaleName(process.argv)
  try {
    const rows = []
    for (const part of wanted) {
      log(parts[part].line)
      rows.push(...(await parts[part].measure({ scale: scaleOf(scale), scaleName: scale, stores, missing })))
    }
    return rows
  } finally {
    await end()
  }
}

/** What an option lists, in the order of the report; `undefined` where it is not given. */
function listed(argv, option, known) {
  const place = argv.indexOf(option)
  if (place < 0) return undefined
  const given = (argv[place + 1] ?? '').split(',')
  const strange = given.filter((name) => !known.includes(name))
  if (strange.length > 0) throw new Error(`${option} takes ${known.join(',')}, not ${strange.join(',')}`)
  return known.filter((name) => given.includes(name))
}
