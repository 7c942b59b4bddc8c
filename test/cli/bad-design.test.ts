import { afterEach, describe, it } from 'vitest'
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
        place: 'design/orders.ts:3',
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
        place: 'design/orders.ts:1',
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
        place: 'design/orders.ts:2',
        message: '',
        next: 'Correct the syntax',
      },
    )
  })

  it('imports what is not there', () => {
    failsWith(
      { 'design/fields.ts': undefined },
      {
        exit: 3,
        code: 'TG2003',
        place: 'design/orders.ts:2',
        message: 'fields.js',
        next: 'Correct the import',
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
        place: 'design/support.ts:3',
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
        place: 'design/orders.ts:4',
        message: 'lint["boolean-trap"]: is empty.',
        next: 'do: Say why the rule does not count here.',
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
        place: 'design/support.ts:7',
        message: 'expected a client, got undefined',
        next: 'check that the module exports that name',
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
        place: 'design/empty.ts:1',
        message: 'exports no toolset',
        next: 'defineToolset',
      },
    )
  })

  it('never comes to its end', () => {
    failsWith(
      { 'design/orders.ts': `await new Promise(() => {})\n` },
      {
        exit: 3,
        code: 'TG0004',
        message: 'never came to its end',
        inProcess: true,
        next: 'no awaiting',
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
        place: 'design/orders.ts:4',
        message: 'Two toolsets are named `orders`',
        next: 'Rename one',
      },
    )
  })

  it('gives two tools one wire name', () => {
    const twice = `${tool(empty)}, ${tool(empty).replace('getOrder', 'other').replace('payload', "wireName: 'orders_getOrder', payload")}`
    failsWith(
      { 'design/orders.ts': toolset(twice) },
      {
        exit: 3,
        code: 'TG2021',
        place: 'design/support.ts:7',
        message: 'orders_getOrder',
        next: 'Rename one',
      },
    )
  })

  it('gives a tool a wire name that models refuse', () => {
    failsWith(
      { 'design/orders.ts': toolset(tool(empty).replace('payload', "wireName: 'get order', payload")) },
      {
        exit: 3,
        code: 'TG2020',
        place: 'design/orders.ts:2',
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
        place: 'design/orders.ts:2',
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
        place: 'design/orders.ts:2',
        message: 'empty',
        next: '',
      },
    )
  })
})
