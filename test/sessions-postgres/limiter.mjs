// A process that makes calls under the shared limits that its parent names, and says how they ended.
import { Runtime, tool, toolset } from '@toolgen/runtime'
import { postgresLimits } from '@toolgen/runtime/postgres'
import { rateLimit } from '@toolgen/runtime/resilience'
import pg from 'pg'

const [url, options] = process.argv.slice(2)
const pool = new pg.Pool({ connectionString: url, options, max: 2 })
const store = postgresLimits((text, values) => pool.query(text, values), { timeoutMs: 60_000 })

/** Calls until so many were admitted, and how many were. */
async function admitted(limit, count) {
  const served = toolset(
    'served',
    tool({ name: 'ping', description: 'Answers.', parameters: { type: 'object', properties: {} }, run: () => 'pong' }),
  )
  const tools = new Runtime().registerToolset(served.layer(rateLimit({ ...limit, store })))
  let completed = 0
  for (let left = count; left > 0; left -= 1) {
    const outcome = await tools.execute({ tool: 'ping', arguments: '{}' })
    if (outcome.status === 'completed') completed += 1
    else if (outcome.hint.reason !== 'rate_limited') throw outcome.error
  }
  return completed
}

/** Asks for the test of a circuit so many times, and which epochs it got. Each test fails. */
async function tested(circuit, count) {
  const epochs = []
  for (let left = count; left > 0; left -= 1) {
    const grant = await store.enter(circuit)
    if (grant.state !== 'test') continue
    const { rows } = await pool.query('update testing set running = running + 1 returning running')
    epochs.push({ epoch: grant.epoch, running: rows[0].running })
    await pool.query('update testing set running = running - 1')
    await store.report(circuit, { epoch: grant.epoch, end: 'failure' })
  }
  return epochs
}

process.on('message', async ({ limit, circuit, enter, count }) => {
  if (limit !== undefined) process.send(await admitted(limit, count))
  else if (circuit !== undefined) process.send(await tested(circuit, count))
  else if (enter !== undefined) process.send(await store.enter(enter))
  else {
    await pool.end()
    process.disconnect()
  }
})
await store.migrate()
process.send('ready')
