// Worker process of a Restate service: `node restate-worker.mjs SETTING`, where SETTING is JSON. Prints its address. Plain JavaScript, so that
// it starts without a compiler.
import { appendFileSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http2'
import { join } from 'node:path'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateAgents } from '@toolgen/runtime/restate'
import { scriptedAgents } from './scripted-agents.mjs'

/**
 * - `folder`: folder of the file `effects`
 * - `port`: port of the loopback interface
 * - `crashes`: for each effect, the number of times that the process ends when the effect has happened
 * - `options`: options of `restateAgents`
 */
const { folder, port = 0, crashes = {}, options } = JSON.parse(process.argv[2])

function effect(name, { meta }) {
  const file = join(folder, 'effects')
  appendFileSync(file, `${name} ${meta.idempotencyKey}\n`)
  const happened = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith(`${name} `)).length
  if (happened <= (crashes[name] ?? 0)) process.kill(process.pid, 'SIGKILL')
}

const agents = scriptedAgents({ effect })
const server = createServer(createEndpointHandler({ ...restateAgents(agents, options), logger: () => undefined }))
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.stdin.resume().once('end', () => process.exit())
