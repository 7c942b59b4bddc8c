// Worker process of a Restate service: `node restate-worker.mjs SETTING`, where SETTING is JSON. Prints its address, and then the line `call` for
// each effect that is about to happen. Plain JavaScript, so that it starts without a compiler.
import { createServer } from 'node:http2'
import { setTimeout } from 'node:timers/promises'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateAgents } from '@toolgen/runtime/restate'
import pg from 'pg'
import { scriptedAgents } from './scripted-agents.mjs'

/**
 * - `database`: address of the PostgreSQL server with the table `effects`
 * - `port`: port of the loopback interface
 * - `crashes`: for each effect, the number of times that the process ends when the effect has happened
 * - `callMs`: maximum time in milliseconds before and after each effect
 * - `options`: options of `restateAgents`
 */
const { database, port = 0, crashes = {}, callMs = 0, options = {} } = JSON.parse(process.argv[2])
const { name: service = 'toolgen' } = options
const pool = new pg.Pool({ connectionString: database, max: 4 })

async function effect(name, { meta }) {
  console.log('call')
  await pause()
  const values = [service, meta.runId.split('/')[0], name, meta.idempotencyKey]
  await pool.query('insert into effects (service, run, effect, key) values ($1, $2, $3, $4)', values)
  if (crashes[name] !== undefined) {
    const { rows } = await pool.query('select id from effects where service = $1 and effect = $2', [service, name])
    if (rows.length <= crashes[name]) process.kill(process.pid, 'SIGKILL')
  }
  await pause()
}

const pause = () => callMs > 0 && setTimeout(Math.random() * callMs)

const agents = scriptedAgents({ effect })
const server = createServer(createEndpointHandler({ ...restateAgents(agents, options), logger: () => undefined }))
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.stdin.resume().once('end', () => process.exit())
