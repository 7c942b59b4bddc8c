import { Agent } from '@openai/agents'
import { base } from '@toolgen/runtime/agents'
import { aiSdkTools, loadTools as loadAiSdkTools } from '@toolgen/runtime/ai-sdk'
import { langChainTools, loadTools as loadLangChainTools } from '@toolgen/runtime/langchain'
import { loadTools as loadAgentsTools, openAiAgentsTools } from '@toolgen/runtime/openai-agents'
import { scriptedModel } from '@toolgen/runtime/testing'
import { useToolSearch } from '@toolgen/runtime/tool-search'
import { generateText, stepCountIs } from 'ai'
import { createAgent, createMiddleware } from 'langchain'
import { describe, expect, it } from 'vitest'
import { scripted as aiModel } from '../integrations/ai-sdk.framework.js'
import { ScriptedChatModel } from '../integrations/langchain.framework.js'
import { scripted as agentsModel, runner } from '../integrations/openai-agents.framework.js'
import { office } from './office.fixture.js'

const support = office(base(scriptedModel([])).with(useToolSearch()).build())
const keep = ['getOrder']

const call = (id: string, tool: string, args: object) => [{ id, tool, arguments: JSON.stringify(args) }]
const turns = [
  call('1', 'search_tools', { query: 'send an e-mail', limit: 1 }),
  call('2', 'sendMessage', { to: 'a@example.org', body: 'Hello' }),
  call('3', 'search_tools', { query: 'money back', limit: 1 }),
]

/** The names of the tools that each request offers. */
type Offered = readonly (readonly string[])[]
const sorted = (offered: Offered): Offered => offered.map((names) => [...names].sort())

const loaded: Offered = [
  ['search_tools', 'getOrder'],
  ['search_tools', 'getOrder', 'sendMessage'],
  ['search_tools', 'getOrder', 'sendMessage'],
  ['search_tools', 'getOrder', 'sendMessage', 'refundPayment'],
]

describe('loadTools', () => {
  it('selects the tools of each step of the AI SDK', async () => {
    const tools = aiSdkTools(support)
    const model = aiModel(turns)
    const prepareStep = loadAiSdkTools(tools, { keep })
    const { text } = await generateText({ model, tools, prepareStep, prompt: 'Help me.', stopWhen: stepCountIs(9) })
    expect(text).toBe('Done.')
    const offered = model.doGenerateCalls.map(({ tools: sent = [] }) => sent.map(({ name }) => name))
    expect(sorted(offered)).toEqual(sorted(loaded))
  })

  it('enables the tools of each turn of the OpenAI Agents SDK', async () => {
    const tools = loadAgentsTools(openAiAgentsTools(support, { strict: false }), { keep })
    const offered = async (model = agentsModel(turns)) => {
      const { finalOutput } = await runner.run(new Agent({ name: 'support', model, tools }), 'Help me.')
      expect(finalOutput).toBe('Done.')
      return model.calls.map(({ request }) => request.tools.flatMap((tool) => ('name' in tool ? [tool.name] : [])))
    }
    expect(sorted(await offered())).toEqual(sorted(loaded))
    // Each run loads its own tools.
    expect(sorted(await offered(agentsModel([])))).toEqual(sorted(loaded.slice(0, 1)))
  })

  it('selects the tools of each request of LangChain, and appends new ones', async () => {
    const tools = langChainTools(support)
    const model = new ScriptedChatModel(turns)
    const load = loadLangChainTools(tools, { keep })
    const offered: (readonly string[])[] = []
    const middleware = [
      createMiddleware({
        name: 'tool search',
        wrapModelCall: async (request, ask) => {
          const response = await ask(load(request))
          offered.push(model.offered.map(({ name }) => name))
          return response
        },
      }),
    ]
    const agent = createAgent({ model, tools, middleware })
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Help me.' }] })
    expect(messages.at(-1)?.content).toBe('Done.')
    expect(offered).toEqual(loaded)
  })

  it.each([
    ['the AI SDK', (from: typeof support, kept: readonly string[]) => loadAiSdkTools(aiSdkTools(from), { keep: kept })],
    [
      'LangChain',
      (from: typeof support, kept: readonly string[]) => loadLangChainTools(langChainTools(from), { keep: kept }),
    ],
    [
      'OpenAI Agents',
      (from: typeof support, kept: readonly string[]) => loadAgentsTools(openAiAgentsTools(from), { keep: kept }),
    ],
  ])('rejects unknown names and tools without a search, with %s', (_, load) => {
    expect(() => load(support, ['getOrders'])).toThrow(
      "loadTools: `keep` names a tool that does not exist: 'getOrders'. Did you mean 'getOrder'",
    )
    expect(() => load(office(), [])).toThrow(
      "loadTools: there is no tool 'search_tools'. Build the agent with useToolSearch().",
    )
  })
})
