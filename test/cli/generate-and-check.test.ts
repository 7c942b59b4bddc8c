import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, type Project, smallProject, toolgenCommand } from './project.fixture.js'

// Every test starts the command, which reads types; a busy machine needs its time.
/** The design of the architecture's own example, its service use alone. */
const example: Readonly<Record<string, string>> = {
  ...smallProject,
  'design/fields.ts': 'export {}\n',
  'design/orders.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const orders = defineToolset('orders', {
  description: 'Look up and change customer orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order with its line items.',
      payload: z.object({
        orderId: z.string().min(1).describe('Order number as printed on the invoice'),
        sessionId: z.string(),
      }),
      result: z.object({ id: z.string(), status: z.enum(['open', 'shipped']), total: z.number() }),
      serverOwned: { sessionId: 'sessionId' },
      examples: [{ orderId: 'A-1001' }],
      callHint: 'Looking up order {{orderId}}',
      resultHint: 'Order {{id}} is {{status}}',
    }),
  },
})
`,
  'src/orders-client.ts': `export class OrdersClient {
  async fetchOrder(input: { orderId: string; sessionId: string }): Promise<{ id: string; status: 'open' | 'shipped'; total: number }> {
    return { id: input.orderId, status: 'open', total: input.sessionId.length }
  }
}
`,
  'design/support.ts': `import { defineAgent, fromService } from '@toolgen/dsl'
import { ordersClient } from './clients.js'
import { orders } from './orders.js'

export const support = defineAgent('support', {
  description: 'Answers customers about their orders.',
  uses: [fromService(orders, ordersClient, { tools: { getOrder: { method: 'fetchOrder' } } })],
})
`,
  'src/main.ts': `import { Runtime } from '@toolgen/runtime'
import { registerSupport } from '../gen/agents/support/index.js'
import { newGetOrderCall } from '../gen/toolsets/orders/index.js'
import { OrdersClient } from './orders-client.js'

