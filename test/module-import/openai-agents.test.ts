import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Project } from '../cli/project.fixture.js'
import { moduleProject } from './module-project.fixture.js'

const tools = `import { type RunContext, tool, webSearchTool } from '@openai/agents'
import { z } from 'zod'

export const getOrder = tool({
  name: 'get_order',
  description: 'Fetch one order.',
  parameters: z.object({ orderId: z.string().describe('Order number') }),
  execute: async ({ orderId }, context?: RunContext<any>, details?) => {
    if (orderId === 'A-0') throw new Error('no database')
    return { id: orderId, user: context?.context.user, call: details?.toolCall?.callId, isSignal: details?.signal !== undefined }
  },
})

export const cancelOrder = tool({
  name: 'cancel_order',
  description: 'Cancel an order.',
  parameters: z.object({ orderId: z.string() }),
  errorFunction: null,
  needsApproval: true,
  execute: async () => {
    throw new DOMException('too slow', 'TimeoutError')
  },
})

export const search = webSearchTool()
`

const main = `import { Runtime } from '@toolgen/runtime'
import { openAiAgentsExecutor } from '@toolgen/runtime/openai-agents'
import { registerDesk } from '../gen/agents/desk/index.js'
import { newGetOrderCall } from '../gen/toolsets/desk/index.js'
import { cancelOrder, getOrder } from './tools.js'

const executor = openAiAgentsExecutor([getOrder, cancelOrder], { user: 'ada' })
const desk = registerDesk(new Runtime(), { toolsets: { desk: { executor } } })
const env = { approval: { approve: async () => 'approve' as const } }
const outcome = await desk.execute({ ...newGetOrderCall({ orderId: 'A-1001' }), toolCallId: 'call_1' }, { env })
if (outcome.status === 'completed') console.log(outcome.json)
for (const call of [
  { tool: 'get_order', arguments: '{"orderID":"A-1001"}' },
  { tool: 'get_order', arguments: '{"orderId":"A-0"}' },
  { tool: 'cancel_order', arguments: '{"orderId":"A-1001"}' },
]) {
  const failed = await desk.execute(call, { env })
  if (failed.status === 'failed') console.log(failed.hint.reason, JSON.stringify(failed.hint))
}
`

let project: Project
beforeAll(() => {
  project = moduleProject(['@openai/agents'], { 'src/tools.ts': tools, 'src/main.ts': main })
})
afterAll(() => project.remove())

it('toolgen import module imports tools of the OpenAI Agents SDK, which their functions run', () => {
  const ran = project.toolgen('import', 'module', 'desk', 'src/tools.ts', '--verbose')
  expect(ran.stderr).toMatchInlineSnapshot(`
    "warning TG6029: The results of \`cancel_order\`, \`get_order\` can be any JSON, because no schema describes them. Their type is \`unknown\`.
      do: Add an \`outputSchema\` to the tools and run \`toolgen generate\`.

    note TG6027: \`search\` is skipped, because its provider runs it.
      do: No change is needed.

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
        cancel_order: defineTool({
          description: source.cancelOrder.description,
          toolName: 'cancel_order',
          payload: source.cancelOrder.parameters,
          result: source.cancelOrder.outputSchema ?? true,
          confirmation: { prompt: 'Run \`cancel_order\`?' },
        }),
        get_order: defineTool({
          description: source.getOrder.description,
          toolName: 'get_order',
          payload: source.getOrder.parameters,
          result: source.getOrder.outputSchema ?? true,
        }),
      },
    })

    // Register it with its executor:
    // import { openAiAgentsExecutor } from '@toolgen/runtime/openai-agents'
    // registerDesk(new Runtime(), { toolsets: { desk: { executor: openAiAgentsExecutor([cancelOrder, getOrder]) } } })
    export const deskAgent = defineAgent('desk', {
      description: 'Uses the tools of src/tools.ts.',
      uses: [fromExecutor(desk)],
    })
    "
  `)
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
  expect(project.node(['dist/src/main.js'])).toMatchInlineSnapshot(`
    {
      "code": 0,
      "stderr": "",
      "stdout": "{"id":"A-1001","user":"ada","call":"call_1","isSignal":true}
    invalid_arguments {"tool":"desk.get_order","issues":[{"path":"/orderId","constraint":"missing_field","field":"orderId","expected":"a string","message":"The required field \\"orderId\\" is missing; expected a string.","description":"Order number"},{"path":"/orderID","constraint":"unknown_field","field":"orderID","allowed":["orderId"],"nearest":"orderId","message":"Unknown field \\"orderID\\"; did you mean \\"orderId\\"?"}],"example":{"orderId":"text"},"rejected":"{\\"orderID\\":\\"A-1001\\"}","action":"correct_call","reason":"invalid_arguments","message":"The arguments are not valid."}
    internal {"message":"The tool failed because of an internal error.","tool":"desk.get_order","reason":"internal","action":"replan"}
    timeout {"message":"The call took too long and was aborted.","tool":"desk.cancel_order","reason":"timeout","action":"replan"}
    ",
    }
  `)
})

it('prints the registration again if the executor of a later import has other tools', () => {
  const again = (): string => project.toolgen('import', 'module', 'desk').stderr
  expect(again()).not.toContain('register the agent')
  project.write({ 'src/tools.ts': tools.replace('export const cancelOrder', 'export const endOrder') })
  expect(again()).toContain('openAiAgentsExecutor([endOrder, getOrder])')
})
