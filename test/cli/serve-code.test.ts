import { cpSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, toolgenCommand } from './project.fixture.js'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const example = (path: string): string => JSON.stringify(join(repository, 'examples', path))

/** An agent whose tools need an approval, and a second toolset. */
const served = `import { Runtime, tool, toolset } from '@toolgen/runtime'
import { openDesk } from ${example('approval/src/desk.js')}
import { PaymentsClient } from ${example('approval/src/payments-client.js')}

const round = tool({
  name: 'round',
  description: 'Round an amount.',
  parameters: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'], additionalProperties: false },
  run: async ({ amount }) => Math.round(amount),
})
export default {
  toolsets: [openDesk(new PaymentsClient()), toolset('numbers', round)],
  context: () => ({ env: {} }),
}
`

/** Two toolsets with a `maxResult`, each with the tool `read_result` of the runtime. */
const limited = (second: string, maxResult = 'maxResult: { items: 2 },'): string => `
import { tool, toolset } from '@toolgen/runtime'
const parameters = { type: 'object', properties: {}, additionalProperties: false }
const run = async () => ({ items: [1, 2, 3, 4] })
const one = tool({ name: 'list_one', description: 'List one.', parameters, maxResult: { items: 2 }, run })
const two = tool({ name: '${second}', description: 'List two.', parameters, ${maxResult} run })
export const tools = [toolset('one', one), toolset('two', two)]
`

const noContext = `import { openSupport } from ${example('orders/src/support.js')}
export const tools = await openSupport()
`

let project: Project
beforeAll(() => {
  project = createProject({
    'package.json': '{ "private": true, "type": "module" }\n',
    'serve.ts': served,
    'limited.ts': limited('list_two'),
    'own.ts': limited('read_result', ''),
    'no-context.ts': noContext,
    'runtimes.ts': limited('list_two')
      .replace('{ tool, toolset }', '{ Runtime, tool, toolset }')
      .replace(
        "[toolset('one', one), toolset('two', two)]",
        "[one, two].map((each, at) => new Runtime().registerToolset(toolset('set' + at, each)))",
      ),
    'twice.ts': `${served}export const tools = [toolset('numbers', round), toolset('numbers', round)]\n`,
  })
})
afterAll(() => project.remove())

describe.each([
  ['run_program and search_tools', [], ['run_program', 'search_tools']],
  ['run_program alone', ['--no-search'], ['run_program']],
])('toolgen serve --code serves %s', (_, options, names) => {
  let client: Client
  let err = ''
  beforeAll(async () => {
    const args = [toolgenCommand, 'serve', 'serve.ts', '--code', ...options]
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: project.root, stderr: 'pipe' })
    transport.stderr?.on('data', (chunk) => {
      err += chunk
    })
    client = new Client({ name: 'test', version: '1' })
    await client.connect(transport).catch((cause) => {
      throw new Error(`The server did not start:\n${err}`, { cause })
    })
  })
  afterAll(() => client.close())
  const run = (code: string) => client.callTool({ name: 'run_program', arguments: { code } })

  it('over stdio', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(names)
    const description = tools.find(({ name }) => name === 'run_program')?.description
    expect(description?.includes('function round(')).toBe(names.length === 1)
    expect(err).toMatch(new RegExp(`^serving: ${names.join(' and ')} for 4 tools of payments, numbers over stdio\n`))
  })

  it.runIf(names.length === 2)('finds the declarations of functions', async () => {
    const { structuredContent } = await client.callTool({
      name: 'search_tools',
      arguments: { query: 'round an amount' },
    })
    expect(structuredContent).toMatchObject({ declarations: expect.stringContaining('function round(args: {') })
  })

  it('runs a program with calls of both toolsets', async () => {
    const code = `const [payment] = await payments.findPayments({ customerId: 'C-7' })
const rounded = await numbers.round({ amount: (payment?.amount ?? 0) + 0.4 })
return { id: payment?.id, rounded }`
    const { structuredContent, isError } = await run(code)
    expect([isError ?? false, structuredContent]).toEqual([
      false,
      { value: { id: expect.stringMatching(/^P-/), rounded: expect.any(Number) } },
    ])
  })

  it('does not run a wrong program', async () => {
    const { content, isError } = await run('return await numbers.round({ sum: 1 })')
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('The program was not run.')])
  })

  it('returns the error of a call that nobody approves', async () => {
    const { content, isError } = await run(
      "await payments.findPayments({ customerId: 'C-7' })\nreturn await payments.refundPayment({ paymentId: 'P-1', amount: 20 })",
    )
    expect(isError).toBe(true)
    expect(JSON.stringify(content)).toContain(
      "These calls were completed: payments.findPayments({ customerId: 'C-7' }).",
    )
  })
})

