import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, toolgenCommand } from './project.fixture.js'

// Every test starts the command; a busy machine needs its time.
const repository = fileURLToPath(new URL('../..', import.meta.url))
const orders = JSON.stringify(join(repository, 'examples/orders/src/support.js'))

/** A toolset that needs nothing, as generated code would hold it. */
const plain = `import { newToolCall, payloadCodec, resultCodec, toolSpec, toolsetRegistration } from '@toolgen/runtime/codegen/v1'
const payload = payloadCodec({ schema: { type: 'object' } })
const result = resultCodec({ schema: true })
const spec = toolSpec({ id: 'notes.read', title: 'Read', description: 'Read.', examples: [], hash: '0' }, payload, result)
const call = (args, options) => newToolCall(spec, payload, args, options)
const toolset = { name: 'notes', namespace: 'default', description: 'Notes.', tools: [{ spec, payload, result, call }] }
export const notes = toolsetRegistration({ toolset, provider: 'service' }, { execute: async () => 'a note' })
`

/** A module with this toolset, which starts faster than one with the example. */
const light = `import { notes } from './notes.js'

console.log('from console.log')
process.stdout.write('from process.stdout\\n')

export default async () => ({ toolsets: [notes], close: () => console.log('closed') })
`

/** A module whose tool asks an MCP server that is started by the first call. */
const gateway = `import { stdioCaller } from '@toolgen/runtime/mcp'
import { toolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { notes } from './notes.js'

const caller = stdioCaller({ command: process.execPath, args: [${JSON.stringify(join(repository, 'test/mcp/fault-server.mjs'))}] })
const first = async () => (await caller.listTools())[0].name
export default {
  toolsets: [toolsetRegistration(notes.use, { execute: first })],
  close: async () => {
    await caller.close()
    console.log('closed')
  },
}
`

let project: Project
beforeAll(() => {
  project = createProject({
    'package.json': '{ "private": true, "type": "module" }\n',
    'notes.js': plain,
    'light.ts': light,
    'serve.ts': `import type { ServedModule } from '@toolgen/runtime/mcp'
import { openSupport } from ${orders}
import { notes } from './notes.js'

console.log('from console.log')
process.stdout.write('from process.stdout\\n')

export default (async () => ({
  server: { name: 'shop', version: '1.2.3' },
  toolsets: [await openSupport(), notes],
  context: ({ mcpSession = 'stdio' }) => ({ sessionId: mcpSession }),
  close: () => console.log('closed'),
})) satisfies ServedModule
`,
  })
})
afterAll(() => project.remove())

const started: ChildProcess[] = []
const clients: Client[] = []
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/** A running `toolgen serve` and what it has written. */
interface Running {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** Resolves when standard output or standard error holds a text. */
  says(text: string): Promise<void>
  readonly code: Promise<unknown>
}

function serving(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [toolgenCommand, 'serve', ...args], { cwd: project.root })
  started.push(child)
  const heard = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    heard.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    heard.err += chunk
  })
  return {
    child,
    out: () => heard.out,
    err: () => heard.err,
    says: (text) => expect.poll(() => heard.out + heard.err).toContain(text),
    code: once(child, 'close').then(([code]) => code),
  }
}

async function connected(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  clients.push(client)
  await client.connect(transport)
  return client
}

const tools = [
  'orders_getOrder',
  'orders_searchOrders',
  'orders_placeOrder',
  'orders_cancelOrder',
  'orders_stockLevel',
  'notes_read',
]

