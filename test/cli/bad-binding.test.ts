import { afterEach, describe, expect, it } from 'vitest'
import { type Expected, empty, fails, projectWith, tool } from './bad-input.fixture.js'
import { createProject, type Project, smallProject } from './project.fixture.js'

// Every test starts the command, which reads types; a busy machine needs its time.
let project: Project | undefined
afterEach(() => project?.remove())

function failsWith(files: Readonly<Record<string, string | undefined>>, expected: Expected): void {
  project = projectWith(files)
  fails(project, expected)
}

describe('a service client', () => {
  it('whose type cannot be resolved', () => {
    failsWith(
      { 'src/orders-client.ts': undefined },
      {
        exit: 3,
        code: 'TG4002',
        location: 'design/clients.ts:2',
        message: 'orders-client',
        next: 'Correct the import',
      },
    )
  })

  it('with a syntax error in its module', () => {
    const client = smallProject['src/orders-client.ts'] ?? ''
    const line = client.split('\n').findIndex((text) => text.includes('getOrder(')) + 1
    failsWith(
      { 'src/orders-client.ts': client.replace(/(getOrder\([^)]*)\)/, '$1') },
      {
        exit: 3,
        code: 'TG4012',
        location: `src/orders-client.ts:${line}`,
        message: 'expected',
        next: 'Correct the syntax',
      },
    )
  })

  it('with a type that the compiler does not find, which the message names', () => {
    const client = smallProject['src/orders-client.ts'] ?? ''
    failsWith(
      { 'src/orders-client.ts': client.replace('orderId: string', 'orderId: OrderNumbr') },
      {
        exit: 3,
        code: 'TG4003',
        location: 'design/support.ts:7',
        message: 'The type `OrderNumbr` of',
        next: 'resolve',
      },
    )
  })

  it('that lacks the method, with near names', () => {
    const client = smallProject['src/orders-client.ts'] ?? ''
    failsWith(
      { 'src/orders-client.ts': client.replace('getOrder', 'getOrders') },
      {
        exit: 3,
        code: 'TG4005',
        location: 'design/support.ts:7',
        message: 'getOrder',
        next: 'getOrders',
      },
    )
  })

  it('with a required field that nothing fills, is a note that names it, and the code then asks for a mapper', () => {
    const made = createProject(smallProject)
    project = made
    const client = smallProject['src/orders-client.ts'] ?? ''
    made.write({ 'src/orders-client.ts': client.replace('orderId: string', 'orderId: string; tenant: string') })
    const ran = made.toolgen('generate')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/note TG41\d\d/)
    expect(ran.stderr).toContain('tenant')
    expect(ran.stderr).toContain('do: ')
    expect(made.read('gen/agents/support/orders.service.ts')).toMatch(/readonly mappers: \{/)
    expect(made.toolgen('inspect').stdout).toMatch(/orders_getOrder +ordersClient\.getOrder +payload mapper\n/)

    // The run that wrote tells the note; later it is counted, except for who asks.
    const again = made.toolgen('generate').stderr
    expect(again).toMatch(/^1 note \(toolgen generate --verbose shows it\)\nup to date: /)
    expect(made.toolgen('generate', '--verbose').stderr).toMatch(/^.*note TG41\d\d[\s\S]*up to date/)
    expect(made.toolgen('check').stderr).toMatch(/^1 note \(toolgen check --verbose shows it\)\nin sync/)
    expect(JSON.parse(made.toolgen('check', '--json').stdout).diagnostics).toMatchObject([{ severity: 'note' }])
  })
})

/** Generates the small project with another client, and another use or payload: what people read of its one tool. */
function generated(
  method: string,
  options: {
    readonly use?: string
    readonly properties?: string
    readonly types?: string
    readonly result?: string
  } = {},
): { readonly shown: string; readonly executor: string } {
  const { use = '{}', properties = 'orderId', types = '', result } = options
  const made = createProject(smallProject)
  project = made
  const orders = smallProject['design/orders.ts'] ?? ''
  made.write({
    'src/orders-client.ts': `${types}\nexport interface OrdersClient {\n  ${method}\n}\n`,
    'design/support.ts': (smallProject['design/support.ts'] ?? '').replace(
      'fromService(orders, ordersClient)',
      `fromService(orders, ordersClient, { tools: { getOrder: ${use} } })`,
    ),
    'design/orders.ts': orders
      .replace("properties: { orderId }, required: ['orderId']", `properties: { ${properties} }`)
      .replace(/(result: \{\n)[\s\S]*?(\n {6}\},)/, (all) => (result === undefined ? all : `result: ${result},`)),
  })
  const ran = made.toolgen('generate')
  return { shown: ran.stderr, executor: ran.code === 0 ? made.read('gen/agents/support/orders.service.ts') : '' }
}

const answer = 'Promise<{ id: string; status: string }>'

