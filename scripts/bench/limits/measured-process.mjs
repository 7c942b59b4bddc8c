// Measures calls of one tool: `measured-process.mjs PART CONTESTANT [quick]`. Sends the results to the parent process.
import { randomBytes } from 'node:crypto'
import { Runtime, tool, toolset } from '@toolgen/runtime'
import { postgresLimits } from '@toolgen/runtime/postgres'
import { circuitBreaker, rateLimit } from '@toolgen/runtime/resilience'

const [part, contestant, quick] = process.argv.slice(2)
const layers = {
  'rate-limit': (shared) => rateLimit({ calls: 1_000_000_000, perMs: 1_000, ...shared }),
  'circuit-breaker': (shared) => circuitBreaker(shared),
}

let trips = 0
let end = async () => undefined
const pool = contestant === 'select 1' || contestant === 'PostgreSQL' ? await openPool() : undefined
const layer = {
  'in memory': () => layers[part]({}),
  'select 1': () => (next) => async (request) => {
    await query('select 1', [])
    return next(request)
  },
  PostgreSQL: () => layers[part]({ store: postgresLimits(query, { timeoutMs: 60_000 }), name: 'bench' }),
}[contestant]
const ping = tool({
  name: 'ping',
  description: 'Answers.',
  parameters: { type: 'object', properties: {} },
  run: () => 'pong',
})
const served = toolset('bench', ping)
const tools = new Runtime().registerToolset(layer === undefined ? served : served.layer(layer()))

async function call() {
  const outcome = await tools.execute({ tool: 'ping', arguments: '{}' })
  if (outcome.status !== 'completed') throw new Error(`A call failed: ${outcome.hint.message}`)
}

async function sequence(count) {
  for (let left = count; left > 0; left -= 1) await call()
}

const count = (pool === undefined ? 100_000 : 2_000) / (quick === 'quick' ? 20 : 1)
await sequence(count / 5)
trips = 0
const startedAt = performance.now()
const cpu = process.cpuUsage()
await sequence(count)
const { user, system } = process.cpuUsage(cpu)
const latencyMs = (performance.now() - startedAt) / count
const tripsPerCall = trips / count
const concurrentAt = performance.now()
await Promise.all(Array.from({ length: 20 }, () => sequence(count / 20)))
const perSecond = count / ((performance.now() - concurrentAt) / 1_000)
await end()
process.send({ cpuUs: (user + system) / count, latencyMs, perSecond, trips: tripsPerCall })

function query(text, values) {
  trips += 1
  return pool.query(text, values)
}

/** Opens connections to a new schema on the server at DATABASE_URL. */
async function openPool() {
  const { default: pg } = await import('pg')
  const schema = `toolgen_bench_${randomBytes(6).toString('hex')}`
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, options: `-c search_path=${schema}`, max: 20 })
  await pool.query(`create schema ${schema}`)
  end = async () => {
    await pool.query(`drop schema ${schema} cascade`)
    await pool.end()
  }
  return pool
}
