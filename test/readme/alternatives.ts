import { Agent, tool as agentsTool } from '@openai/agents'
import { tool as aiTool, generateText, stepCountIs } from 'ai'
import { createAgent, tool as langChainTool } from 'langchain'
import { z } from 'zod'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { Runtime, renderForModel } from '../../packages/runtime/src/index.js'
import { scripted as aiModel } from '../integrations/ai-sdk.framework.js'
import { ScriptedChatModel, toolMessages } from '../integrations/langchain.framework.js'
import { scripted as agentsModel, runner, toldIn } from '../integrations/openai-agents.framework.js'

const about = { name: 'orders_get', description: 'Fetch one order.' }
const parameters = z.object({ orderId: z.string() })
const result = z.object({ id: z.string(), total: z.number() })

/** The same schemas, as generated code has them. */
const generated = {
  arguments: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
  result: {
    type: 'object',
    properties: { id: { type: 'string' }, total: { type: 'number' } },
    required: ['id', 'total'],
  },
} as const

type Execute = (sent: object) => Promise<object>
/** Calls one tool and returns the text that a model reads. All ways to write a tool use the same schemas and default settings. */
type Told = (sent: object, execute: Execute) => Promise<string>

const calls = (sent: object) => [[{ id: 'call-1', tool: about.name, arguments: JSON.stringify(sent) }]]

/** Ways to write a tool, by the column headers of the table. */
export const ways: Readonly<Record<string, Told>> = {
  toolgen: async (sent, execute) => {
    const registration = registrationOf(toolOf('orders.get', generated), async ({ payload }) =>
      execute(Object(await payload())),
    )
    const outcome = await new Runtime()
      .registerToolset(registration)
      .execute({ tool: about.name, arguments: JSON.stringify(sent) })
    return renderForModel(outcome)
  },
  '`tool` of `ai` 6': async (sent, execute) => {
    const model = aiModel(calls(sent))
    const get = aiTool({
      description: about.description,
      inputSchema: parameters,
      outputSchema: result,
      execute: async (read): Promise<any> => execute(read),
    })
    await generateText({ model, tools: { [about.name]: get }, prompt: 'Help me.', stopWhen: stepCountIs(3) })
    const [part] = model.doGenerateCalls[1]?.prompt.at(-1)?.content ?? []
    const output = typeof part === 'object' && part.type === 'tool-result' ? part.output : undefined
    if (output === undefined || !('value' in output)) return ''
    return typeof output.value === 'string' ? output.value : JSON.stringify(output.value)
  },
  '`tool` of `@openai/agents` 0.20': async (sent, execute) => {
    const model = agentsModel(calls(sent))
    const tools = [agentsTool({ ...about, parameters, execute })]
    await runner.run(new Agent({ name: 'support', model, tools }), 'Help me.')
    return toldIn(model.calls[1]?.request.input ?? '')[0]?.text ?? ''
  },
  '`tool` of `langchain` 1': async (sent, execute) => {
    const model = new ScriptedChatModel(calls(sent))
    const agent = createAgent({ model, tools: [langChainTool(execute, { ...about, schema: parameters })] })
    await agent.invoke({ messages: [{ role: 'user', content: 'Help me.' }] })
    return String(toolMessages(model.heard[1] ?? [])[0]?.content)
  },
}
