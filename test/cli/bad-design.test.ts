import { afterEach, describe, expect, it } from 'vitest'
import { type Expected, empty, fails, projectWith, tool, toolset } from './bad-input.fixture.js'
import { type Project, smallProject } from './project.fixture.js'

// Every test starts the command, which reads types; a busy machine needs its time.
let project: Project | undefined
afterEach(() => project?.remove())

function failsWith(files: Readonly<Record<string, string | undefined>>, expected: Expected): void {
  project = projectWith(files)
  fails(project, expected)
}

describe('the design', () => {
  it('throws', () => {
    failsWith(
      { 'design/orders.ts': `\n\nthrow new Error('no orders')\n` },
      {
        exit: 3,
        code: 'TG2001',
        location: 'design/orders.ts:3',
        message: 'no orders',
        next: 'Correct the design',
      },
    )
  })

  it('throws an error that nobody can read', () => {
    const hostile = `const hidden = { get() { throw new Error('hidden') } }
throw Object.defineProperties(new Error('x'), { stack: hidden, message: hidden })
`
    failsWith(
      { 'design/orders.ts': hostile },
      {
        exit: 3,
        code: 'TG2001',
        location: 'design/orders.ts:1',
        message: 'cannot be read',
        next: 'Correct the design',
      },
    )
  })

  it('has a syntax error', () => {
    failsWith(
      { 'design/orders.ts': `export const orders = {\n  a: ]\n}\n` },
      {
        exit: 3,
        code: 'TG2002',
        location: 'design/orders.ts:2',
        message: '',
        next: 'Correct the syntax',
      },
    )
  })

  it('misspells a function of zod', () => {
    failsWith(
      { 'design/orders.ts': "import { z } from 'zod'\nexport const total = z.numbr()\n" },
      {
        exit: 3,
        code: 'TG2001',
        location: 'design/orders.ts:2',
        message: ' z.numbr is not a function',
        next: 'Did you mean `z.number`?',
      },
    )
  })

  it('imports what is not there', () => {
    failsWith(
      { 'design/fields.ts': undefined },
      {
        exit: 3,
        code: 'TG2003',
        location: 'design/orders.ts:2',
        message: 'fields.js',
        next: 'Correct the import',
      },
    )
  })

  it('uses tools that are not imported yet', () => {
    const support = "import { files } from './files.mcp.js'\nexport { files }\n"
    failsWith(
      { 'design/support.ts': support },
      {
        exit: 3,
        code: 'TG2003',
        location: 'design/support.ts:1',
        message: 'files.mcp.js',
        next: 'Import the tools first: `npm run import` if package.json has this script, otherwise `toolgen import mcp files ...`.',
      },
    )
  })

  it('imports a module beside one of a similar name', () => {
    const support = smallProject['design/support.ts']?.replace('./orders.js', './order.js')
    failsWith(
      { 'design/support.ts': support },
      {
        exit: 3,
        code: 'TG2003',
        location: 'design/support.ts:3',
        message: './order.js',
        next: 'Did you mean `./orders.js`?',
      },
    )
  })

  it('has a definition that the DSL refuses: its advice is what to do', () => {
    const orders = smallProject['design/orders.ts']?.replace('tools: {', "lint: { 'boolean-trap': '' },\n  tools: {")
    failsWith(
      { 'design/orders.ts': orders },
      {
        exit: 3,
        code: 'TG2001',
        location: 'design/orders.ts:4',
        message: 'lint["boolean-trap"]: is empty.',
        next: 'do: Write the reason why the rule is ignored here.',
      },
    )
  })

  it('defect 16d: has modules that import each other', () => {
    const orders = smallProject['design/orders.ts'] ?? ''
    const support = smallProject['design/support.ts'] ?? ''
    failsWith(
      {
        'design/orders.ts': `import { topic } from './topics.js'\n${orders.replace("'Look up orders.'", 'topic')}`,
        'design/topics.ts': "import { support } from './support.js'\nexport const topic = support.name\n",
        'design/support.ts': support,
      },
      {
        exit: 3,
        code: 'TG2001',
        location: 'design/topics.ts:2',
        message:
          'Modules import each other in a cycle (`design/topics.ts` → `design/support.ts` → `design/orders.ts` → `design/topics.ts`)',
        next: 'do: Move the shared code to a new module',
      },
    )
  })

  it('defect 16e: has an error that two agents share: it is counted as it is shown', () => {
    const support = (smallProject['design/support.ts'] ?? '')
      .replace(
        'export const',
        "const use = fromService(orders, ordersClient, { tools: { getOrder: { method: 'find' as 'getOrder' } } })\nexport const other = defineAgent('other', { description: 'Answers others.', uses: [use] })\nexport const",
      )
      .replace('[fromService(orders, ordersClient)]', '[use]')
    const made = projectWith({ 'design/support.ts': support })
    project = made
    for (const command of ['generate', 'check']) {
      const { stderr } = made.toolgen(command)
      expect(stderr.match(/error TG4005/g)).toHaveLength(1)
      expect(stderr).toMatch(/\n1 error; /)
    }
  })

  it.each([
    ['region.toUpperCase()', 4],
    ['process.env.SHOP_REGION.toUpperCase()', 4],
    ['process.env.SHOP_REGION\n    .toUpperCase()', 5],
    ['new URL(process.env.SHOP_REGION).host', 4],
  ])('defect 16g: reads an environment variable that is not set: %s', (description, line) => {
    failsWith(
      {
        'design/fields.ts': `// The orders of a region.
const region: any = process.env['SHOP_REGION']
export const orderId = {
  type: 'string', description: ${description},
} as const
void region
`,
      },
      {
        exit: 3,
        code: 'TG2001',
        location: `design/fields.ts:${line}`,
        message: '`process.env.SHOP_REGION` is not set.',
        next: "do: Set `SHOP_REGION` in the environment of toolgen, or write a default: `process.env.SHOP_REGION ?? '...'`.",
      },
    )
  })

  it('defect 16g: does not blame a variable or a circle that have nothing to do with the error', () => {
    const fields = smallProject['design/fields.ts'] ?? ''
    failsWith(
      {
        'design/fields.ts': `import { orders } from './orders.js'\n${fields}export const name = () => orders.name\n`,
        'design/orders.ts': `const debug = process.env.SHOP_DEBUG\n${smallProject['design/orders.ts']?.replace("description: 'Look up orders.',", '')}export const isDebug = debug\n`,
      },
      {
        exit: 3,
        code: 'TG2001',
        location: 'design/orders.ts:5',
        message: '"description" is missing.\n',
        next: 'do: Add it to the definition.',
      },
    )
  })

  it.each([
    ['a name in braces', 'const { SHOP_REGION } = process.env', 'SHOP_REGION'],
    ['a name in braces under another one', 'const { SHOP_REGION: region } = process.env', 'region'],
  ])('defect 16g: reads an environment variable that is not set: %s', (_, declaration, name) => {
    const orders = smallProject['design/orders.ts'] ?? ''
    failsWith(
      { 'design/orders.ts': `${declaration}\n${orders.replace("'Look up orders.'", `(${name} as string).trim()`)}` },
      {
        exit: 3,
        code: 'TG2001',
        location: 'design/orders.ts:6',
        message: '`process.env.SHOP_REGION` is not set.',
        next: 'do: Set `SHOP_REGION` in the environment of toolgen',
      },
    )
  })

  it('imports a name that its module does not export', () => {
    const support = smallProject['design/support.ts']?.replaceAll('ordersClient', 'orderClient')
    failsWith(
      { 'design/support.ts': support },
      {
        exit: 3,
        code: 'TG2001',
        location: 'design/support.ts:7',
        message: 'expected a service client, got undefined',
        next: 'check that the module exports this name',
      },
    )
  })

  it('exports nothing', () => {
    const files = Object.keys(smallProject).filter((path) => path.startsWith('design/'))
    const none = Object.fromEntries(files.map((path) => [path, undefined]))
    failsWith(
      { ...none, 'design/empty.ts': 'export const answer = 42\n' },
      {
        exit: 3,
        code: 'TG2004',
        location: 'design/empty.ts:1',
        message: 'exports no toolset',
        next: 'defineToolset',
      },
    )
  })

  it('never ends', () => {
    failsWith(
      { 'design/orders.ts': `await new Promise(() => {})\n` },
      {
        exit: 3,
        code: 'TG0004',
        message: 'did not finish',
        inProcess: true,
        next: 'no top-level await',
      },
    )
  })

  it('ends the process', () => {
    failsWith(
      { 'design/orders.ts': `process.exit(0)\n` },
      {
        exit: 3,
        code: 'TG0004',
        message: 'ends the process',
        inProcess: true,
        next: 'no process.exit',
      },
    )
  })

  it('fails in the background', () => {
    failsWith(
      {
        'design/fields.ts': `setTimeout(() => { throw new Error('late') }, 0)\nexport const orderId = {}\nawait new Promise((done) => setTimeout(done, 50))\n`,
      },
      {
        exit: 3,
        code: 'TG0005',
        message: 'late',
        inProcess: true,
        next: 'no timers',
      },
    )
  })

  it('has two toolsets of one name', () => {
    failsWith(
      { 'design/more.ts': toolset(tool(empty)) },
      {
        exit: 3,
        code: 'TG2010',
        location: 'design/orders.ts:4',
        message: 'Two toolsets are named `orders`',
        next: 'Rename one',
      },
    )
  })

  it('gives two tools one tool name', () => {
    const twice = `${tool(empty)}, ${tool(empty).replace('getOrder', 'other').replace('payload', "toolName: 'orders_getOrder', payload")}`
    failsWith(
      { 'design/orders.ts': toolset(twice) },
      {
        exit: 3,
        code: 'TG2021',
        location: 'design/support.ts:7',
        message: 'orders_getOrder',
        next: 'Rename one',
      },
    )
  })

  it('gives a tool a tool name that models refuse', () => {
    failsWith(
      { 'design/orders.ts': toolset(tool(empty).replace('payload', "toolName: 'get order', payload")) },
      {
        exit: 3,
        code: 'TG2020',
        location: 'design/orders.ts:2',
        message: 'get order',
        next: '',
      },
    )
  })

  it('uses a schema feature that cannot be generated', () => {
    const dynamic = `{ type: 'object', properties: { a: { $dynamicRef: '#node' } } }`
    failsWith(
      { 'design/orders.ts': toolset(tool(dynamic)) },
      {
        exit: 3,
        code: 'TG3012',
        location: 'design/orders.ts:2',
        message: '$dynamicRef',
        next: '',
      },
    )
  })

  it('has a schema that is unexpectedly empty', () => {
    failsWith(
      { 'design/orders.ts': toolset(tool('{}')) },
      {
        exit: 3,
        code: 'TG3003',
        location: 'design/orders.ts:2',
        message: 'empty',
        next: '',
      },
    )
  })
})
