import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Project } from '../cli/project.fixture.js'
import { moduleProject } from './module-project.fixture.js'

const tools = `import { DynamicStructuredTool, tool } from '@langchain/core/tools'
import { z } from 'zod'

export const getOrder = tool(
  async ({ orderId }, { signal }) => ({ id: orderId, isSignal: signal instanceof AbortSignal, at: new Date(0) }),
  { name: 'get_order', description: 'Fetch one order.', schema: z.object({ orderId: z.string().describe('Order number') }) },
)

const cancelOrder = new DynamicStructuredTool({
  name: 'cancel_order',
  description: 'Cancel an order.',
  schema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'], additionalProperties: false } as const,
  func: async () => {
    throw new DOMException('too slow', 'TimeoutError')
  },
})

export const all = [getOrder, cancelOrder]
`

const main = `import { Runtime } from '@toolgen/runtime'
import { langChainExecutor } from '@toolgen/runtime/langchain'
import { registerDesk } from '../gen/agents/desk/index.js'
import { newGetOrderCall } from '../gen/toolsets/desk/index.js'
import { all } from './tools.js'

const desk = registerDesk(new Runtime(), { toolsets: { desk: { executor: langChainExecutor(all) } } })
const outcome = await desk.execute(newGetOrderCall({ orderId: 'A-1001' }))
if (outcome.status === 'completed') console.log(outcome.json)
for (const call of [
  { tool: 'get_order', arguments: '{"orderID":"A-1001"}' },
  { tool: 'cancel_order', arguments: '{"orderId":"A-1001"}' },
]) {
  const failed = await desk.execute(call)
  if (failed.status === 'failed') console.log(failed.hint.reason, JSON.stringify(failed.hint))
}
`

let project: Project
beforeAll(() => {
  project = moduleProject(['@langchain/core'], { 'src/tools.ts': tools, 'src/main.ts': main })
})
afterAll(() => project.remove())

it('toolgen import module imports tools of LangChain, which their functions run', () => {
  const ran = project.toolgen('import', 'module', 'desk', 'src/tools.ts', '--verbose')
  expect(ran.stderr).toMatchInlineSnapshot(`
    "note TG6029: The results of \`get_order\`, \`cancel_order\` can be any JSON, because no schema describes them.
      do: No change is needed: LangChain tools have no result schema.

    imported: design/desk.module.ts, 2 tools, 2 without a result schema
    Next: run \`npx toolgen generate\`.
    "
  `)
  expect(project.read('design/desk.module.ts').split('\n').slice(2).join('\n')).toMatchInlineSnapshot(`
    "import { defineAgent, defineTool, defineToolset, fromExecutor } from '@toolgen/dsl'
    import * as source from '../src/tools.js'

    /** Tools of src/tools.ts. */
    export const desk = defineToolset('desk', {
      description: 'Tools of src/tools.ts.',
      tools: {
        get_order: defineTool({
          description: source.getOrder.description,
          toolName: 'get_order',
          payload: source.getOrder.schema,
          result: true,
        }),
        cancel_order: defineTool({
          description: named(source.all, 'cancel_order').description,
          toolName: 'cancel_order',
          payload: named(source.all, 'cancel_order').schema,
          result: true,
        }),
      },
    })

    // Register it with its executor:
    // import { langChainExecutor } from '@toolgen/runtime/langchain'
    // registerDesk(new Runtime(), { toolsets: { desk: { executor: langChainExecutor(all) } } })
    export const deskAgent = defineAgent('desk', {
      description: 'Uses the tools of src/tools.ts.',
      uses: [fromExecutor(desk)],
    })

    function named<Tool extends { readonly name: string }>(tools: readonly Tool[], name: string): Tool {
      const found = tools.find((tool) => tool.name === name)
      if (found === undefined) throw new Error(\`There is no tool "\${name}" any more\`)
      return found
    }
    "
  `)
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
  expect(project.node(['dist/src/main.js'])).toMatchInlineSnapshot(`
    {
      "code": 0,
      "stderr": "",
      "stdout": "{"id":"A-1001","isSignal":true,"at":"1970-01-01T00:00:00.000Z"}
    invalid_arguments {"tool":"desk.get_order","issues":[{"path":"/orderId","constraint":"missing_field","field":"orderId","expected":"a string","message":"The required field \\"orderId\\" is missing; expected a string.","description":"Order number"},{"path":"/orderID","constraint":"unknown_field","field":"orderID","allowed":["orderId"],"nearest":"orderId","message":"Unknown field \\"orderID\\"; did you mean \\"orderId\\"?"}],"example":{"orderId":"text"},"rejected":"{\\"orderID\\":\\"A-1001\\"}","action":"correct_call","reason":"invalid_arguments","message":"The arguments are not valid."}
    timeout {"message":"The call took too long and was aborted.","tool":"desk.cancel_order","reason":"timeout","action":"replan"}
    ",
    }
  `)
})
