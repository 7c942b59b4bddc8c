// `npm run interop`: tests toolgen as an MCP client of other servers, and as an MCP server for other clients.
import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFile, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installPeers } from './bench/install-peers.mjs'
import { freePort } from './lib/free-port.mjs'
import { root } from './lib/run.mjs'
import { setUp } from './lib/setup.mjs'
import { table } from './lib/table.mjs'
import { nodeOf } from './packages/nodes.mjs'

await setUp()
const { httpCaller, stdioCaller } = await import('../packages/runtime/dist/mcp.js')
await installPeers('interop', undefined, 'scripts/interop')
/** The inspector needs this version of Node. */
const node22 = await nodeOf(22)

const peers = join(root, 'node_modules', '.cache', 'toolgen-interop-peers')
const peer = (path) => join(peers, path)
const installed = (path) => join(root, 'test', 'node_modules', path)
const serverProgram = fileURLToPath(new URL('interop/server.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'toolgen-interop-'))
const { signal } = new AbortController()

/** Opens a caller, runs the checks and closes the caller. */
async function withCaller(caller, work) {
  try {
    await work(caller, (name, args = {}) => caller.callTool({ name, arguments: args }, { signal }))
  } finally {
    await caller.close()
  }
}

const overStdio = (program, ...args) => stdioCaller({ command: process.execPath, args: [program, ...args] })

/** Starts a server that receives its port, waits until it accepts connections, and calls `work` with a caller. */
async function withHttpServer(args, env, work) {
  const port = await freePort()
  const child = spawn(process.execPath, args(port), { stdio: 'ignore', env: { ...process.env, ...env(port) } })
  try {
    const caller = httpCaller({ url: `http://127.0.0.1:${port}/mcp`, reconnect: { attempts: 10 } })
    await withCaller(caller, work)
  } finally {
    child.kill()
  }
}

async function checkFastmcp(caller, call) {
  deepEqual(
    (await caller.listTools()).map(({ name }) => name),
    ['add'],
  )
  equal((await call('add', { a: 2, b: 3 })).content[0].text, '5')
  const refused = await call('add', { a: -1, b: 3 })
  ok(refused.isError)
  match(refused.content[0].text, /must not be negative/)
  equal((await caller.readResource('memo://note'))[0].text, 'Call Ada.')
}

async function checkEverything(caller, call) {
  ok((await caller.listTools()).length > 5)
  equal((await call('echo', { message: 'Ada' })).content[0].text, 'Echo: Ada')
  const [resource] = await caller.listResources()
  equal((await caller.readResource(resource.uri)).length, 1)
  const [prompt] = await caller.listPrompts()
  ok((await caller.getPrompt(prompt.name, {})).messages.length > 0)
  ok((await call('get-resource-links', { count: 1 })).content.some(({ type }) => type === 'resource_link'))
}

const everything = installed('@modelcontextprotocol/server-everything/dist/index.js')

const run = promisify(execFile)

/** Runs a client that prints JSON, and returns this JSON. */
async function printed(program, args) {
  const { stdout } = await run(program, args, { env: { ...process.env, HOME: folder } })
  return JSON.parse(stdout)
}

function checkFound({ content }) {
  deepEqual(JSON.parse(content[0].text), { id: 'A-1', total: 12.5 })
}

async function checkAiSdk(target) {
  const { tools, found } = await printed(process.execPath, [peer('ai-sdk-client.mjs'), target])
  deepEqual(tools, ['find'])
  checkFound(found)
}

async function checkInspector(target) {
  const inspect = (...method) =>
    printed(node22, [
      peer('node_modules/.bin/mcp-inspector'),
      '--cli',
      ...target,
      '--connect-timeout',
      '60000',
      '--method',
      ...method,
    ])
  deepEqual(
    (await inspect('tools/list')).tools.map(({ name }) => name),
    ['find'],
  )
  checkFound(await inspect('tools/call', '--tool-name', 'find', '--tool-arg', 'id=A-1'))
}

async function withOwnServer(work) {
  const child = fork(serverProgram)
  try {
    const [url] = await once(child, 'message')
    await work(url)
  } finally {
    child.kill()
  }
}

const ours = [process.execPath, serverProgram]
const checks = [
  ['our caller', 'fastmcp', 'stdio', () => withCaller(overStdio(peer('fastmcp-server.mjs')), checkFastmcp)],
  [
    'our caller',
    'fastmcp',
    'HTTP',
    () =>
      withHttpServer(
        (port) => [peer('fastmcp-server.mjs'), String(port)],
        () => ({}),
        checkFastmcp,
      ),
  ],
  ['our caller', 'server-everything', 'stdio', () => withCaller(overStdio(everything), checkEverything)],
  [
    'our caller',
    'server-everything',
    'HTTP',
    () =>
      withHttpServer(
        () => [everything, 'streamableHttp'],
        (port) => ({ PORT: String(port) }),
        checkEverything,
      ),
  ],
  [
    'our caller',
    'server-filesystem',
    'stdio',
    () =>
      withCaller(
        overStdio(installed('@modelcontextprotocol/server-filesystem/dist/index.js'), folder),
        async (_, call) => {
          const path = join(folder, 'note.txt')
          await call('write_file', { path, content: 'Call Ada.' })
          equal((await call('read_text_file', { path })).content[0].text, 'Call Ada.')
          ok((await call('read_text_file', { path: join(folder, 'none.txt') })).isError)
        },
      ),
  ],
  [
    'our caller',
    'server-memory',
    'stdio',
    () => {
      const program = installed('@modelcontextprotocol/server-memory/dist/index.js')
      const env = { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }
      return withCaller(stdioCaller({ command: process.execPath, args: [program], env }), async (_, call) => {
        const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }]
        await call('create_entities', { entities })
        deepEqual((await call('search_nodes', { query: 'tea' })).structuredContent.entities, entities)
      })
    },
  ],
  ['our server', '@ai-sdk/mcp', 'stdio', () => checkAiSdk(JSON.stringify(ours))],
  ['our server', '@ai-sdk/mcp', 'HTTP', () => withOwnServer(checkAiSdk)],
  ['our server', 'inspector --cli', 'stdio', () => checkInspector(ours)],
  ['our server', 'inspector --cli', 'HTTP', () => withOwnServer((url) => checkInspector([url, '--transport', 'http']))],
]

const rows = []
for (const [side, other, transport, check] of checks) {
  console.error(`${side}, ${other}, ${transport} ...`)
  const result = await check().then(
    () => 'passed',
    (error) => `failed: ${String(error.message).slice(0, 1_000)}`,
  )
  rows.push({ side, 'other side': other, transport, result })
}
rmSync(folder, { recursive: true, force: true })
console.log(table(rows, ['side', 'other side', 'transport', 'result']))
process.exitCode = rows.every(({ result }) => result === 'passed') ? 0 : 1