describe('the advice about a binding', () => {
  it('defect 16a: proposes no constant for a parameter that takes any string', () => {
    const { shown } = generated(`getOrder(input: { customer: string; orderId?: string }): ${answer}`)
    expect(shown).toContain('TG4101')
    expect(shown).toContain('do: Add a field `customer` to the payload of the tool, or pass the mapper')
    expect(shown).not.toContain('constants')
  })

  it('defect 16a: proposes a constant, with its value, where few values are possible', () => {
    const { shown } = generated(`getOrder(input: { mode: 'full' | 'short'; orderId?: string }): ${answer}`)
    expect(shown).toContain("set it with `tools: { getOrder: { constants: { mode: 'full' } } }`")
  })

  it('defect 16b: says the whole rename', () => {
    const method = `getOrder(id: string): ${answer}`
    const { shown } = generated(method)
    expect(shown).toContain(
      "do: Add `tools: { getOrder: { rename: { orderId: 'id' } } }` to `fromService`, or pass the mapper",
    )
    expect(shown).toMatch(/\nrequired in your program: 1 mapper, `toolsets\.orders\.mappers\.getOrder\.payload`\n$/)
    expect(project?.toolgen('generate').stderr).toMatch(
      /^1 note .*\nup to date: .*\nrequired in your program: 1 mapper, `toolsets\.orders\.mappers\.getOrder\.payload`\n$/,
    )
    project?.remove()
    const fixed = generated(method, { use: "{ method: 'getOrder', rename: { orderId: 'id' } }" })
    expect(fixed.shown).toContain('TG4102: `getOrder`: The payload needs a mapper: `orderId` is optional in the tool')
  })

  it('defect 16c: names the type that differs, not the index signature of the parameter', () => {
    const { shown, executor } = generated(`getOrder(filter?: Filter): ${answer}`, {
      types:
        'declare class ObjectId { toHexString(): string }\nexport interface Filter { _id?: ObjectId; [name: string]: any }',
      properties: "filter: { type: 'object', properties: { _id: { type: 'string' } }, additionalProperties: false }",
    })
    expect(shown).toContain('note TG4103')
    expect(shown).toContain('`filter._id` is string, but the method expects ObjectId')
    expect(shown).not.toContain('TG4302')
    expect(executor).toContain('readonly payload: Mapper<')
  })

  it('defect 16c: warns of a field that only an index signature accepts, and names the type that has it', () => {
    const { shown } = generated(`getOrder(input: Query): ${answer}`, {
      types: 'export interface Query { order?: string; [name: string]: unknown }',
    })
    expect(shown).toContain(
      'warning TG4302: `getOrder`: In the payload, `orderId` is not a declared field of Query; only its index signature accepts it.',
    )
    expect(shown).toContain(
      "do: If you mean `order`, add `tools: { getOrder: { rename: { orderId: 'order' } } }` to `fromService`",
    )
  })

  it('defect 16f: keeps what the design says of the result where it adds to it', () => {
    const method = 'getOrder(input: { orderId?: string }): Promise<{ data: { id: string; status?: string } }>'
    const use = "{ method: 'getOrder', result: { from: 'data' } }"
    expect(generated(method, { use }).shown).toContain(
      "do: Add `tools: { getOrder: { result: { from: 'data', checked: true } } }` to `fromService`",
    )
    project?.remove()
    const both = generated(method, { use: use.replace("'data'", "'data', checked: true") })
    expect(both.shown).toMatch(/^generated/)
    expect(both.executor).toContain('value.data')
  })

  it('defect 16i: stands in the generated code, above the mapper that is required', () => {
    const { executor } = generated(`getOrder(input: { customer: string; orderId?: string }): ${answer}`)
    expect(
      executor,
    ).toContain(`      /** A mapper is required: no payload field fills the required method field \`customer: string\` (TG4101). */
      readonly payload: Mapper<`)
  })

  it('defect 10d: does not keep the other tools from being generated', () => {
    const { shown, executor } = generated(
      'getOrder<Key extends keyof Doc>(orderId: Key): Promise<Flatten<Doc[Key]>[]>',
      {
        types:
          'type Flatten<Type> = Type extends ReadonlyArray<infer Item> ? Item : Type\ninterface Doc { name: string; tags?: string[] }',
        properties: "orderId: { enum: ['name', 'tags'] }",
        result: "{ type: 'array', items: { type: 'string' } }",
      },
    )
    expect(shown).toContain('note TG4216')
    expect(shown).not.toContain('TG9000')
    expect(executor).toContain('readonly result: Mapper<')
    expect(project?.tsc('-p', '.').stdout).toBe('')
  })
})

describe('names', () => {
  it('that are reserved or hostile never leave the output folder or the language', () => {
    const names = ['__proto__', 'constructor', 'class', '../../evil', 'a b', '1st', '*/ alert()', 'a\u2028b', 'Ünï']
    const tools = names.map((name) => tool(empty).replace('getOrder', `[${JSON.stringify(name)}]`)).join(',\n')
    const made = createProject(smallProject)
    project = made
    const sets = names.map((name, index) => {
      const text = `defineToolset(${JSON.stringify(name)}, { description: 'D.', tools: { ${tools} } })`
      return `export const toolset${index} = ${text}`
    })
    const head = `import { defineTool, defineToolset } from '@toolgen/dsl'\n`
    made.write({ 'design/hostile.ts': `${head}${sets.join('\n')}\n` })
    const before = Object.keys(made.tree())
    const ran = made.toolgen('generate')
    expect(ran.stderr).toContain('generated')
    expect(ran.code).toBe(0)
    const added = Object.keys(made.tree()).filter((path) => !before.includes(path))
    expect(added.length).toBeGreaterThan(names.length * 5)
    expect(added.filter((path) => !/^gen\/[\w./\u0080-\uffff-]+$/.test(path))).toEqual([])
    expect(made.toolgen('generate').stderr).toContain('up to date')
    expect(made.tsc('-p', '.').stdout).toBe('')
  })
})