describe.each([
  [[], ['list_one', 'read_result', 'list_two'], 'serving: 2 tools of one, two over stdio\n'],
  [['--code', '--no-search'], ['run_program'], 'serving: run_program for 2 tools of one, two over stdio\n'],
])('toolgen serve %j of toolsets with a maximum', (options, names, notes) => {
  it('serves read_result at most once', async () => {
    const args = [toolgenCommand, 'serve', 'limited.ts', ...options]
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: project.root, stderr: 'pipe' })
    let err = ''
    transport.stderr?.on('data', (chunk) => {
      err += chunk
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(names)
    if (names.includes('list_two')) {
      const { content } = await client.callTool({ name: 'list_two', arguments: {} })
      const [{ text } = { text: '' }] = content as { text: string }[]
      const [next] = JSON.parse(text).more
      const rest = await client.callTool({ name: next.tool, arguments: next.arguments })
      expect(rest.content).toEqual([{ type: 'text', text: expect.stringContaining('"result":[3,4]') }])
    }
    await client.close()
    expect(err).toBe(notes)
  })

  it.runIf(names.length > 1)('rejects toolsets of several runtimes', () => {
    const { code, stderr } = project.toolgen('serve', 'runtimes.ts', ...options)
    expect([code, stderr]).toEqual([2, expect.stringContaining('the served tools belong to several runtimes')])
    expect(stderr).toContain('Correct the toolsets that the module exports.')
  })

  it('rejects another tool with the name read_result', () => {
    const { code, stderr } = project.toolgen('serve', 'own.ts', ...options)
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining(
        'TG7005: Two served tools have the name `read_result`: `toolgen.read_result` and `two.read_result`.',
      ),
    ])
  })
})

describe('toolgen serve --code', () => {
  it('warns of tools that need a session, and searches without a session', async () => {
    const args = [toolgenCommand, 'serve', 'no-context.ts', '--code']
    const transport = new StdioClientTransport({ command: process.execPath, args, cwd: project.root, stderr: 'pipe' })
    let err = ''
    transport.stderr?.on('data', (chunk) => {
      err += chunk
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'fetch one order' } })
    const runs = ['return 1', "return await orders.getOrder({ orderId: 'A-1' })"].map((code) =>
      client.callTool({ name: 'run_program', arguments: { code } }),
    )
    const [other, run] = await Promise.all(runs)
    await client.close()
    expect(other?.structuredContent).toEqual({ value: 1 })
    expect([found.isError ?? false, found.structuredContent]).toEqual([
      false,
      { declarations: expect.stringContaining('function getOrder(') },
    ])
    expect([run?.isError, JSON.stringify(run?.content)]).toEqual([true, expect.stringContaining('options.sessionId')])
    expect(err).toContain('warning TG7008: `orders.getOrder`')
  })

  it('rejects tools with the same name', () => {
    const { code, stderr } = project.toolgen('serve', 'twice.ts', '--code', '--no-search')
    expect([code, stderr]).toEqual([3, expect.stringContaining('error TG7005: ')])
  })

  it('rejects --no-search without --code', () => {
    const { code, stderr } = project.toolgen('serve', 'serve.ts', '--no-search')
    expect([code, stderr]).toEqual([2, expect.stringContaining('error TG0001: --no-search has an effect only')])
  })

  it.each([
    { installed: 'no TypeScript', folder: undefined },
    { installed: 'only TypeScript 7', folder: 'node_modules/typescript-7' },
  ])('names the missing packages and the command that installs them: $installed', ({ folder }) => {
    const bare = createProject({ 'package.json': '{ "type": "module" }', 'serve.js': 'export default []' })
    bare.write({ 'node_modules/@toolgen/runtime': undefined })
    const modules = join(bare.root, 'node_modules')
    for (const part of ['package.json', 'dist'])
      cpSync(join(repository, 'packages/runtime', part), join(modules, '@toolgen/runtime', part), { recursive: true })
    mkdirSync(join(modules, '@modelcontextprotocol'), { recursive: true })
    for (const name of ['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'quickjs-emscripten'])
      symlinkSync(realpathSync(join(repository, 'packages/runtime/node_modules', name)), join(modules, name))
    if (folder !== undefined) symlinkSync(realpathSync(join(repository, folder)), join(modules, 'typescript'))
    const { code, stderr } = bare.toolgen('serve', 'serve.js', '--code')
    bare.remove()
    expect(code).toBe(2)
    expect(stderr).toContain(
      'error TG0013: --code needs packages that are not installed: `@typescript/typescript6`, `minisearch`.',
    )
    expect(stderr).toContain('`npm install @typescript/typescript6 minisearch`')
  })
})
