import { afterEach, describe, expect, it } from 'vitest'
import { compileDesign } from '../ir/compile-design.js'
import { loadConfig } from './config.js'
import { type DesignProject, designProject } from './design-project.fixture.js'
import { createDesignMemory, type DesignMemory, loadDesign } from './load-design.js'

const projects: DesignProject[] = []

afterEach(() => {
  for (const project of projects.splice(0)) project.remove()
})

function project(files: Readonly<Record<string, string>>): DesignProject {
  const made = designProject({ 'toolgen.config.ts': "export default { design: 'design/**/*.ts' }", ...files })
  projects.push(made)
  return made
}

async function load(from: DesignProject, memory?: DesignMemory) {
  const { value: config, diagnostics } = await loadConfig({ cwd: from.root })
  if (config === undefined) throw new Error(JSON.stringify(diagnostics))
  return loadDesign(config, memory)
}

async function diagnose(files: Readonly<Record<string, string>>) {
  return (await load(project(files))).diagnostics
}

const clients = `import { serviceClient } from '@toolgen/dsl'
export const ordersClient = serviceClient<{ getOrder(): void }>()
`
const orders = `import { z } from 'zod'
import { defineTool, defineToolset } from '@toolgen/dsl'

const getOrder = defineTool({
  description: 'Fetch one order.',
  payload: z.object({ orderId: z.string(), when: z.nan() }),
  result: z.object({ id: z.string() }).describe('The order'),
})

export const orders = defineToolset('orders', {
  description: 'Orders.',
  tools: {
    getOrder,
    'list-orders': defineTool({
      description: '',
      payload: { type: 'object', properties: { limit: { type: 'intger' } } },
      result: { type: 'array' },
    }),
  },
})
`
const support = `import { defineAgent, fromService } from '@toolgen/dsl'
import { ordersClient } from './clients.js'
import { orders } from './orders.js'

export const support = defineAgent('support', {
  description: 'Helps.',
  uses: [fromService(orders, ordersClient, { only: ['getOrder', 'nope'] })],
})
`

