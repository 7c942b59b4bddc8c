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
