import { createServer } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { createProject, type Project } from '../cli/project.fixture.js'
import { Dev } from './dev.fixture.js'

const files = {
  'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
  'toolgen.config.ts': `export default { design: 'design/*.ts', output: 'gen' }\n`,
  'design/orders.ts': `import { defineAgent, defineTool, defineToolset, fromExecutor } from '@toolgen/dsl'
import { z } from 'zod'

export const orders = defineToolset('orders', {
  description: 'Look up orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order with its total.',
      payload: z.object({ orderId: z.string().min(1).describe('Order number as printed on the invoice') }),
      result: z.object({ total: z.number() }),
      examples: [{ orderId: 'A-1001' }],
    }),
  },
})
`,
}

const module = (total: string): string => `import { Runtime, toolsetRegistration } from '@toolgen/runtime'
import { ordersToolset } from '../gen/toolsets/orders/index.js'

const executor = { execute: async () => ({ total: ${total} }) }
const use = { toolset: ordersToolset, provider: 'function' }
export const tools = { toolsets: [toolsetRegistration(use, executor)], close: () => console.error('closed ${total}') }
`

let project: Project
afterEach(() => project.remove())

function start(changes: Readonly<Record<string, string>> = {}, ...args: readonly string[]): Dev {
  project = createProject({ ...files, ...changes }, ['@toolgen/studio'])
  return new Dev(project, ...(args.length === 0 ? ['--port', '0'] : args))
}

describe('toolgen dev', () => {
  it('shows the tools of a design alone, and new tools after a change', async () => {
    const dev = start()
    const client = await dev.client()
    expect(await client.get('api/project')).toMatchObject({
      name: 'shop',
      canCall: false,
      reason: expect.stringContaining('no module'),
      problems: [],
      reports: ['lint', 'tokens', 'diff', 'coverage'],
    })
    const { definitions } = await client.get('api/tools/orders.getOrder')
    expect(definitions[0]).toMatchObject({ vendor: 'openai', tokens: expect.any(Number) })
    const sent = { tool: 'orders.getOrder', arguments: '{"orderId":""}' }
    expect(await client.post('api/validate', sent)).toMatchObject({ isValid: false })
    expect(await client.post('api/calls', sent)).toMatchObject({
      error: { message: expect.stringContaining('no module') },
    })
    project.write({ 'design/orders.ts': files['design/orders.ts'].replaceAll('getOrder', 'findOrder') })
    await dev.line(({ tools }) => tools === 1)
    expect((await client.get('api/tools')).tools).toMatchObject([{ id: 'orders.findOrder' }])
  })

  it('reports errors of the design, and keeps the earlier tools', async () => {
    const dev = start()
    const client = await dev.client()
    const projects = client.stream('api/events')
    await projects.next()
    project.write({ 'design/orders.ts': files['design/orders.ts'].replace('z.string()', 'z.none()') })
    let shown: any
    do shown = (await projects.next()).value
    while (shown.data.project?.problems.length !== 1)
    await projects.return(undefined)
    expect(shown.data.project.problems).toMatchObject([
      {
        severity: 'error',
        code: expect.stringMatching(/^TG/),
        place: expect.stringMatching(/^design\/orders\.ts:\d+:\d+$/),
      },
    ])
    expect((await client.get('api/tools')).tools).toMatchObject([{ id: 'orders.getOrder' }])
  })

  it('calls the tools of the module, and loads it again after a change', async () => {
    const dev = start({ 'src/tools.ts': module('1') }, 'src/tools.ts', '--port', '0')
    const client = await dev.client()
    const total = async (): Promise<unknown> => {
      const { run } = await client.post('api/calls', { tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' })
      await client.parts(run)
      return (await client.get(`api/runs/${run}`)).text
    }
    expect(await total()).toBe('{"total":1}')
    project.write({ 'src/tools.ts': module('2') })
    await dev.line()
    expect(await total()).toBe('{"total":2}')
    await expect.poll(() => dev.notes).toContain('closed 1')

    project.write({ 'src/tools.ts': 'throw new Error("no database")\n' })
    expect((await dev.line()).diagnostics).toMatchObject([{ code: 'TG7001' }])
    const broken = await client.get('api/project')
    expect(broken).toMatchObject({ canCall: false, problems: [{ message: expect.stringContaining('no database') }] })
    expect((await client.get('api/tools')).tools).toMatchObject([{ id: 'orders.getOrder' }])

    project.write({ 'src/tools.ts': module('3') })
    await dev.line()
    expect(await total()).toBe('{"total":3}')
    dev.child.kill('SIGINT')
    expect(await dev.ended).toBe(0)
    expect(dev.notes).toContain('closed 3')
  })

  it('has the reports of the commands', async () => {
    const client = await start().client()
    expect(await client.get('api/contract/lint')).toMatchObject({ command: 'lint', counts: expect.any(Object) })
    expect(await client.get('api/contract/tokens')).toMatchObject({ command: 'tokens', agents: [{ name: 'orders' }] })
    expect(await client.get('api/contract/diff?base=gen')).toMatchObject({ command: 'diff', changes: [] })
    expect(await client.get('api/contract/coverage')).toEqual({
      ...{ command: 'coverage', exitCode: 0, diagnostics: expect.any(Array) },
      tools: [],
      transforms: [],
    })
    expect((await client.fetch('api/contract/other')).status).toBe(404)
  })

  it('uses a free port if the default port is in use, and fails if a chosen port is in use', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const dev = start({}, '--port', String(port))
    expect(await dev.line()).toMatchObject({
      diagnostics: [{ code: 'TG0017', message: expect.stringContaining('in use') }],
    })
    expect(await dev.ended).toBe(2)
  })

  it('fails without the package of the studio, and for a wrong command line', async () => {
    project = createProject(files)
    const missing = project.process('dev', '--json', '--no-open')
    expect(JSON.parse(missing.stdout)).toMatchObject({
      diagnostics: [
        { code: 'TG0013', next: 'Install the studio in the project: `npm install --save-dev @toolgen/studio`.' },
      ],
    })
    expect(project.process('dev', '--port', 'x').code).toBe(2)
    expect(project.process('dev', 'src/none.ts').code).toBe(2)
  })
})
