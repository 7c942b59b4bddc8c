import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fails, projectWith } from '../cli/bad-input.fixture.js'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

/** A tool that lists orders in pages, with further properties. */
const listTool = (more = ''): string => `defineTool({
      description: 'List the orders of a customer.',
      payload: {
        type: 'object',
        properties: {
          customerId: { type: 'string', description: 'Number of the customer.' },
          limit: { type: 'integer', minimum: 1, description: 'Maximum number of orders.' },
          offset: { type: 'integer', minimum: 0, default: 0, description: 'Number of orders to skip.' },
        },
        required: ['customerId'],
      },
      result: {
        type: 'object',
        properties: { items: { type: 'array', items: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } } },
        required: ['items'],
      },
      readOnly: true,
      ${more}
    })`

const toolset = (name: string, more = ''): string => `import { defineTool, defineToolset } from '@toolgen/dsl'
export const ${name} = defineToolset('${name}', {
  description: 'Look things up.',
  tools: {
    list: ${listTool(more)},
    all: ${listTool().replace('List the orders of', 'List all orders of')},
  },
})
`

const files: Readonly<Record<string, string>> = {
  'tsconfig.json': smallProject['tsconfig.json']?.replace('"types":[]', '"types":["node"]') ?? '',
  'design/orders.ts': toolset('orders', 'maxResult: { items: 5 },'),
  'design/returns.ts': toolset('returns'),
  'design/clients.ts': `import { type ServiceClient, serviceClient } from '@toolgen/dsl'
export interface Client {
  list(input: { customerId: string; limit?: number; offset: number }): Promise<{ items: { id: string }[] }>
  all(input: { customerId: string; limit?: number; offset: number }): Promise<{ items: { id: string }[] }>
}
export const client: ServiceClient<Client> = serviceClient<Client>()
`,
  'design/agents.ts': `import { defineAgent, fromExecutor, fromService } from '@toolgen/dsl'
import { client } from './clients.js'
import { orders } from './orders.js'
import { returns } from './returns.js'
export const plain = defineAgent('plain', { description: 'Has the maximum of the tool.', uses: [fromService(orders, client)] })
export const desk = defineAgent('desk', {
  description: 'Has maximums of its own.',
  maxResult: { items: 4 },
  uses: [
    fromService(orders, client, { maxResult: { items: 3 }, tools: { all: { maxResult: { bytes: 500 } } } }),
    fromExecutor(returns),
  ],
})
`,
  'src/run.ts': `import { Runtime, renderForModel } from '@toolgen/runtime'
import { advertisedSpecs, registerDesk } from '../gen/agents/desk/index.js'
import { registerPlain } from '../gen/agents/plain/index.js'
import { newListCall } from '../gen/toolsets/orders/index.js'

const items = Array.from({ length: 100 }, (_, index) => ({ id: 'A-' + index }))
const list = async () => ({ items })
const runtime = new Runtime()
const plain = registerPlain(runtime, { toolsets: { orders: { client: { list, all: list } } } })
const desk = registerDesk(runtime, {
  toolsets: { orders: { client: { list, all: list } }, returns: { executor: { execute: list } } },
})
const whole = await plain.execute(newListCall({ customerId: 'C-1' }, { toolCallId: 'call_1' }))
const shown = async (agent: typeof plain | typeof desk, tool: string, args: object = {}) => {
  const call = { tool, arguments: JSON.stringify({ customerId: 'C-1', ...args }), toolCallId: 'call_' + tool }
  return JSON.parse(renderForModel(await agent.execute(call, { sessionId: 's-1' })))
}
console.log(
  JSON.stringify({
    whole: whole.status === 'completed' && whole.result.data.items.length,
    specs: desk.specs.map(({ toolName, maxResult }) => [toolName, maxResult]),
    advertised: advertisedSpecs().map(({ toolName, maxResult }) => [toolName, maxResult]),
    plain: await shown(plain, 'orders_list', { limit: 50, offset: 20 }),
    all: await shown(plain, 'orders_all'),
    desk: await shown(desk, 'orders_list'),
    bytes: await shown(desk, 'orders_all'),
    returns: await shown(desk, 'returns_list'),
  }),
)
`,
}

