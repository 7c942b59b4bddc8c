import { realpathSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Project } from '../cli/project.fixture.js'
import { moduleProject } from './module-project.fixture.js'

const tools = `import { jsonSchema, tool, type ToolSet } from 'ai'
import { z } from 'zod'

export const tools = {
  getOrder: tool({
    description: 'Fetch one order with its line items.',
    inputSchema: z.object({ orderId: z.string().describe('Order number, e.g. A-1001') }),
    outputSchema: z.object({ id: z.string(), status: z.enum(['open', 'shipped']), total: z.number() }),
    inputExamples: [{ input: { orderId: 'A-1001' } }],
    execute: async ({ orderId }, { toolCallId, abortSignal }) => {
      if (orderId === 'A-0') throw new TypeError('fetch failed')
      if (orderId === 'A-9') return { id: toolCallId, status: 'open' as const, total: abortSignal === undefined ? 0 : 1 }
      return { id: orderId, status: 'shipped' as const, total: 41.5 }
    },
  }),
  'cancel-order': tool({
    description: 'Cancel an order that has not shipped yet.',
    inputSchema: z.object({ orderId: z.string().refine((id) => id.startsWith('A-'), 'starts with A-'), reason: z.string().default('none') }),
    needsApproval: true,
    execute: async ({ orderId, reason }) => ({ orderId, reason, at: new Date(0) }),
  }),
  weather: tool({
    description: 'The weather in a city.',
    inputSchema: jsonSchema<{ city: string }>({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    }),
    async *execute({ city }) {
      yield { state: 'asking' }
      yield { state: 'done', city }
    },
  }),
  confirm: tool({ description: 'Ask the user to confirm something.', inputSchema: z.object({ question: z.string() }) }),
} satisfies ToolSet
`

const main = `import { Runtime } from '@toolgen/runtime'
import { aiSdkExecutor } from '@toolgen/runtime/ai-sdk'
import { registerSupport } from '../gen/agents/support/index.js'
import { newGetOrderCall } from '../gen/toolsets/support/index.js'
import { tools } from './tools.js'

declare const console: { log(...values: readonly unknown[]): void }
const support = registerSupport(new Runtime(), { toolsets: { support: { executor: aiSdkExecutor(tools) } } })
const env = { approval: { approve: async () => 'approve' as const } }
const outcome = await support.execute(newGetOrderCall({ orderId: 'A-1001' }), { env })
if (outcome.status === 'completed') console.log(outcome.result.data.total)
const calls = [
  ['getOrder', '{"orderID":"A-1001"}'],
  ['getOrder', '{"orderId":"A-0"}'],
  ['getOrder', '{"orderId":"A-9"}'],
  ['cancel-order', '{"orderId":"A-1"}'],
  ['cancel-order', '{"orderId":"B-1"}'],
  ['weather', '{"city":"Turin"}'],
  ['confirm', '{"question":"Sure?"}'],
] as const
for (const [tool, args] of calls) {
  const result = await support.execute({ tool, arguments: args, toolCallId: 'call_1' }, { env })
  console.log(result.status === 'completed' ? result.json : result.status === 'failed' ? [result.hint.reason, result.hint.message].join(': ') : '')
}
`

let project: Project
beforeAll(() => {
  project = moduleProject(['ai'], { 'src/tools.ts': tools, 'src/main.ts': main })
})
afterAll(() => project.remove())