describe('a design', () => {
  it('is collected from the exports of its modules', async () => {
    const { value } = await load(
      project({ 'design/clients.ts': clients, 'design/orders.ts': orders, 'design/support.ts': support }),
    )
    expect(value?.toolsets.map(({ name }) => name)).toEqual(['orders'])
    expect(value?.agents.map(({ name }) => name)).toEqual(['support'])
    expect([...(value?.clients.values() ?? [])]).toEqual([{ module: 'design/clients.ts', path: ['ordersClient'] }])
    expect(value?.closure).toEqual(['design/clients.ts', 'design/orders.ts', 'design/support.ts'])
  })

  it('counts what is exported twice once, and takes a client from the module that makes it', async () => {
    const { value } = await load(
      project({
        'design/a.ts':
          "export * from './orders.js'\nexport { ordersClient as aaa } from '../src/clients.js'\nexport default {}\n",
        'design/orders.ts': orders,
        'design/z.ts': "import { orders } from './orders.js'\nexport const again = { orders, deep: { orders } }\n",
        'src/clients.ts': clients,
      }),
    )
    expect(value?.toolsets).toHaveLength(1)
    expect([...(value?.clients.values() ?? [])]).toEqual([{ module: 'src/clients.ts', path: ['ordersClient'] }])
  })

  it('finds clients in groups and toolsets that only agents know', async () => {
    const { value } = await load(
      project({
        'design/one.ts': `import { defineAgent, defineToolset, fromService, serviceClient } from '@toolgen/dsl'
export const refs = { shop: { orders: serviceClient() } }
const hidden = defineToolset('hidden', { description: 'x', tools: {} })
export default defineAgent('a', { uses: [fromService(hidden, refs.shop.orders)] })
`,
      }),
    )
    expect(value?.toolsets.map(({ name }) => name)).toEqual(['hidden'])
    expect(value?.agents.map(({ name }) => name)).toEqual(['a'])
    expect([...(value?.clients.values() ?? [])]).toEqual([
      { module: 'design/one.ts', path: ['refs', 'shop', 'orders'] },
    ])
  })

  it('finds the places inside uses of other agents and inside exports', async () => {
    const { value } = await load(
      project({
        'design/investigation.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
export const investigation = defineToolset('investigation', {
  description: 'Finds out.',
  tools: { investigate: defineTool({ description: 'Find out.', payload: { type: 'object', properties: { id: { type: 'string' } } }, result: true }) },
})
`,
        'design/agents.ts': `import { defineAgent, exportToolset, fromAgent } from '@toolgen/dsl'
import { investigation } from './investigation.js'

const served = exportToolset(investigation, {
  tools: {
    investigate: { template: 'On {{topic}}', text: 'On it' },
  },
})
export const research = defineAgent('research', { description: 'x', exports: [served] })
export const support = defineAgent('support', {
  description: 'x',
  uses: [fromAgent(investigation, { only: ['investigat'] })],
})
`,
      }),
    )
    if (value === undefined) return expect.fail('The design cannot be loaded.')
    expect(value.toolsets.map(({ name }) => name)).toEqual(['investigation'])
    const found = compileDesign(value).diagnostics.map(
      ({ code, location }) => `${code} ${location?.file}:${location?.line}:${location?.column}`,
    )
    expect(found).toEqual([
      'TG2041 design/agents.ts:6:34',
      'TG2073 design/agents.ts:6:20',
      'TG2022 design/agents.ts:12:44',
    ])
  })

  it('sees edits, in modules and in JSON, when it is loaded again in one process', async () => {
    const made = project({
      'design/one.ts':
        "import { defineToolset } from '@toolgen/dsl'\nimport data from './data.json'\nexport const t = defineToolset(data.name, { tools: {} })\n",
      'design/data.json': '{ "name": "first" }',
    })
    expect((await load(made)).value?.toolsets[0]?.name).toBe('first')
    made.write({ 'design/data.json': '{ "name": "second" }' })
    const again = await load(made)
    expect(again.value?.toolsets[0]?.name).toBe('second')
    expect(again.value?.closure).toEqual(['design/data.json', 'design/one.ts'])
  })

  it('may be JavaScript, await, and use path aliases', async () => {
    const { value } = await load(
      project({
        'toolgen.config.ts': "export default { design: ['design/*.mjs', 'design/*.ts'] }",
        'tsconfig.json': '{ "compilerOptions": { "paths": { "#names": ["./src/names.ts"] } } }',
        'src/names.ts': "export const name: string = await Promise.resolve('aliased')\n",
        'design/a.ts':
          "import { defineToolset } from '@toolgen/dsl'\nimport { name } from '#names'\nexport const a = defineToolset(name, { tools: {} })\n",
        'design/b.mjs':
          "import { defineToolset } from '@toolgen/dsl'\nexport const b = defineToolset('plain', { tools: {} })\n",
      }),
    )
    expect(value?.toolsets.map(({ name }) => name)).toEqual(['aliased', 'plain'])
  })

  it('may import modules of every kind, in circles, and by default', async () => {
    const { value } = await load(
      project({
        'src/old.cjs': "exports.name = 'old'\n",
        'src/data.json': '{ "name": "json" }',
        'src/new.ts': "export default { name: 'new' }\nexport type T = string\nexport enum Level { Low = 'low' }\n",
        'design/a.ts': `import path, { basename } from 'node:path'
import { defineToolset } from '@toolgen/dsl'
import data from '../src/data.json'
import created, { Level, type T } from '../src/new.js'
import old, { name } from '../src/old.cjs'
import * as b from './b.js'
export const early: T = 'early'
const all = [old.name, name, data.name, created.name, Level.Low, typeof path.join, typeof basename, b.seen()]
export const t = defineToolset(all.join(' '), { tools: {} })
export { b }
export * from '../src/old.cjs'
`,
        'design/b.ts': `import { early } from './a.js'
import { defineToolset } from '@toolgen/dsl'
export const seen = () => typeof early
export const here = defineToolset(import.meta.url.slice(-4) + (await import('../src/new.js')).default.name, { tools: {} })
`,
      }),
    )
    expect(value?.toolsets.map(({ name }) => name)).toEqual([
      'old old json new low function function string',
      'b.tsnew',
    ])
  })

  it('has a place for values, entries and parts of texts', async () => {
    const design = `import { defineAgent, defineTool, defineToolset, fromService } from '@toolgen/dsl'
import { ordersClient } from './clients.js'
const none = { type: 'object', properties: {}, additionalProperties: false }
const get = defineTool({ description: 'x', payload: none, result: none, callHint: 'Get {{nope}} now', resultHint: 'a\\'{{no}}' })
const plain = defineTool({ description: 'x', payload: none, result: none })
export const orders = defineToolset('orders', { description: 'x', tools: { get, plain } })
export const support = defineAgent('support', {
  description: 'x',
  uses: [
    fromService(orders, ordersClient, { tools: { get: { method: 'fnd', rename: { a: 'b' } } } }),
  ],
})
`
    const { value } = await load(project({ 'design/clients.ts': clients, 'design/orders.ts': design }))
    if (value === undefined) throw new Error('The design was not loaded.')
    const lines = design.split('\n')
    const shown = (location: { line: number; column: number; length?: number }): string =>
      (lines[location.line - 1] ?? '').slice(location.column - 1, location.column - 1 + (location.length ?? 1))
    const { toolsets, agents, locations } = value
    const [[orders], [support]] = [toolsets, agents]
    if (orders === undefined || support === undefined) throw new Error('The design lacks a part.')
    const tools = ['uses', 0, 'tools', 'get']
    expect(shown(locations.locationOf(support, ...tools, 'method'))).toBe('method')
    expect(shown(locations.valueLocationOf(support, [...tools, 'method']))).toBe("'fnd'")
    expect(shown(locations.valueLocationOf(support, [...tools, 'rename', 'a']))).toBe("'b'")
    expect(shown(locations.valueLocationOf(support, [...tools, 'rename', 'c']))).toBe('rename')
    expect(shown(locations.locationOf(support, 'uses', 0))).toBe('fromService')
    const hint = (name: string, start: number, end: number) =>
      shown(locations.valueLocationOf(orders, ['tools', 'get', name], { start, end }))
    expect(hint('callHint', 4, 12)).toBe('{{nope}}')
    // An escape shifts what follows; the whole text is marked then.
    expect(hint('resultHint', 2, 8)).toBe("'a\\'{{no}}'")
    const { diagnostics } = compileDesign(value)
    expect(diagnostics.flatMap(({ location }) => (location === undefined ? [] : [shown(location)]))).toEqual([
      '{{nope}}',
      "'a\\'{{no}}'",
    ])
  })

  it('gives a tool that the use says nothing of the place of the use', async () => {
    const design = `import { defineAgent, defineTool, defineToolset, fromService } from '@toolgen/dsl'
import { ordersClient } from './clients.js'
const none = { type: 'object', properties: {}, additionalProperties: false }
const one = defineTool({ description: 'x', payload: none, result: none })
export const orders = defineToolset('orders', { description: 'x', tools: { one, two: one } })
export const support = defineAgent('support', {
  description: 'x',
  uses: [
    fromService(orders, ordersClient, {
      tools: { one: { method: 'getOrder' } },
    }),
  ],
})
`
    const { value } = await load(project({ 'design/clients.ts': clients, 'design/orders.ts': design }))
    const bound = value && compileDesign(value).value?.agents[0]?.uses[0]?.tools
    expect(bound?.map(({ tool, location }) => [tool, location.line])).toEqual([
      ['one', 10],
      ['two', 9],
    ])
  })

  it('gives the same IR each time it is evaluated', async () => {
    const made = project({
      'design/orders.ts': orders.replace(', when: z.nan()', '').replace('intger', 'integer').replace("''", "'x'"),
    })
    const compiled = async () => {
      const { value } = await load(made)
      return value === undefined ? undefined : JSON.stringify(compileDesign(value).value)
    }
    const first = await compiled()
    expect(first).toContain('"orders.getOrder"')
    expect(await compiled()).toBe(first)
  })
})

describe('a design that cannot be evaluated', () => {
  it('is reported at the line that threw, by its message alone', async () => {
    const thrower =
      'interface A {\n  a: string\n}\nexport const fail = (a?: A): never => {\n  throw new TypeError(`no ${a}\\nsecond line`)\n}\n'
    const diagnostics = await diagnose({
      'src/fail.ts': thrower,
      'design/one.ts': "import { fail } from '../src/fail.js'\nfail()\n",
    })
    expect(diagnostics).toMatchObject([
      {
        code: 'TG2001',
        location: { file: 'src/fail.ts', line: 5, column: 3 },
        message: expect.stringMatching(/: no undefined$/),
      },
    ])
    expect(JSON.stringify(diagnostics)).not.toMatch(/\bat |node_modules|tmp/)
  })

  it('is reported when what is thrown is no error', async () => {
    expect(await diagnose({ 'design/one.ts': 'throw undefined\n' })).toMatchObject([
      { code: 'TG2001', location: { file: 'design/one.ts' } },
    ])
  })

  it('is reported for a syntax error with its place', async () => {
    expect(await diagnose({ 'design/one.ts': 'export const x = 1\nexport const y = { a: ]\n' })).toMatchObject([
      { code: 'TG2002', location: { file: 'design/one.ts', line: 2 } },
    ])
  })

  it.each([
    ["import { x } from './missing.js'\nconsole.log(x)\n", './missing.js'],
    ["import { x } from 'not-installed'\nconsole.log(x)\n", 'not-installed'],
  ])('is reported for a missing import at the import', async (text, name) => {
    expect(await diagnose({ 'design/one.ts': `// first line\n${text}` })).toMatchObject([
      { code: 'TG2003', message: expect.stringContaining(name), location: { file: 'design/one.ts', line: 2 } },
    ])
  })

  it('is reported for every module', async () => {
    const diagnostics = await diagnose({
      'design/a.ts': "throw new Error('a')\n",
      'design/b.ts': "throw new Error('b')\n",
    })
    expect(diagnostics.map(({ location }) => location?.file)).toEqual(['design/a.ts', 'design/b.ts'])
  })

  it('is reported when it defines nothing', async () => {
    expect(await diagnose({ 'design/one.ts': 'export const x = 1\n' })).toMatchObject([{ code: 'TG2004' }])
  })
})

describe('places', () => {
  it('lead to what is wrong, through names, calls and modules', async () => {
    const { value } = await load(
      project({ 'design/clients.ts': clients, 'design/orders.ts': orders, 'design/support.ts': support }),
    )
    if (value === undefined) throw new Error('The design loads.')
    const found = compileDesign(value).diagnostics.map(
      ({ code, location }) => `${code} ${location?.file}:${location?.line}:${location?.column}`,
    )
    expect(found).toEqual([
      'TG3004 design/orders.ts:6:44',
      'TG3010 design/orders.ts:16:57',
      'TG2040 design/orders.ts:15:7',
      'TG2022 design/support.ts:7:65',
    ])
  })

  it('fall back to the nearest that the source spells out', async () => {
    const { value } = await load(
      project({
        'design/one.ts': `import { defineTool, defineToolset } from '@toolgen/dsl'
const made = (name) => ({ [name]: defineTool({ description: '' }) })
export const t = Object.freeze(defineToolset('t', { description: 'x', tools: { ...made('a'), ['b']: defineTool({}) } }))
`,
      }),
    )
    const [toolset] = value?.toolsets ?? []
    if (value === undefined || toolset === undefined) throw new Error('The design loads.')
    expect(value.locations.locationOf(toolset)).toEqual({ file: 'design/one.ts', line: 3, column: 32, length: 13 })
    expect(value.locations.locationOf(toolset, 'tools', 'a', 'description')).toMatchObject({ line: 3, column: 71 })
    expect(value.locations.locationOf(toolset, 'tools', 'b', 'description')).toMatchObject({ line: 3, column: 94 })
    expect(value.locations.locationOf({})).toEqual({ file: 'design/one.ts', line: 1, column: 1 })
  })
})

describe('the memory of earlier runs', () => {
  it.each([
    'list.push(1)',
    'list.push!(1)',
    '(list.push)(1)',
    'list.push.bind(list)(1)',
    'Array.prototype.push.call(list, 1)',
    'Reflect.apply(list.push, list, [1])',
    'for (list[list.length] of [1]) {}',
    'for (list[0] in { a: 1 }) {}',
  ])('is not used after a module that contains %s', async (statement) => {
    const files = {
      'design/orders.ts': `${clients}const list: any[] = []\nexport const filled = () => { ${statement} }\n`,
    }
    expect((await load(project(files), createDesignMemory())).repeatable).toBe('no')
  })

  it('is used after a module that only reads', async () => {
    const text = `${clients}const list = [1, 2]\nexport const more = list.map((one) => one + 1)\nexport const sum = () => { for (const one of list) more.at(one) }\n`
    expect((await load(project({ 'design/orders.ts': text }), createDesignMemory())).repeatable).toBe('yes')
  })

  it('does not change the line of an error in a module that was not edited', async () => {
    const helper = `import { z } from 'zod'\n\nexport function checked(name: string) {\n  if (name === '') throw new Error('no name')\n  return z.object({ [name]: z.string() })\n}\n`
    const using = (name: string): string =>
      `import { checked } from './helper.js'\n${clients}export const schema = checked('${name}')\n`
    const made = project({ 'design/helper.ts': helper, 'design/orders.ts': using('id') })
    const memory = createDesignMemory()
    await load(made, memory)
    made.write({ 'design/orders.ts': using('') })
    const { diagnostics } = await load(made, memory)
    expect(diagnostics).toMatchObject([{ code: 'TG2001', location: { file: 'design/helper.ts', line: 4 } }])
    expect(diagnostics).toEqual((await load(made)).diagnostics)
  })
})
