import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Project } from '../cli/project.fixture.js'
import { moduleProject } from './module-project.fixture.js'

let project: Project
beforeAll(() => {
  project = moduleProject(['ai', '@langchain/core', 'valibot'], {})
})
afterAll(() => project.remove())

/** Imports a module with this text; returns the exit code and what was printed. */
function imported(text: string, name = 'desk'): readonly [number | null, string] {
  project.write({ 'src/tools.ts': text })
  const { code, stderr } = project.toolgen('import', 'module', name, 'src/tools.ts', '--verbose', '--dir', 'other')
  return [code, stderr]
}

const head =
  "import { jsonSchema, tool } from 'ai'\nimport { z } from 'zod'\nconst inputSchema = z.object({ id: z.string() })\n"

describe('a module that cannot be imported', () => {
  it.each([
    ['a missing name', ['desk'], 2, 'TG0001', 'The module with the tools is missing.'],
    ['a missing file', ['desk', 'src/tool.ts'], 2, 'TG0016', 'The module `src/tool.ts` does not exist.'],
    ['an illegal toolset name', ['1desk', 'src/tools.ts'], 2, 'TG0001', '`1desk`'],
  ])('%s', (_, args, exitCode, code, message) => {
    const { code: exit, stderr } = project.toolgen('import', 'module', ...args)
    expect(exit).toBe(exitCode)
    expect(stderr).toContain(`error ${code}: ${message}`)
  })

  it.each([
    [
      'that throws',
      "throw new Error('no database')",
      'TG6025',
      'The module to import cannot be evaluated: no database',
    ],
    [
      'without exports',
      'const a = 1',
      'TG6026',
      '`src/tools.ts` exports no tool that can be imported. It exports nothing.',
    ],
    [
      'with other exports',
      "export const a = [1]\nexport const create = () => ({})\nexport const b = { c: 'x' }",
      'TG6026',
      'It exports `a` (array), `b` (object), `create` (function).',
    ],
    [
      'with two tools of one name',
      `${head}export const one = { find: tool({ inputSchema }) }\nexport const two = { find: tool({ inputSchema }) }`,
      'TG6028',
      '`one.find` and `two.find` are different tools with the name `find`.',
    ],
    [
      'with tools of two frameworks',
      `${head}import { tool as chain } from '@langchain/core/tools'
export const one = tool({ inputSchema })
export const two = chain(async () => 1, { name: 'two', schema: inputSchema })`,
      'TG6028',
      'The module has tools of the AI SDK and LangChain.',
    ],
  ])('%s', (_, text, code, message) => {
    const [exit, stderr] = imported(text)
    expect(exit).toBe(3)
    expect(stderr).toContain(code)
    expect(stderr).toContain(message)
    expect(project.has('other/desk.module.ts')).toBe(false)
  })
})

it('skips what no design can have, and says so', () => {
  const [exit, stderr] = imported(`${head}import * as v from 'valibot'
export const web = { type: 'provider', id: 'x.web', args: {} }
export const noSchema = { description: 'No schema.', execute: () => 1 }
export const changed = tool({ description: 'Changed.', inputSchema: z.object({ id: z.string().transform(Number) }) })
export const other = tool({ description: 'Valibot.', inputSchema: v.object({ id: v.string() }) as any })
export const text = tool({ description: 'Text.', inputSchema: jsonSchema({ type: 'string' }) })
export default { 'get order!': tool({ inputSchema, outputSchema: z.object({ a: z.map(z.string(), z.string()) }), execute: () => ({ a: new Map() }) }) }`)
  expect(exit).toBe(0)
  expect(stderr).toMatchInlineSnapshot(`
    "warning TG6003: 3 tools are not imported, because the schemas of their arguments are not supported.
      - \`changed\` is not imported, because the schema of its arguments is not supported: The payload schema has a transform at /id; payload schemas cannot transform values. Describe in \`inputSchema\` what models send, and transform it in the function of the tool: \`z.string()\` in \`inputSchema\` and \`Number(id)\` in the function, instead of \`z.string().transform(Number)\`. Then import again.
      - \`other\` is not imported, because the schema of its arguments is not supported: This schema of \`valibot\` does not implement Standard JSON Schema. Wrap it in \`toStandardJsonSchema\` of \`@valibot/to-json-schema\`, or use another schema library.
      - \`text\` is not imported, because the schema of its arguments is not supported: it also accepts values that are not objects. Change the tool in the module and import again, or declare the tool by hand in another toolset.
      do: Follow the instruction at the end of each entry.

    warning TG6004: The result of \`get order!\` can be any JSON, because its schema is not supported: The schema requires a Map at /a, which JSON cannot represent.
      do: Return JSON from the tool, describe it in \`outputSchema\`, and import again.

    warning TG6005: The module has no description of \`get order!\`. Its title or name is used instead.
      do: Set the \`description\` of the tool in the module and run \`toolgen generate\`: models choose tools by their descriptions.

    warning TG6027: \`noSchema\` is skipped, because it has no schema of its arguments.
      do: Add \`inputSchema\` and import again.

    note TG6006: The name of \`get order!\` for models is \`get_order\`: its name contains characters that are not valid for models.
      do: Optional: rename the tool where an agent uses the toolset: \`fromExecutor(toolset, { rename: { tool: "name" } })\`.

    note TG6027: \`web\` is skipped, because its provider runs it.
      do: No change is needed.

    imported: other/desk.module.ts, 1 tool
    Next: run \`npx toolgen generate\`, then register the agent: \`registerDesk(new Runtime(), { toolsets: { desk: { executor: aiSdkExecutor(tools) } } })\`.
    "
  `)
  expect(project.read('other/desk.module.ts').split('\n').slice(2).join('\n')).toMatchInlineSnapshot(`
    "import { defineAgent, defineTool, defineToolset, fromExecutor } from '@toolgen/dsl'
    import * as source from '../src/tools.js'

    /** Tools of src/tools.ts. */
    export const desk = defineToolset('desk', {
      description: 'Tools of src/tools.ts.',
      tools: {
        'get order!': defineTool({
          description: descriptionOf(source.default['get order!'].description, 'get order!'),
          ...(source.default['get order!'].title && { title: source.default['get order!'].title }),
          toolName: 'get_order',
          payload: source.default['get order!'].inputSchema,
          result: true,
          examples: source.default['get order!'].inputExamples?.map(({ input }) => input) ?? [],
          ...(source.default['get order!'].needsApproval && { confirmation: { prompt: 'Run \`get order!\`?' } }),
        }),
      },
    })

    // Register it with its executor:
    // import { aiSdkExecutor } from '@toolgen/runtime/ai-sdk'
    // registerDesk(new Runtime(), { toolsets: { desk: { executor: aiSdkExecutor(tools) } } })
    export const deskAgent = defineAgent('desk', {
      description: 'Uses the tools of src/tools.ts.',
      uses: [fromExecutor(desk)],
    })

    function descriptionOf(description: unknown, name: string): string {
      return typeof description === 'string' && description.trim() !== '' ? description : name
    }
    "
  `)
})
