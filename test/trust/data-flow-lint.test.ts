import { mcpTool } from '@toolgen/runtime/projections'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

const toolText = (name: string, more: string): string => `    ${name}: defineTool({
      description: 'Does what ${name} says in full.',
      payload: z.object({ text: z.string().describe('Text of at most ten words') }),
      result: z.object({ done: z.boolean() }),
      ${more}
    }),`

const toolsetText = (name: string, ...tools: readonly string[]): string =>
  `export const ${name} = defineToolset('${name}', {\n  description: 'Tools.',\n  tools: {\n${tools.join('\n')}\n  },\n})`

interface Shop {
  readonly mail?: string
  readonly clerk?: string
}

const shop = ({ mail = '', clerk = '' }: Shop = {}): string =>
  [
    `import { defineAgent, defineTool, defineToolset, exportToolset, fromAgent, fromExecutor } from '@toolgen/dsl'`,
    `import { z } from 'zod'`,
    toolsetText('web', toolText('readPage', `reads: 'untrusted', readOnly: true,`)),
    toolsetText('crm', toolText('findCustomer', `reads: ['private'], writes: [], readOnly: true,`)),
    toolsetText('post', toolText('write', `writes: ['external'], destructive: false, ${mail}`)),
    toolsetText('research', toolText('ask', '')),
    `export const researcher = defineAgent('researcher', { description: 'Looks.', uses: [fromExecutor(web)], exports: [exportToolset(research)] })`,
    `export const clerk = defineAgent('clerk', { description: 'Helps.', uses: [fromExecutor(crm), fromExecutor(post), fromAgent(research)], ${clerk} })`,
    '',
  ].join('\n')

let project: Project
beforeAll(() => {
  project = createProject(smallProject)
  project.write({ 'design/orders.ts': undefined, 'design/support.ts': undefined, 'design/shop.ts': shop() })
})
afterAll(() => project.remove())

const lint = (...args: readonly string[]) => project.toolgen('lint', '--rule', 'data-flow', ...args)

describe('toolgen lint --rule data-flow', () => {
  it('reports an agent once, with the tools and the way to those of its nested agent', () => {
    project.write({ 'design/shop.ts': shop() })
    const { code, stdout } = lint('--json')
    const { diagnostics, counts } = JSON.parse(stdout)
    expect([code, counts]).toEqual([6, { 'data-flow': 1 }])
    expect(diagnostics).toMatchObject([{ code: 'TG8326', severity: 'warning', location: { file: 'design/shop.ts' } }])
    const [{ message, related }] = diagnostics
    expect(message).toBe(
      '`clerk` reads untrusted text and private data, and can send data to outsiders: an instruction in the text can make it send private data away. (data-flow)',
    )
    expect(related.map((fact: { message: string }) => fact.message)).toEqual([
      'Reads untrusted text: `web.readPage` over `research.ask`.',
      'Reads private data: `crm.findCustomer`.',
      'Can send data to outsiders without a confirmation: `post.write`.',
    ])
  })

  it.each<[string, Shop]>([
    ['each external tool has a confirmation', { mail: `confirmation: { prompt: 'Send {{text}}?' },` }],
    ['the agent gives a reason', { clerk: `lint: { 'data-flow': 'runs have the layer dataFlow()' }` }],
  ])('reports nothing if %s', (_, change) => {
    project.write({ 'design/shop.ts': shop(change) })
    expect(lint()).toMatchObject({ code: 0 })
  })

  it('applies the labels of a toolset to its tools without own labels, also in generated code', () => {
    const page = toolsetText(
      'web',
      toolText('readPage', 'readOnly: true,'),
      toolText('postPage', `writes: [], destructive: false,`),
      toolText('ownPage', `reads: 'private', readOnly: true,`),
    ).replace(
      `description: 'Tools.',`,
      `description: 'Tools.', reads: 'untrusted', writes: ['external', 'irreversible'],`,
    )
    const agent = `export const clerk = defineAgent('clerk', { description: 'Helps.', uses: [fromExecutor(web)] })`
    const head = `import { defineAgent, defineTool, defineToolset, fromExecutor } from '@toolgen/dsl'\nimport { z } from 'zod'`
    project.write({ 'design/shop.ts': [head, page, agent, ''].join('\n') })
    const { diagnostics } = JSON.parse(lint('--json').stdout)
    expect(diagnostics[0].related.map((fact: { message: string }) => fact.message)).toEqual([
      'Reads untrusted text: `web.readPage`, `web.postPage`.',
      'Reads private data: `web.ownPage`.',
      'Can send data to outsiders without a confirmation: `web.readPage`, `web.ownPage`.',
    ])
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    const text = project.read('gen/toolsets/web/specs.ts')
    expect(text.match(/(reads|writes): \[.*\],/g)).toEqual([
      "reads: ['untrusted'],",
      "writes: ['external', 'irreversible'],",
      "reads: ['untrusted'],",
      'writes: [],',
      "reads: ['private'],",
      "writes: ['external', 'irreversible'],",
    ])
  })

  it('rejects an unknown label of a toolset', () => {
    project.write({
      'design/shop.ts': shop().replace(`description: 'Tools.',`, `description: 'Tools.', writes: 'outside',`),
    })
    expect(lint().stderr).toMatch(/writes: got "outside"[\s\S]*do: Write one of external, irreversible\./)
  })

  it('rejects an unknown label where it is written', () => {
    project.write({ 'design/shop.ts': shop({ mail: `reads: 'secret',` }) })
    const { code, stderr } = lint()
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/reads: got "secret"[\s\S]*do: Write one of private, untrusted\./)
  })
})