describe('toolgen serve', () => {
  it('warns of tools that need a session if the module has no `context`', async () => {
    project.write({
      'no-context.ts': `import { openSupport } from ${orders}\nexport const tools = await openSupport()\n`,
    })
    const { child, says, code, out } = serving('no-context.ts', '--port', '0', '--json')
    await says(']\n}')
    await says('"url"')
    child.kill('SIGTERM')
    expect(await code).toBe(0)
    expect(JSON.parse(out()).diagnostics).toMatchObject([
      {
        code: 'TG7008',
        severity: 'warning',
        message: expect.stringMatching(/^`orders.getOrder`.* `sessionId`, but the module has no `context`/),
        next: "Export `{ toolsets, context: ({ mcpSession = 'stdio' }) => ({ sessionId: mcpSession }) }`.",
        location: { file: 'no-context.ts', line: 2 },
      },
    ])
  })

  it('serves a module over stdio, and nothing but the protocol is on standard output', async () => {
    const args = [toolgenCommand, 'serve', 'serve.ts']
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: project.root, stderr: 'pipe' })
    const faults: unknown[] = []
    let err = ''
    transport.stderr?.on('data', (chunk) => {
      err += chunk
    })
    const client = await connected(transport)
    client.onerror = (error) => faults.push(error)
    expect(client.getServerVersion()).toMatchObject({ name: 'shop', version: '1.2.3' })
    expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual([...tools].sort())
    const found = await client.callTool({ name: 'orders_getOrder', arguments: { orderId: 'A-1001' } })
    expect(found.structuredContent).toMatchObject({ id: 'A-1001' })
    const none = await client.callTool({ name: 'orders_getOrder', arguments: { orderId: 'A-9999' } })
    expect(none.isError).toBe(true)
    expect(faults).toEqual([])
    expect(err).toBe('from console.log\nfrom process.stdout\nserving: 6 tools of orders, notes over stdio\n')
  })

  it('ends with its client, in order', async () => {
    const { child, says, code, err, out } = serving('light.ts', '--json')
    await says('"exitCode": 0')
    child.stdin?.end()
    expect(await code).toBe(0)
    expect(out()).toBe('')
    expect(err()).toMatch(/closed\n$/)
  })

  it.each([
    ['SIGTERM', 'serve.ts', tools],
    ['SIGINT', 'light.ts', ['notes_read']],
  ] as const)('serves over HTTP until %s: %s', async (signal, file, served) => {
    const { child, says, code, out, err } = serving(file, '--port', '0', '--path', '/tools', '--json')
    await says('"tools"')
    await says(']\n}')
    const report = JSON.parse(out())
    expect(report).toMatchObject({ command: 'serve', exitCode: 0, diagnostics: [] })
    expect([...report.tools].sort()).toEqual([...served].sort())
    expect(report.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/tools$/)
    const client = await connected(new StreamableHTTPClientTransport(new URL(report.url)))
    expect(await client.callTool({ name: 'notes_read', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: 'a note' }],
    })
    child.kill(signal)
    expect(await code).toBe(0)
    expect(err()).toBe('from console.log\nfrom process.stdout\nclosed\n')
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'closes what the module has opened at %s, a server of its own too',
    async (signal) => {
      project.write({ 'gateway.ts': gateway })
      const { child, says, code, out, err } = serving('gateway.ts', '--port', '0', '--json')
      await says(']\n}')
      const client = await connected(new StreamableHTTPClientTransport(new URL(JSON.parse(out()).url)))
      const answer = await client.callTool({ name: 'notes_read', arguments: {} })
      expect(answer).toMatchObject({ content: [{ text: 'echo' }] })
      child.kill(signal)
      expect(await code).toBe(0)
      expect(err()).toBe('closed\n')
    },
  )
})

describe('what toolgen serve refuses', () => {
  it.each<[string, string, number, string, string]>([
    [
      'a module that ends the process',
      'process.exit(0)',
      3,
      'TG7007',
      'error TG7007: The evaluation of the module to serve did not finish: it waits forever or ends the process.',
    ],
    [
      'one that fails later on',
      `import { notes } from './notes.js'\nexport default notes\nsetTimeout(() => { throw new Error('later') }, 50)`,
      3,
      'TG7006',
      'failed in the background: later',
    ],
  ])('%s', async (_, text, exitCode, id, message) => {
    project.write({ 'wrong.ts': text })
    const { code, out, err } = serving('wrong.ts')
    expect(await code).toBe(exitCode)
    expect(out()).toBe('')
    expect(err()).toContain(`error ${id}: `)
    expect(err()).toContain(message)
    expect(err()).not.toMatch(/^\s+at /m)
  })

  it('what the design defines', () => {
    project.write({
      'wrong.ts': `import { defineToolset } from '@toolgen/dsl'\nexport default defineToolset('a', { description: 'A.', tools: {} })`,
    })
    const { code, stdout, stderr } = project.toolgen('serve', 'wrong.ts')
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
    expect(stderr).toContain('error TG7003: ')
    expect(stderr).toContain('The default export is a toolset of the design.')
    expect(stderr).not.toMatch(/^\s+at /m)
  })

  it.each<[string, readonly string[], string, string]>([
    ['a module that is not there', ['serv.ts'], 'TG0016', 'Did you mean `serve.ts`?'],
    ['all of the world without a name', ['serve.ts', '--port', '0', '--host', '0.0.0.0'], 'TG0017', '--allowed-hosts'],
  ])('%s', (_, args, id, message) => {
    const { code, stdout, stderr } = project.toolgen('serve', ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(`error ${id}: `)
    expect(stderr).toContain(message)
  })

  it('a port that is in use, and closes what the module has opened', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    const { code, err } = serving('light.ts', '--port', port)
    expect(await code).toBe(2)
    taken.close()
    expect(err()).toContain('error TG0017: Cannot start the server: the port is in use.')
    expect(err()).toContain('closed\n')
  })

  it('a project without the SDK, and says what to install', () => {
    const bare = createProject({ 'package.json': '{ "type": "module" }', 'serve.js': 'export default []' })
    const runtime = join(bare.root, 'node_modules/@toolgen/runtime')
    bare.write({ 'node_modules/@toolgen/runtime': undefined })
    for (const part of ['package.json', 'dist']) {
      cpSync(join(repository, 'packages/runtime', part), join(runtime, part), { recursive: true })
    }
    const { code, stderr } = bare.toolgen('serve', 'serve.js')
    bare.remove()
    expect(code).toBe(2)
    expect(stderr).toContain('error TG0013: ')
    expect(stderr).toContain('npm install @toolgen/runtime @modelcontextprotocol/client @modelcontextprotocol/server')
  })
})
