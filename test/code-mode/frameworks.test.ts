import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { afterAll, describe, expect, it } from 'vitest'
import { useModel } from '../../packages/runtime/src/agents/features.js'
import { registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { base } from '../../packages/runtime/src/agents/standard-agent.js'
import { codeMode, useCodeMode } from '../../packages/runtime/src/code-mode.js'
import { Runtime, type ToolsetRegistration } from '../../packages/runtime/src/index.js'
import { serveMcp } from '../../packages/runtime/src/mcp.js'
import { find } from '../conformance/shop.js'
import { aiSdk } from '../integrations/ai-sdk.framework.js'
import { langChain } from '../integrations/langchain.framework.js'
import { openAiAgents } from '../integrations/openai-agents.framework.js'
import { agentOf } from '../integrations/shop.fixture.js'
import { driverOf } from '../openai/model-agent.fixture.js'
import { asks, call, modelServer, says } from '../openai/model-server.fixture.js'

// The threads run compiled code, so they are those of the built package.
const options = { checker: typescriptChecker(), sandbox: quickJsSandbox() }
afterAll(() => Promise.all([options.checker.close(), options.sandbox.close()]))

const programs = (): ToolsetRegistration => codeMode(agentOf(), options)

const right = `const [first, second] = await Promise.all([orders.find({ orderId: 'A-1' }), orders.find({ orderId: 'A-2' })])
return first.total + second.total`
const wrong = right.replace("orderId: 'A-2'", "orderID: 'A-2'")
const hint =
  "The program was not run.\nLine 1: Object literal may only specify known properties, but 'orderID' does not exist in type"
const result = '{"value":25}'

describe.each([aiSdk, openAiAgents, langChain])('code mode in $name', (framework) => {
  it('offers one tool, returns errors to the model, and runs the corrected program', async () => {
    const calls = [wrong, right].map((code, index) => [
      { id: `call_${index}`, tool: 'run_program', arguments: JSON.stringify({ code }) },
    ])
    const played = await framework.play(new Runtime().registerToolset(programs()), calls, {
      context: { sessionId: 's-1' },
    })
    expect(played.offered).toMatchObject([
      { name: 'run_program', description: expect.stringContaining('declare namespace orders') },
    ])
    expect(played.told).toEqual([
      [{ id: 'call_0', text: expect.stringContaining(hint) }],
      [{ id: 'call_1', text: result }],
    ])
    expect(played.text).toBe('Done.')
  })
})

it('code mode with the OpenAI driver offers one tool, tells the model what is wrong, and runs the corrected program', async () => {
  const server = await modelServer(
    asks(call('call_0', 'run_program', { code: wrong })),
    asks(call('call_1', 'run_program', { code: right })),
    says('25'),
  )
  const agent = base()
    .with(useModel(driverOf(server)))
    .with(useCodeMode(options))
    .build()
  const shop = { name: 'support', description: 'Answers customers.' }
  const registration = registrationOf(find, () => ({ id: 'A-1', total: 12.5 }))
  const run = await new Runtime().registerAgent(shop, [registration], { agent }).run('How much?')
  expect(server.bodies[0]?.['tools']).toMatchObject([
    { function: { name: 'run_program', description: expect.stringContaining('declare namespace orders') } },
  ])
  expect(server.bodies.slice(1).map(({ messages }) => messages.at(-1)?.['content'])).toEqual([
    expect.stringContaining(hint),
    result,
  ])
  expect(run.result?.text).toBe('25')
})

it('code mode in an MCP server offers one tool, tells the model what is wrong, and runs the corrected program', async () => {
  const [ofClient, ofServer] = InMemoryTransport.createLinkedPair()
  const service = await serveMcp(new Runtime(), {
    toolsets: [programs()],
    context: () => ({ sessionId: 's-1' }),
    transport: ofServer,
  })
  const client = new Client({ name: 'any', version: '1.0.0' })
  await client.connect(ofClient)
  const run = (code: string) => client.callTool({ name: 'run_program', arguments: { code } })
  const { tools } = await client.listTools()
  expect(tools).toMatchObject([
    { name: 'run_program', description: expect.stringContaining('declare namespace orders') },
  ])
  expect(await run(wrong)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(hint) }] })
  expect(await run(right)).toMatchObject({ content: [{ text: result }], structuredContent: { value: 25 } })
  await client.close()
  await service.close()
})
