// Serves a studio, and measures calls without it and through its HTTP API.
import { Runtime, tool, toolset } from '@toolgen/runtime'
import { base } from '@toolgen/runtime/agents'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { serveStudio } from '@toolgen/studio'

let count = 0
const parameters = {
  type: 'object',
  properties: { orderId: { type: 'string', pattern: '^A-\\d+$' }, limit: { type: 'integer', minimum: 1 } },
  required: ['orderId'],
}
const getOrder = tool({
  ...{ name: 'getOrder', description: 'Fetch one order.', parameters },
  run: ({ orderId }) => {
    count += 1
    return { id: orderId, call: `call-${count}`, lines: [{ sku: 'LAMP-1', quantity: 2 }] }
  },
})
const ping = tool({ name: 'ping', description: 'Ping.', parameters: { type: 'object' }, run: () => 1 })
const requested = Array.from({ length: 5_000 }, () => ({ tool: 'ping' }))
const agent = base(scriptedModel([calls(...requested), says('Done.')])).build()
const design = { name: 'support', description: 'Answers customers.' }
const support = new Runtime().registerAgent(design, [toolset('orders', getOrder), toolset('pings', ping)], { agent })

const project = { name: 'bench', generation: 1, canCall: true, reports: [], problems: [], tools: [support] }
const { url } = await serveStudio(project, { port: 0 })
const { origin, searchParams } = new URL(url)
const headers = { authorization: `Bearer ${searchParams.get('token')}`, 'content-type': 'application/json' }

/** Returns the response of the HTTP API to a body. */
async function post(path, body) {
  const response = await fetch(`${origin}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

/** Waits for the end of a run, and returns its parts as text. */
async function ended(run) {
  const response = await fetch(`${origin}/api/runs/${run}/parts`, { headers })
  return response.text()
}

const args = JSON.stringify({ orderId: 'A-1001' })

async function direct() {
  const outcome = await support.execute({ tool: 'getOrder', arguments: args })
  if (outcome.status !== 'completed') throw new Error(JSON.stringify(outcome))
}

async function throughHttp() {
  const { run, ended: outcome } = await post('calls', { tool: 'orders.getOrder', agent: 'support', arguments: args })
  const parts = outcome === undefined ? await ended(run) : JSON.stringify(outcome)
  if (!parts.includes(`call-${count}`)) throw new Error(`a call through the studio has no result:\n${parts}`)
}

async function times(number, call) {
  const measured = []
  for (let index = -3; index < number; index += 1) {
    const started = performance.now()
    await call()
    if (index >= 0) measured.push(performance.now() - started)
  }
  return measured
}

process.on('message', async ({ count: number }) => {
  process.send({ direct: await times(number, direct), http: await times(number, throughHttp) })
})
const { run } = await post('runs', { agent: 'support', input: 'Ping!' })
await ended(run)
process.send({ url, run })
