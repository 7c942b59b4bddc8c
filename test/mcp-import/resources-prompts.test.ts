import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importMcp } from '../../packages/codegen/src/imports/mcp.js'
import { createProject, type Project, smallProject } from '../cli/project.fixture.js'

const server = fileURLToPath(new URL('../mcp/content-server.mjs', import.meta.url))
const tools = [{ name: 'find', inputSchema: { type: 'object' } }]

describe('a server with resources and prompts', () => {
  let project: Project
  beforeAll(() => {
    project = createProject({
      'package.json': smallProject['package.json'] ?? '',
      'tsconfig.json': smallProject['tsconfig.json'] ?? '',
      'toolgen.config.ts': smallProject['toolgen.config.ts'] ?? '',
    })
    expect(project.toolgen('import', 'mcp', 'content', '--', 'node', server)).toMatchObject({ code: 0 })
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  })
  afterAll(() => project.remove())

  it('has a client with typed prompts, which are the start of a run, and resources', () => {
    project.write({
      'src/main.ts': `
import type { BoundAgent } from '@toolgen/runtime'
import type { ChatMessage } from '@toolgen/runtime/chat'
import { stdioCaller } from '@toolgen/runtime/mcp'
import { newContentClient } from '../gen/toolsets/content/mcp.js'

declare const process: { readonly execPath: string }
declare const console: { log(text: string): void }
const caller = stdioCaller({ command: process.execPath, args: [${JSON.stringify(server)}] })
const content = newContentClient(caller)
const messages: readonly ChatMessage[] = await content.prompts.codeReview({ language: 'ts' })
const [notes] = await content.readResource('memo://notes')
const text: string = notes?.type === 'text' ? notes.text : ''
const [day] = await content.resources.dailyNote({ day: 'monday', lang: 'de' })
const templates = (await content.listResourceTemplates()).map(({ uriTemplate }) => uriTemplate)
console.log(JSON.stringify([messages, text, (await content.listResources()).length, day, templates]))
await caller.close()
export const start = (agent: BoundAgent): unknown => agent.run([...messages])
// @ts-expect-error The argument is required.
export const review = (): unknown => content.prompts.codeReview({ focus: 'names' })
// @ts-expect-error The variable day is required.
export const note = (): unknown => content.resources.dailyNote({ lang: 'de' })
// @ts-expect-error The template has no variable page.
export const page = (): unknown => content.resources.dailyNote({ day: 'monday', page: '1' })
// @ts-expect-error The prompt has no arguments.
export const picture = (): unknown => content.prompts.picture({ size: '1' })
`,
    })
    const compiled = project.tsc('--noEmit', 'false', '--outDir', 'out', '--rootDir', '.')
    expect(compiled).toEqual({ code: 0, stdout: '' })
    const { stdout, stderr } = project.node(['out/src/main.js'])
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([
      [
        { role: 'user', content: 'Review this ts for everything.' },
        { role: 'assistant', content: 'Send the code.' },
      ],
      'Call Ada.',
      2,
      { uri: 'memo://days/monday?lang=de', type: 'text', text: '{"day":"monday","lang":"de"}' },
      ['memo://days/{day}{?lang}'],
    ])
  })

  it('is compared with its snapshot, prompts included', () => {
    expect(project.toolgen('check', '--live')).toMatchObject({ code: 0 })
    const file = 'design/content.mcp.json'
    const before = project.read(file)
    const changed = before
      .replace('"Reviews code."', '"Praises code."')
      .replace('"name": "memo"', '"name": "note"')
      .replace('memo://days/{day}{?lang}', 'memo://days/{day}')
    project.write({ [file]: changed })
    const { code, stderr } = project.toolgen('check', '--live')
    project.write({ [file]: before })
    expect(code).toBe(4)
    expect(stderr).toMatch(/content\.mcp\.json:\d+:\d+ - Prompt 'code-review' changed: `description`\./)
    expect(stderr).toMatch(/content\.mcp\.json:\d+:\d+ - Resource template 'daily-note' changed: `uriTemplate`\./)
    expect(stderr).toContain("Prompt 'note' was removed.")
    expect(stderr).toContain("Prompt 'memo' was added.")
  })

  it('has prompts and resource templates in its contract, which `diff` compares', () => {
    const file = 'design/content.mcp.json'
    const before = project.read(file)
    const snapshot = JSON.parse(before)
    const [review] = snapshot.prompts
    review.arguments[1].required = true
    snapshot.prompts = [review]
    snapshot.resourceTemplates[0].uriTemplate = 'memo://days/{day}'
    project.write({ [file]: JSON.stringify(snapshot) })
    const { code, stdout } = project.toolgen('diff', 'gen/toolgen.lock.json', '--json')
    project.write({ [file]: before })
    expect(code).toBe(5)
    const { changes } = JSON.parse(stdout)
    expect(changes).toMatchObject([
      {
        rule: 'prompt-argument-required',
        severity: 'breaking',
        toolset: 'content',
        prompt: 'code-review',
        witness: { language: 'sample' },
        message: expect.stringMatching(
          /^The prompt 'code-review' of 'content' requires an argument .* at \/properties\/focus:/,
        ),
      },
      { rule: 'prompt-removed', prompt: 'link' },
      { rule: 'prompt-removed', prompt: 'memo' },
      { rule: 'prompt-removed', prompt: 'picture' },
      { rule: 'resource-template-uri-changed', severity: 'visible', resourceTemplate: 'daily-note' },
      { rule: 'resource-template-variable-removed', severity: 'breaking', witness: { day: 'sample', lang: 'sample' } },
    ])
  })

  it('reports resources that are new, and no prompts that the snapshot does not record', () => {
    const file = 'design/content.mcp.json'
    const before = project.read(file)
    const { resources, resourceTemplates, ...withoutResources } = JSON.parse(before)
    expect(resources).toBe(true)
    expect(resourceTemplates).toMatchObject([{ name: 'daily-note' }])
    project.write({ [file]: JSON.stringify(withoutResources) })
    const withPrompts = project.toolgen('check', '--live')
    const { prompts: _, ...withoutPrompts } = withoutResources
    project.write({ [file]: JSON.stringify(withoutPrompts) })
    const without = project.toolgen('check', '--live')
    project.write({ [file]: before })
    expect(withPrompts.stderr).toContain('- The server now offers resources.')
    expect(withPrompts.stderr).toContain("- Resource template 'daily-note' was added.")
    expect(without.stderr).not.toContain('TG6010')
    expect(without.stderr).toContain('warning TG6011: The prompts of the server of `content` were not compared')
  })
})

