import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createProject, type Project, smallProject } from './project.fixture.js'

// Every test starts the command, which reads types; a busy machine needs its time.
vi.setConfig({ testTimeout: 120_000 })

let project: Project | undefined
afterEach(() => project?.remove())

interface Expected {
  readonly exit: number
  readonly code: string
  /** `file:line`, as printed before the message. */
  readonly place?: string
  /** A part of the message. */
  readonly message: string
  /** A part of the next step. */
  readonly next: string
  readonly command?: readonly string[]
}

/** Runs a command that must fail: with a diagnostic, no stack, and nothing changed on the disk. */
function failsWith(files: Readonly<Record<string, string | undefined>>, expected: Expected): void {
  const made = createProject({ ...smallProject })
  project = made
  made.write(files)
  fails(made, expected)
}

function fails(made: Project, { exit, code, place, message, next, command = ['generate'] }: Expected): void {
  const before = made.tree()
  const ran = made.toolgen(...command)
  const shown = ran.stderr
  expect(shown).toContain(code)
  expect(shown).toContain(message)
  expect(shown).toContain(next)
  if (place !== undefined) expect(shown).toContain(`${place}:`)
  expect(shown).not.toMatch(/^\s+at .*[:(]\d+/m)
  expect(shown).not.toContain('TG9')
  if (command.join() === 'generate')
    expect(shown).toMatch(/(^|\n)(\d+ errors?; nothing was written|error TG(?:000[45]|101[01])[\s\S]*)\n$/)
  expect(ran.code).toBe(exit)
  expect(ran.stdout).toBe('')
  expect(made.tree()).toEqual(before)
}

const toolset = (tools: string): string => `import { defineTool, defineToolset } from '@toolgen/dsl'
export const orders = defineToolset('orders', { description: 'Orders.', tools: { ${tools} } })
`

const tool = (payload: string): string =>
  `getOrder: defineTool({ description: 'Get.', payload: ${payload}, result: { type: 'object', properties: {} } })`

const empty = `{ type: 'object', properties: {} }`

describe('the configuration', () => {
  it('is missing', () => {
    failsWith(
      { 'toolgen.config.ts': undefined },
      {
        exit: 2,
        code: 'TG1001',
        message: 'no toolgen.config.ts',
        next: 'toolgen init',
      },
    )
  })

  it('is looked for in a folder that does not exist, or in a file', () => {
    for (const [folder, message] of [
      ['examples/nope', 'The folder `examples/nope` does not exist.'],
      ['package.json', '`package.json` is no folder.'],
    ] as const) {
      const command = ['generate', '--cwd', folder]
      failsWith({}, { exit: 2, code: 'TG0008', message, next: 'Correct --cwd', command })
      project?.remove()
    }
  })

  it('is named and missing', () => {
    const command = ['generate', '--config', 'other.ts']
    failsWith({}, { exit: 2, code: 'TG1001', message: 'other.ts', next: 'toolgen init', command })
  })

  it('throws', () => {
    failsWith(
      { 'toolgen.config.ts': `\nthrow new Error('no luck')\nexport default {}` },
      {
        exit: 2,
        code: 'TG1002',
        place: 'toolgen.config.ts:2',
        message: 'no luck',
        next: 'Correct the configuration',
      },
    )
  })

  it.each([
    ['process.exit(7)', 'TG1010', 'The configuration never came to its end'],
    ['await new Promise(() => {})', 'TG1010', 'The configuration never came to its end'],
    [
      `Promise.reject(new Error('bg'))\nexport default { design: 'design/*.ts' }`,
      'TG1011',
      'the configuration started',
    ],
    [
      `setTimeout(() => { throw new Error('bg') })\nawait new Promise((done) => setTimeout(done, 50))`,
      'TG1011',
      'the configuration started',
    ],
    [`export default { get design() { throw new Error('g') } }`, 'TG1002', 'g'],
    [`export default { design: 'design/*.ts', output: 'a\\\\..\\\\..\\\\b' }`, 'TG1007', 'is not a folder inside'],
    [`export default { design: 'design/*.ts', output: 'node_modules/x' }`, 'TG1007', 'lies in node_modules'],
    [`export default { design: 'design/*.ts', output: 'ge\\0n' }`, 'TG1005', 'NUL'],
  ])('is wrong usage and not an error of the design: %j', (text, code, message) => {
    failsWith({ 'toolgen.config.ts': text }, { exit: 2, code, message, next: 'do: ' })
  })

  it('has an unknown field', () => {
    failsWith(
      { 'toolgen.config.ts': `export default { design: 'design/*.ts', outptu: 'src' }` },
      {
        exit: 2,
        code: 'TG1004',
        place: 'toolgen.config.ts:1',
        message: 'outptu',
        next: 'Did you mean `output`?',
      },
    )
  })
})

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

describe('a service client', () => {
  it('whose type cannot be resolved', () => {
    failsWith(
      { 'src/orders-client.ts': undefined },
      {
        exit: 3,
        code: 'TG4002',
        place: 'design/clients.ts:2',
        message: 'orders-client',
        next: 'Correct the import',
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
        place: 'design/support.ts:7',
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

describe('the output folder', () => {
  it('is one of sources', () => {
    failsWith(
      { 'toolgen.config.ts': `export default { design: 'design/*.ts', output: 'src' }` },
      {
        exit: 2,
        code: 'TG5012',
        place: 'src:1',
        message: 'for example src/orders-client.ts',
        next: 'folder of its own',
      },
    )
  })

  it('is a file', () => {
    failsWith(
      { gen: 'mine' },
      { exit: 2, code: 'TG5003', place: 'gen:1', message: 'a file stands there', next: '`output`' },
    )
  })

  it('is a symbolic link', () => {
    const made = createProject(smallProject)
    project = made
    mkdirSync(join(made.root, 'elsewhere'))
    symlinkSync('elsewhere', join(made.root, 'gen'))
    fails(made, { exit: 2, code: 'TG5003', place: 'gen:1', message: 'a symbolic link stands there', next: 'output' })
  })

  it('lies below a file', () => {
    const config = `export default { design: 'design/*.ts', output: 'src/orders-client.ts/gen' }`
    failsWith(
      { 'toolgen.config.ts': config },
      {
        exit: 2,
        code: 'TG5004',
        message: 'not a folder',
        next: '`output`',
      },
    )
  })

  it('cannot be written', () => {
    // A folder below which the operating system refuses to make anything, whoever asks.
    const made = createProject(smallProject)
    project = made
    symlinkSync('/proc/self', join(made.root, 'refusing'))
    made.write({ 'toolgen.config.ts': `export default { design: 'design/*.ts', output: 'refusing/gen' }` })
    fails(made, { exit: 2, code: 'TG5004', message: 'Nothing was changed', next: 'readable and writable' })
  })

  it('holds a generated file that was changed by hand', () => {
    const made = createProject(smallProject)
    project = made
    expect(made.toolgen('generate').code).toBe(0)
    const path = 'gen/toolsets/orders/types.ts'
    made.write({ [path]: `${made.read(path)}export type Mine = 1\n` })
    fails(made, { exit: 4, code: 'TG5001', place: path, message: 'changed by hand', next: '--force' })
    expect(made.toolgen('generate', '--force').code).toBe(0)
    expect(made.read(path)).not.toContain('Mine')
  })
})