describe('maxResult in a design', () => {
  let project: Project
  beforeAll(() => {
    project = createProject(smallProject)
    project.write(files)
    for (const name of ['support', 'fields']) project.write({ [`design/${name}.ts`]: undefined })
  })
  afterAll(() => project.remove())

  it('is part of generated specs and uses, of the lock, of inspect and of the docs', () => {
    const { code, stderr } = project.toolgen('generate')
    expect([stderr, code]).toEqual([expect.any(String), 0])
    expect(project.tsc('-p', '.')).toMatchObject({ stdout: '', code: 0 })
    const specs = project.read('gen/toolsets/orders/specs.ts')
    expect(specs).toContain("\n  maxResult: { items: 5 },\n  paging: { limit: 'limit', offset: 'offset' },\n")
    expect(project.read('gen/agents/desk/specs.ts')).toContain('maxResult: { items: 4 }')
    const lock = JSON.parse(project.read('gen/toolgen.lock.json'))
    expect(lock.toolsets.orders.tools.list.about.maxResult).toEqual({ items: 5 })
    expect(lock.agents.desk.about).toMatchObject({
      maxResult: { items: 4 },
      maxResults: { orders: { items: 3 }, 'orders.all': { bytes: 500 } },
    })
    const [orders] = JSON.parse(project.toolgen('inspect', '--json').stdout).toolsets
    expect(orders.tools[0]).toMatchObject({ maxResult: { items: 5 }, paging: { limit: 'limit', offset: 'offset' } })
    expect(project.toolgen('docs').stdout).toContain('Models read at most 5 items of each array of its result at once.')
  })

  it('shortens results for models, with the arguments of the next page; code reads the whole result', () => {
    const compiled = project.tsc('-p', '.', '--noEmit', 'false', '--outDir', 'dist')
    expect([compiled.stdout, compiled.code]).toEqual(['', 0])
    const { stdout, stderr } = project.node(['dist/src/run.js'])
    expect(stderr).toBe('')
    const printed = JSON.parse(stdout)
    const own = [
      ['orders_list', { items: 3 }],
      ['orders_all', { bytes: 500 }],
      ['returns_list', { items: 4 }],
      ['returns_all', { items: 4 }],
    ]
    expect(printed.specs).toEqual([...own, ['read_result', null]])
    expect(printed.advertised).toEqual(own)
    expect(printed.whole).toBe(100)
    expect(printed.plain).toMatchObject({
      cut: [{ pointer: '/items', shown: 5, total: 100, unit: 'items' }],
      more: [
        { tool: 'read_result', arguments: { id: 'call_orders_list', pointer: '/items', offset: 5 } },
        { tool: 'orders_list', arguments: { customerId: 'C-1', limit: 5, offset: 25 } },
      ],
    })
    expect(printed.all).toEqual({ items: expect.any(Array) })
    expect(printed.desk.cut).toMatchObject([{ shown: 3 }])
    expect(printed.desk.more[1].arguments).toEqual({ customerId: 'C-1', limit: 3, offset: 3 })
    expect(JSON.stringify(printed.bytes).length).toBeLessThanOrEqual(500)
    expect(printed.returns.cut).toMatchObject([{ shown: 4 }])
  })

  it('is a visible change for diff', () => {
    project.write({ 'was.lock.json': project.read('gen/toolgen.lock.json') })
    const before = files['design/orders.ts'] ?? ''
    project.write({ 'design/orders.ts': before.replace('{ items: 5 }', '{ tokens: 900 }') })
    expect(project.toolgen('generate').code).toBe(0)
    const changed = project.toolgen('diff', 'was.lock.json', '--verbose', '--json')
    expect(changed.stdout).toContain('tool-max-result-changed')
    expect(changed.code).toBe(0)
    project.write({ 'design/orders.ts': before })
  })
})

it.each([
  ['maxResult: { items: -1 }', '`items` is -1; expected an integer from 1 to 1000000000.', 'Correct or omit the value'],
  ['maxResult: { tokens: 20 }', '`tokens` is 20; expected an integer from 200 to', 'Correct or omit the value'],
  ['maxResult: { tokens: 900, items: 5 }', 'has 2 units: tokens, items.', 'Keep one of them'],
  ['maxResult: { token: 900 }', 'unknown property "token"', 'Did you mean "tokens"?'],
  ['maxResult: {}', 'has no unit.', 'Write one of { tokens: 2000 }, { bytes: 8000 } and { items: 20 }'],
  ['maxResult: 20', 'expected an object, got a number.', 'Write one of { tokens: 2000 }'],
])('the design error of %s names the place and the fix', (written, message, next) => {
  const made = projectWith({ 'design/orders.ts': toolset('orders', `${written},`) })
  try {
    fails(made, { exit: 3, code: 'TG2001', location: 'design/orders.ts:5', message, next })
  } finally {
    made.remove()
  }
})

it('lint reports a long array unless each agent that uses the tool limits it', () => {
  const agent = (more: string): string => `import { defineAgent, fromExecutor } from '@toolgen/dsl'
import { returns } from './returns.js'
export const one = defineAgent('one', { description: 'Finds returns.', maxResult: { items: 5 }, uses: [fromExecutor(returns)] })
export const two = defineAgent('two', { description: 'Finds returns too.', uses: [fromExecutor(returns${more})] })
`
  const list = toolset('returns')
    .replace(/ {10}(limit|offset): .*\n/g, '')
    .replace('    list: ', '    listReturns: ')
  const made = projectWith({ 'design/returns.ts': list, 'design/agents.ts': agent('') })
  try {
    const found = (): string => {
      const { stdout, stderr } = made.toolgen('lint', '--rule', 'unbounded-list')
      expect(stderr).not.toContain('error TG')
      return stdout + stderr
    }
    expect(found()).toContain('`returns.listReturns` returns an array of any length')
    made.write({ 'design/agents.ts': agent(', { maxResult: { items: 5 } }') })
    expect(found()).not.toContain('returns.listReturns')
  } finally {
    made.remove()
  }
})
