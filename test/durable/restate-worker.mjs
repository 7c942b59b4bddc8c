// Worker process of a Restate service: `node restate-worker.mjs SETTING`, where SETTING is JSON. Prints its address. Plain JavaScript, so that
// it starts without a compiler.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http2'
import { join } from 'node:path'
import { createEndpointHandler } from '@restatedev/restate-sdk'
import { restateAgents } from '@toolgen/runtime/restate'
import { scriptedAgents } from './scripted-agents.mjs'

/**
 * - `folder`: folder for effects and large values
 * - `port`: port of the loopback interface
 * - `crashes`: for each effect, the number of times that the process ends when the effect has happened
 * - `replace`: for each script, the script that the agents follow instead
 * - `options`: options of `restateAgents`; `minLength` adds a store
 */
const { folder, port = 0, crashes = {}, replace = {}, options, minLength } = JSON.parse(process.argv[2])

function effect(name, { meta }) {
  const file = join(folder, 'effects')
  appendFileSync(file, `${name} ${meta.idempotencyKey}\n`)
  const happened = readFileSync(file, 'utf8').split('\n').filter((line) => line.startsWith(`${name} `)).length
  if (happened <= (crashes[name] ?? 0)) process.kill(process.pid, 'SIGKILL')
}

const values = join(folder, 'values')
const store = {
  async put(key, text) {
    mkdirSync(values, { recursive: true })
    writeFileSync(join(values, key), text)
  },
  async get(key) {
    return existsSync(join(values, key)) ? readFileSync(join(values, key), 'utf8') : undefined
  },
}

const agents = scriptedAgents({ effect, deployed: (script) => replace[script] ?? script })
const { services } = restateAgents(agents, { ...options, ...(minLength && { largeValues: { store, minLength } }) })
const server = createServer(createEndpointHandler({ services, logger: () => undefined }))
server.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
process.stdin.resume().once('end', () => process.exit())