const support = registerSupport(new Runtime(), { toolsets: { orders: { client: new OrdersClient() } } })
const outcome = await support.execute(newGetOrderCall({ orderId: 'A-1001' }), { sessionId: 's-1' })
if (outcome.status !== 'completed') throw new Error(outcome.status)
const total: number = outcome.result.data.total
export const answer: string = [outcome.json, total].join(' ')
`,
}

let project: Project
beforeAll(() => {
  project = createProject(example)
})
afterAll(() => project.remove())

const times = (): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.keys(project.tree()).map((path) => [path, statSync(join(project.root, path)).mtimeMs]))

describe('generate and check', () => {
  it('report everything missing before the first run', () => {
    const { code, stdout, stderr } = project.toolgen('check')
    expect(code).toBe(4)
    expect(stderr).toMatch(/^error TG5020: 10 generated files are missing\.\n/)
    expect(stderr).toContain('- gen/toolsets/orders/types.ts:1:1 - missing\n')
    expect(stderr.match(/do: /g)).toHaveLength(1)
    expect(stderr).toMatch(/\ngen\/toolgen\.lock\.json differs too; its diff is not shown\.\n10 files differ\n$/)
    expect(stdout).not.toContain('toolgen.lock.json')
    expect(stdout).toContain('--- /dev/null\n+++ gen/toolsets/orders/types.ts\n@@ -0,0 +1,')
    expect(project.has('gen')).toBe(false)
  })

  it('generate code that passes the strictest compiler options and runs', () => {
    const { code, stdout, stderr } = project.toolgen('generate')
    expect(stdout).toBe('')
    expect(stderr).toMatch(/^generated: gen, 9 written, 0 unchanged, 0 removed; 1 tool in 1 toolset, 1 agent \(.*\)\n$/)
    expect(code).toBe(0)
    expect(project.tsc('-p', '.')).toMatchObject({ stdout: '', code: 0 })
    const emitted = project.tsc('-p', '.', '--noEmit', 'false', '--outDir', 'dist', '--rootDir', '.')
    expect(emitted).toMatchObject({ stdout: '', code: 0 })
    const print = `import('./dist/src/main.js').then(({ answer }) => console.log(answer))`
    expect(project.node(['-e', print]).stdout).toBe('{"id":"A-1001","status":"open","total":3} 3\n')
    rmSync(join(project.root, 'dist'), { recursive: true })
  })

  it('agree right after generating', () => {
    const { code, stdout, stderr } = project.toolgen('check')
    expect(stderr).toBe('in sync: gen matches the design\n')
    expect(stdout).toBe('')
    expect(code).toBe(0)
  })

  it('write nothing the second time, with and without the cache', () => {
    const before = times()
    for (const args of [['--no-cache'], []]) {
      expect(project.toolgen('generate', ...args).stderr).toMatch(/^up to date: gen, 1 tool in 1 toolset, 1 agent/)
    }
    expect(times()).toEqual(before)
  })

  it('write the files alone that a change touches, and remove those that it leaves over', () => {
    const before = times()
    project.write({
      'design/orders.ts': project
        .read('design/orders.ts')
        .replace("status: z.enum(['open', 'shipped'])", 'status: z.string()'),
    })
    expect(project.toolgen('check').stdout).toContain('-  readonly status: ')
    const report = JSON.parse(project.toolgen('generate', '--json').stdout)
    expect(report).toMatchObject({ command: 'generate', exitCode: 0, upToDate: false, removed: [], tools: 1 })
    expect(report.written).toContain('toolsets/orders/types.ts')
    expect(report.written).not.toContain('agents/support/index.ts')
    expect(times()['gen/agents/support/index.ts']).toBe(before['gen/agents/support/index.ts'])

    project.write({ 'design/support.ts': 'export {}\n' })
    const after = JSON.parse(project.toolgen('generate', '--json').stdout)
    expect(after.removed).toEqual([
      'agents/support/api.ts',
      'agents/support/index.ts',
      'agents/support/orders.service.ts',
      'agents/support/specs.ts',
    ])
    expect(project.has('gen/agents')).toBe(false)
  })

  it('several at once leave one whole output', async () => {
    project.write({ 'design/orders.ts': project.read('design/orders.ts').replace('Fetch one order', 'Fetch an order') })
    const codes = await Promise.all([1, 2, 3].map(() => project.start('generate', '--no-cache')))
    expect(codes).toEqual([0, 0, 0])
    expect(project.toolgen('check').code).toBe(0)
    expect(Object.keys(project.tree()).filter((path) => path.includes('.toolgen'))).toEqual([])
  })

  it('report changed, hand-edited, missing and orphaned files in JSON and as annotations', () => {
    const types = 'gen/toolsets/orders/types.ts'
    project.write({
      [types]: project.read(types).replaceAll('\n', '\r\n'),
      'gen/toolsets/orders/calls.ts': `${project.read('gen/toolsets/orders/calls.ts')}// mine\n`,
      'gen/toolsets/orders/specs.ts': undefined,
      'gen/toolsets/old/types.ts': '// Generated by toolgen from design/old.ts.\n',
    })
    const { code, stdout } = project.toolgen('check', '--json')
    expect(code).toBe(4)
    const { drift } = JSON.parse(stdout)
    expect(drift.map(({ kind, path }: { kind: string; path: string }) => [kind, path])).toEqual([
      ['orphaned', 'gen/toolsets/old/types.ts'],
      ['hand-edited', 'gen/toolsets/orders/calls.ts'],
      ['missing', 'gen/toolsets/orders/specs.ts'],
    ])
    expect(drift[1].diff).toContain('-// mine')
    expect(drift[1].diff).toMatch(/^--- gen\/toolsets\/orders\/calls\.ts\n\+\+\+ gen\/toolsets\/orders\/calls\.ts\n/)
    expect(drift[2].diff).toMatch(/^--- \/dev\/null\n/)
    expect(drift[0].diff).toMatch(/^--- gen\/toolsets\/old\/types\.ts\n\+\+\+ \/dev\/null\n/)
    const { stdout: log, stderr: annotations } = project.toolgen('check', '--reporter', 'github')
    expect(log).toMatch(/^::group::gen\/toolsets\/orders\/calls\.ts$/m)
    expect(annotations).toMatch(/^::error file=gen\/toolsets\/old\/types\.ts,line=1,col=1,title=TG5022::/m)
  })

  it('show the IR as JSON and as a table', () => {
    const { stdout, code } = project.toolgen('inspect', '--json')
    expect(code).toBe(0)
    const ir = JSON.parse(stdout)
    expect(ir).toMatchObject({ command: 'inspect', exitCode: 0, diagnostics: [], contract: 1 })
    expect(ir.toolsets[0].tools[0]).toMatchObject({ id: 'orders.getOrder', toolName: 'orders_getOrder' })
    const table = project.toolgen('inspect').stdout
    expect(table).toMatch(
      /^toolset orders: Look up and change customer orders\.\n {2}tool +tool name +hash +server-owned +/,
    )
    expect(table).toMatch(/\n {2}orders\.getOrder {2}orders_getOrder {2}[0-9a-f]{16} {2}sessionId +Fetch/)
  })

  it('speak of one folder, that of the shell, with --cwd', () => {
    const above = project.node([toolgenCommand, 'check', '--cwd', project.root], {}, '/')
    const below = project.root.slice(1)
    expect(above.stderr).toContain(`${below}/gen/toolsets/orders/specs.ts:1:1 - `)
    project.toolgen('generate', '--force')
    const generated = project.node([toolgenCommand, 'generate', '--cwd', project.root], {}, '/')
    expect(generated.stderr).toContain(`up to date: ${below}/gen, `)
  })
})
