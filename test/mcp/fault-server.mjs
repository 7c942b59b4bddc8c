// An MCP server over stdio that does what is asked of it, also what no server should. It uses no SDK: that would not let it.
import { spawn } from 'node:child_process'
import { closeSync, writeFileSync, writeSync } from 'node:fs'
import { createInterface } from 'node:readline'

const object = { type: 'object' }
const names = [
  'echo',
  'die',
  'silent',
  'garbage',
  'big',
  'progress',
  'process',
  'cancelled',
  'roots',
  'change',
  'error',
  'environment',
]
const result = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
let tools = [
  ...names.map((name) => ({ name, inputSchema: object })),
  { name: 'breaks', inputSchema: object, outputSchema: result },
]
const cancelled = []
const waiting = new Map()
if (process.env.STUBBORN) process.on('SIGTERM', () => undefined)
if (process.env.LEAVES_CHILD) spawn('sleep', ['300'], { stdio: 'inherit' })
if (process.env.BORN_DEAD) {
  writeSync(2, process.env.BORN_DEAD)
  process.exit(3)
}

if (process.env.STARTED) writeFileSync(process.env.STARTED, String(process.pid))

const write = (text) => process.stdout.write(text)
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const answer = (id, result) => write(line({ id, result }))
const text = (id, said) => answer(id, { content: [{ type: 'text', text: said }] })

const lines = createInterface({ input: process.stdin })
lines.on('line', (received) => {
  const message = JSON.parse(received)
  const { id, method, params = {} } = message
  if (method === undefined) waiting.get(id)?.(message.result)
  else if (method === 'initialize' && !process.env.MUTE) {
    const capabilities = { tools: { listChanged: true } }
    const serverInfo = { name: 'fault', version: '1.0.0' }
    answer(id, { protocolVersion: params.protocolVersion, capabilities, serverInfo })
  } else if (method === 'tools/list') answer(id, { tools })
  else if (method === 'tools/call') call(id, params)
  else if (method === 'notifications/cancelled') cancelled.push(params.requestId)
  else if (id !== undefined && !process.env.MUTE)
    write(line({ id, error: { code: -32601, message: 'Method not found' } }))
})
lines.on('close', () => {
  if (process.env.STUBBORN) setInterval(() => undefined, 1_000)
})

function call(id, { name, arguments: args = {}, _meta = {} }) {
  if (name === 'echo') setTimeout(() => text(id, String(args.text)), args.afterMs ?? 0)
  else if (name === 'die') process.exit(7)
  else if (name === 'garbage')
    write(`Server is starting...\n{"jsonrpc":"2.0",\n\u0000\n[]\n${line({ id, result: { content: [] } })}`)
  else if (name === 'big') text(id, 'x'.repeat(args.bytes))
  else if (name === 'breaks') answer(id, { content: [], structuredContent: { id: 'one' } })
  else if (name === 'raw') write(`${JSON.stringify({ jsonrpc: '2.0', id, ...args })}\n`)
  else if (name === 'endless') {
    write(args.withId ? `{"jsonrpc":"2.0","id":${id},"result":"` : '{"jsonrpc":"2.0","result":"')
    const more = () => write('x'.repeat(50_000)) && setImmediate(more)
    process.stdout.on('drain', more)
    lines.on('close', () => process.exit(0))
    more()
  } else if (name === 'mute') {
    setInterval(() => undefined, 1_000)
    closeSync(1)
  } else if (name === 'deaf') {
    setInterval(() => undefined, 1_000)
    lines.close()
    process.stdin.destroy()
    closeSync(0)
    text(id, 'no more')
  } else if (name === 'process') text(id, String(process.pid))
  else if (name === 'cancelled') text(id, JSON.stringify(cancelled))
  else if (name === 'environment') text(id, JSON.stringify(Object.keys(process.env).sort()))
  else if (name === 'error') write(line({ id, error: { code: args.code, message: 'As you wish.' } }))
  else if (name === 'progress') {
    const token = { progressToken: _meta.progressToken }
    const told = [1, 2].map((progress) =>
      line({ method: 'notifications/progress', params: { ...token, progress, total: 2 } }),
    )
    write(`${told.join('')}${line({ id, result: { content: [{ type: 'text', text: 'done' }] } })}`)
  } else if (name === 'roots') {
    waiting.set('roots-1', (listed) => text(id, JSON.stringify(listed)))
    write(line({ id: 'roots-1', method: 'roots/list' }))
  } else if (name === 'change') {
    tools = tools.filter((tool) => tool.name !== 'echo')
    write(line({ method: 'notifications/tools/list_changed' }))
    text(id, 'changed')
  }
}