describe('labels of imported tools', () => {
  const schema = { type: 'object', properties: { text: { type: 'string', description: 'Any text' } } }
  const tools = [
    { name: 'read_issue', description: 'Reads an issue.', inputSchema: schema, annotations: { readOnlyHint: true } },
    { name: 'send_mail', description: 'Sends a mail.', inputSchema: schema, annotations: { destructiveHint: false } },
  ]
  const agent = (options: string): string => `import { defineAgent, fromMcp, importedToolset } from '@toolgen/dsl'
import { deskSnapshot } from './desk.mcp.snapshot.js'
export const desk = importedToolset(deskSnapshot${options})
export const helper = defineAgent('helper', { description: 'Helps.', uses: [fromMcp(desk)] })
`

  it('are suggested in the snapshot, marked by lint and docs, and replaced by the design', () => {
    project.write({ 'design/shop.ts': undefined, 'tools.json': JSON.stringify({ tools }) })
    expect(project.toolgen('import', 'mcp', 'desk', '--from', 'tools.json')).toMatchObject({ code: 0 })
    const snapshot = JSON.parse(project.read('design/desk.mcp.json'))
    expect(snapshot.tools.readIssue.suggested).toEqual({ reads: ['private', 'untrusted'] })
    expect(snapshot.tools.sendMail.suggested).toEqual({ writes: ['external'] })
    project.write({ 'design/desk.mcp.ts': agent('') })
    expect(lint().stderr).toContain('`desk.readIssue` (suggested by the import)')
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    expect(project.read('gen/toolsets/desk/specs.ts')).toContain(`reads: ['private', 'untrusted'],`)
    const { code, stdout } = project.toolgen('inspect', '--json')
    expect([code, JSON.parse(stdout).toolsets[0].tools[0]]).toMatchObject([
      0,
      { reads: ['private', 'untrusted'], suggested: ['reads'] },
    ])
    expect(project.toolgen('inspect').stdout).toMatch(/data flow[\s\S]*private\?, untrusted\?/)
    expect(project.toolgen('docs').stdout).toContain(
      'It reads data that is `private`, `untrusted` (suggested by the import).',
    )
    project.write({ 'design/desk.mcp.ts': agent(`, { tools: { readIssue: { reads: 'untrusted' } } }`) })
    expect(lint()).toMatchObject({ code: 0 })
    const { stdout: changed } = project.toolgen('inspect', '--json')
    const [tool] = JSON.parse(changed).toolsets[0].tools
    expect([tool.reads, tool.suggested]).toEqual([['untrusted'], undefined])
    project.write({ 'design/desk.mcp.ts': agent(`, { reads: [], tools: { sendMail: { reads: 'private' } } }`) })
    expect(lint()).toMatchObject({ code: 0 })
    const { stdout: defaults } = project.toolgen('inspect', '--json')
    const [readIssue, sendMail] = JSON.parse(defaults).toolsets[0].tools
    expect([readIssue.reads, readIssue.suggested]).toEqual([[], undefined])
    expect([sendMail.reads, sendMail.writes, sendMail.suggested]).toEqual([['private'], ['external'], ['writes']])
  })
})

describe('hints for MCP clients', () => {
  it.each([
    [{ reads: ['untrusted'] }, { openWorldHint: true }],
    [{ writes: ['external'] }, { openWorldHint: true }],
    [{ writes: ['irreversible'] }, { destructiveHint: true }],
    [{ reads: ['private'], writes: [] }, { openWorldHint: false }],
    [{ reads: ['private'] }, undefined],
  ] as const)('%j gives %j', (labels, annotations) => {
    const { tool } = mcpTool(toolOf('a.b', { spec: labels }).spec)
    expect(tool.annotations).toEqual(annotations)
  })
})