it('prompts and the capability `resources` of a saved response are imported, also from the snapshot', () => {
  const captured = {
    initialize: { serverInfo: { name: 's', version: '1' }, capabilities: { resources: {} } },
    tools,
    prompts: { prompts: [{ name: 'a' }, { name: 'a' }, {}, { name: 'b', arguments: [{}] }] },
  }
  const { files, diagnostics } = importMcp('notes', { captured, source: 'tools.json' })
  const snapshot = JSON.parse(files.find(({ path }) => path === 'notes.mcp.json')?.text ?? '')
  expect(snapshot).toMatchObject({ prompts: [{ name: 'a' }], resources: true })
  expect(diagnostics.filter(({ code }) => code === 'TG6014').map(({ message }) => message)).toEqual([
    'The server lists the prompt `a` more than once. The first one is imported.',
    'Prompt 3 of the list has no name and is not imported.',
    'The prompt `b` has an argument without a name and is not imported.',
  ])
  expect(importMcp('notes', { captured: snapshot, source: 'snapshot' }).files).toEqual(files)
})

it('resource templates are imported, malformed ones are skipped, and a server without templates adds nothing', () => {
  const captured = {
    tools,
    resourceTemplates: {
      resourceTemplates: [
        { name: 'a', uriTemplate: 'a:///{x}' },
        { name: 'a', uriTemplate: 'b:///{x}' },
        { uriTemplate: 'c:///{x}' },
        { name: 'd' },
        { name: 'e', uriTemplate: 'e:///{x' },
      ],
    },
  }
  const { files, diagnostics } = importMcp('notes', { captured, source: 'tools.json' })
  const snapshot = JSON.parse(files.find(({ path }) => path === 'notes.mcp.json')?.text ?? '')
  expect(snapshot.resourceTemplates).toEqual([{ name: 'a', uriTemplate: 'a:///{x}' }])
  expect(diagnostics.filter(({ code }) => code === 'TG6014').map(({ message }) => message)).toEqual([
    'The server lists the resource template `a` more than once. The first one is imported.',
    'Resource template 3 of the list has no name and is not imported.',
    'The resource template `d` has no `uriTemplate` and is not imported.',
    'The resource template `e` has the URI template `e:///{x`, which is malformed and is not imported.',
  ])
  expect(importMcp('notes', { captured: snapshot, source: 'snapshot' }).files).toEqual(files)
  const none = importMcp('notes', { captured: { tools, resourceTemplates: [] }, source: 'tools.json' })
  expect(none.files).toEqual(importMcp('notes', { captured: { tools }, source: 'tools.json' }).files)
})

it('a tool keeps its name if the client has a member with this name', () => {
  const project = createProject({
    'package.json': smallProject['package.json'] ?? '',
    'tsconfig.json': smallProject['tsconfig.json'] ?? '',
    'toolgen.config.ts': smallProject['toolgen.config.ts'] ?? '',
    'listed.json': JSON.stringify({
      initialize: { serverInfo: { name: 's', version: '1' }, capabilities: { resources: {} } },
      tools: ['prompts', 'read_resource', 'resources', 'executor'].map((name) => ({ ...tools[0], name })),
      prompts: [{ name: 'a' }],
      resourceTemplates: [{ name: 'files', uriTemplate: 'file:///{path*}{?from,to}' }],
    }),
  })
  expect(project.toolgen('import', 'mcp', 'notes', '--from', 'listed.json')).toMatchObject({ code: 0 })
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  const text = project.read('gen/toolsets/notes/mcp.ts')
  const compiled = project.tsc()
  project.remove()
  expect(text).toContain("extends Omit<McpResources, 'readResource'> {")
  expect(text).toContain('readonly prompts_: {')
  expect(text).toContain('readonly resources_: {')
  expect(text).toContain('readonly path: string | readonly string[]')
  expect(text).toContain('readonly from?: string | undefined')
  expect(compiled).toEqual({ code: 0, stdout: '' })
})