describe('toolgen import module with tools of the AI SDK', () => {
  it('writes a design that refers to the tools, which the existing functions run', () => {
    const ran = project.toolgen('import', 'module', 'support', './src/tools.ts', '--verbose')
    expect(ran.stderr).toMatchInlineSnapshot(`
      "warning TG6029: The results of \`cancel-order\`, \`weather\`, \`confirm\` can be any JSON, because no schema describes them. Their type is \`unknown\`.
        do: Add an \`outputSchema\` to the tools and run \`toolgen generate\`.

      note TG6030: \`confirm\` has no \`execute\`, so their calls fail.
        do: Add \`execute\`, or exclude them with \`only\` where an agent uses the toolset.

      imported: design/support.module.ts, 4 tools, 3 without a result schema
      Next: run \`npx toolgen generate\`.
      "
    `)
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(project.read('design/support.module.ts')).toMatchInlineSnapshot(`
      "// Written by \`toolgen import module support src/tools.ts\`, 36f689a56860e36c. Do not edit; import again, and select and rename with \`fromExecutor\`.

      import { defineAgent, defineTool, defineToolset, fromExecutor } from '@toolgen/dsl'
      import * as source from '../src/tools.js'

      /** Tools of src/tools.ts. */
      export const support = defineToolset('support', {
        description: 'Tools of src/tools.ts.',
        tools: {
          getOrder: defineTool({
            description: descriptionOf(source.tools.getOrder.description, 'getOrder'),
            ...(source.tools.getOrder.title && { title: source.tools.getOrder.title }),
            toolName: 'getOrder',
            payload: source.tools.getOrder.inputSchema,
            result: source.tools.getOrder.outputSchema ?? true,
            examples: source.tools.getOrder.inputExamples?.map(({ input }) => input) ?? [],
            ...(source.tools.getOrder.needsApproval && { confirmation: { prompt: 'Run \`getOrder\`?' } }),
          }),
          'cancel-order': defineTool({
            description: descriptionOf(source.tools['cancel-order'].description, 'cancel-order'),
            ...(source.tools['cancel-order'].title && { title: source.tools['cancel-order'].title }),
            toolName: 'cancel-order',
            payload: source.tools['cancel-order'].inputSchema,
            result: source.tools['cancel-order'].outputSchema ?? true,
            examples: source.tools['cancel-order'].inputExamples?.map(({ input }) => input) ?? [],
            ...(source.tools['cancel-order'].needsApproval && { confirmation: { prompt: 'Run \`cancel-order\`?' } }),
          }),
          weather: defineTool({
            description: descriptionOf(source.tools.weather.description, 'weather'),
            ...(source.tools.weather.title && { title: source.tools.weather.title }),
            toolName: 'weather',
            payload: source.tools.weather.inputSchema,
            result: source.tools.weather.outputSchema ?? true,
            examples: source.tools.weather.inputExamples?.map(({ input }) => input) ?? [],
            ...(source.tools.weather.needsApproval && { confirmation: { prompt: 'Run \`weather\`?' } }),
          }),
          confirm: defineTool({
            description: descriptionOf(source.tools.confirm.description, 'confirm'),
            ...(source.tools.confirm.title && { title: source.tools.confirm.title }),
            toolName: 'confirm',
            payload: source.tools.confirm.inputSchema,
            result: source.tools.confirm.outputSchema ?? true,
            examples: source.tools.confirm.inputExamples?.map(({ input }) => input) ?? [],
            ...(source.tools.confirm.needsApproval && { confirmation: { prompt: 'Run \`confirm\`?' } }),
          }),
        },
      })

      // Register it with its executor:
      // import { aiSdkExecutor } from '@toolgen/runtime/ai-sdk'
      // registerSupport(new Runtime(), { toolsets: { support: { executor: aiSdkExecutor(tools) } } })
      export const supportAgent = defineAgent('support', {
        description: 'Uses the tools of src/tools.ts.',
        uses: [fromExecutor(support)],
      })

      function descriptionOf(description: unknown, name: string): string {
        return typeof description === 'string' && description.trim() !== '' ? description : name
      }
      "
    `)
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
    expect(project.node(['dist/src/main.js'])).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stderr": "",
        "stdout": "41.5
      invalid_arguments: The arguments are not valid.
      internal: The tool failed because of an internal error.
      {"id":"call_1","status":"open","total":1}
      {"orderId":"A-1","reason":"none","at":"1970-01-01T00:00:00.000Z"}
      invalid_arguments: The arguments are not valid.
      {"state":"done","city":"Turin"}
      internal: The tool failed because of an internal error.
      ",
      }
    `)
  })

  it('brings the tools under lint, tokens and diff', () => {
    const lint = project.toolgen('lint', '--json', '--max-warnings', '100')
    const { diagnostics } = JSON.parse(lint.stdout)
    expect(diagnostics.map(({ message }: { readonly message: string }) => message)).toMatchInlineSnapshot(`
      [
        "\`orderId\`, \`reason\` of \`support.cancel-order\` have no description. (missing-description)",
        "\`city\` of \`support.weather\` has no description. (missing-description)",
        "\`question\` of \`support.confirm\` has no description. (missing-description)",
        "\`cancel-order\`, payload: The schema has checks that JSON Schema cannot express (\`orderId\`).",
      ]
    `)
    expect(diagnostics[0]).toMatchObject({
      location: { file: 'design/support.module.ts' },
      next: "Change the tool in `src/tools.ts` and import again, or turn the rule off in the configuration: `lint: { rules: { 'missing-description': 'off' } }`. Do not edit `design/support.module.ts`: `toolgen import` wrote it.",
    })
    const tokens = JSON.parse(project.toolgen('tokens', '--json').stdout)
    expect(JSON.stringify(tokens)).toContain('cancel-order')
  })

  it('notices a changed tool without a new import', () => {
    expect(project.toolgen('check')).toMatchObject({ code: 0 })
    const released = project.read('gen/toolgen.lock.json')
    project.write({
      'released.lock.json': released,
      'src/tools.ts': tools.replace('Fetch one order', 'Look up an order').replace("'open', 'shipped'", "'open'"),
    })
    expect(project.toolgen('check')).toMatchObject({ code: 4 })
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    expect(project.toolgen('check')).toMatchObject({ code: 0 })
    const diff = project.toolgen('diff', 'released.lock.json')
    expect(diff.stderr).toMatchInlineSnapshot(`
      "design/support.module.ts:10:5 - warning TG8102: The tool 'support.getOrder' has a changed description: it changed from "Fetch one order with its line items." to "Look up an order with its line items.". (tool-described-otherwise)
         9 |   tools: {
        10 |     getOrder: defineTool({
           |     ^^^^^^^^
        do: Repeat the evaluations of prompts with this tool.

      2 notes (toolgen diff --verbose shows them)
      compatible: 0 breaking, 1 visible and 1 safe change since released.lock.json; 1 example tried
      "
    `)
  })

  it('reads facts that are added to a tool later without a new import', () => {
    const plain = `import { tool } from 'ai'
import { z } from 'zod'

export const addNote = tool({ inputSchema: z.object({ text: z.string() }), execute: async () => ({ id: 'n1' }) })
export const readNote = tool({ description: ' ', inputSchema: z.object({ id: z.string() }), execute: async () => '' })
`
    project.write({ 'src/notes.ts': plain })
    const ran = project.toolgen('import', 'module', 'notes', 'src/notes.ts', '--verbose')
    expect(ran.stderr).toContain('do: Set the `description` of the tool in the module and run `toolgen generate`')
    expect(project.read('design/notes.module.ts')).toContain(
      "description: descriptionOf(source.addNote.description, 'addNote'),",
    )
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    const specs = (): string => project.read('gen/toolsets/notes/specs.ts')
    expect(specs()).toMatch(/description: .addNote./)
    expect(specs()).toMatch(/description: .readNote./)
    expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })

    const facts = `title: 'New note', description: 'Add a note.', inputExamples: [{ input: { text: 'Buy milk' } }], needsApproval: true,
  outputSchema: z.object({ id: z.string() }), inputSchema: z.object({ text`
    const described = plain.replace('inputSchema: z.object({ text', facts).replace("' '", "'Read one note.'")
    project.write({ 'src/notes.ts': described })
    expect(project.toolgen('check')).toMatchObject({ code: 4 })
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    const { toolsets } = JSON.parse(project.toolgen('inspect', '--json').stdout)
    const notes = toolsets.find(({ name }: { readonly name: string }) => name === 'notes')
    expect(notes.tools).toMatchObject([
      {
        name: 'addNote',
        title: 'New note',
        description: 'Add a note.',
        examples: [{ text: 'Buy milk' }],
        confirmation: { prompt: 'Run `addNote`?' },
      },
      { name: 'readNote', description: 'Read one note.' },
    ])
    expect(specs()).toContain('Add a note.')
    project.write({ 'design/notes.module.ts': undefined })
  })

  it('reports added and removed tools when the same module is imported again', () => {
    project.write({ 'src/tools.ts': tools.replace('weather: tool', 'forecast: tool') })
    const stale = project.toolgen('generate')
    expect(stale.code).toBe(3)
    expect(stale.stderr).toMatchInlineSnapshot(`
      "design/support.module.ts:29:7 - error TG2001: The design threw while it was evaluated: Cannot read properties of undefined (reading 'description')
        28 |     weather: defineTool({
        29 |       description: descriptionOf(source.tools.weather.description, 'weather'),
           |       ^
        do: If a tool was removed or renamed, import again: \`toolgen import module support\`.

      1 error; nothing was written
      "
    `)
    const again = project.toolgen('import', 'module', 'support', '--json')
    expect(JSON.parse(again.stdout)).toMatchObject({
      exitCode: 0,
      written: ['support.module.ts'],
      tools: 4,
      changes: [
        { tool: 'forecast', kind: 'added' },
        { tool: 'weather', kind: 'removed' },
      ],
    })
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  })

  it('leaves alone a module that was changed by hand', () => {
    const path = 'design/support.module.ts'
    project.write({ [path]: project.read(path).replace('Tools of src/tools.ts.', 'Orders and weather.') })
    project.write({ 'src/tools.ts': tools })
    const refused = project.toolgen('import', 'module', 'support')
    expect(refused).toMatchObject({ code: 2, stdout: '' })
    expect(refused.stderr).toContain('TG0010')
    expect(project.toolgen('import', 'module', 'support', '--force', '--no-agent')).toMatchObject({ code: 0 })
    expect(project.read(path)).not.toContain('defineAgent')
    expect(project.toolgen('import', 'module', 'support').stderr).toContain('up to date')
    expect(project.read(path)).not.toContain('defineAgent')
  })
})

describe('toolgen import module with version 7 of the AI SDK', () => {
  it('writes a module that type-checks, and reports a dynamic description', () => {
    const dynamic = tools.replace(
      "description: 'The weather in a city.'",
      'description: ({ context }) => `The weather in a city. ${String(context)}`',
    )
    // The linked runtime would find its own version of `ai`.
    const paths = {
      extends: './tsconfig.json',
      compilerOptions: { paths: { ai: ['./node_modules/ai/dist/index.d.ts'] } },
    }
    const files = { 'src/tools.ts': dynamic, 'src/main.ts': main, 'tsconfig-7.json': JSON.stringify(paths) }
    const newest = moduleProject([], files)
    onTestFinished(() => newest.remove())
    symlinkSync(realpathSync(join(import.meta.dirname, '../node_modules/ai-7')), join(newest.root, 'node_modules/ai'))
    const { stderr, code } = newest.toolgen('import', 'module', 'support', 'src/tools.ts')
    expect(code).toBe(0)
    expect(stderr).toContain(
      'warning TG6005: The description of `weather` is dynamic: a function returns it for each request. The name of the tool is used instead.\n' +
        '  do: Set `description` to a string in the module and run `toolgen generate`: models choose tools by their descriptions.\n',
    )
    expect(newest.toolgen('generate')).toMatchObject({ code: 0 })
    expect(newest.tsc('-p', 'tsconfig-7.json')).toMatchObject({ code: 0, stdout: '' })
    expect(newest.read('gen/toolsets/support/specs.ts')).toMatch(/description: .weather./)
  })
})
