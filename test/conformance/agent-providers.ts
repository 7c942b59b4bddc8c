import { answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import type { ChatMessage } from '../../packages/runtime/src/chat.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import {
  type ToolCallRef,
  type ToolDescriptor,
  type ToolsetDescriptor,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import { payloadCodec, resultCodec } from '../../packages/runtime/src/schema.js'
import type { ToolsetExport } from '../../packages/runtime/src/types/registration.js'
import type { CallFacts, Provider } from './provider.js'
import { tools } from './shop.js'
import { executorOf, orders } from './shop-executor.js'

/** The tools of the agent itself: the same tools with their own codecs, because decodes are counted. */
const beneath: readonly ToolDescriptor[] = tools.map(({ spec, call }) => {
  const { confirmation, ...own } = spec
  const serverOwned = spec.serverOwned.map(({ field }) => field)
  return {
    call,
    spec: { ...own, id: `store.${spec.name}`, toolset: 'store', toolName: `store_${spec.name}` },
    payload: payloadCodec({ schema: spec.arguments, serverOwned }),
    result: resultCodec({ schema: {}, unknown: 'keep' }),
  }
})

/** Model that the planners of the clerk report, and tokens of each decision. */
const model = 'clerk-model'
const usage = { promptTokens: 7, completionTokens: 3 }

/** Returns the facts of a call that a run of the clerk served: turns of the last run, and decisions and calls of all attempts. */
function factsOf(
  { turns, decisions }: { readonly turns: number; readonly decisions: number },
  children: readonly ToolCallRef[],
): CallFacts {
  const { promptTokens, completionTokens } = usage
  return {
    service: 'clerk',
    ...(turns > 0 && { model }),
    children,
    usage: { turns, promptTokens: decisions * promptTokens, completionTokens: decisions * completionTokens },
  }
}

const clerk = { name: 'clerk', description: 'Works in the shop.' }

/** The exported tools, with the prompts that the clerk receives: the tool and its payload. */
const exported: ToolsetExport = {
  toolset: orders,
  agent: clerk,
  tools: {
    find: { template: 'find {"orderId":"{{orderId}}","quantity":{{quantity}}}' },
    cancel: { template: 'cancel {"orderId":"{{orderId}}"}' },
    mine: { text: 'mine {}' },
  },
}

function taskOf(messages: readonly ChatMessage[]): { readonly name: string; readonly sent: string } {
  const [, name = '', sent = ''] = /^(\w+) (.*)$/.exec(String(messages[0]?.content)) ?? []
  return { name, sent }
}

/** Makes one call: of the clerk's own tool with the received payload. */
const handsOn: Planner = ({ messages, outcomes }) => {
  const { name, sent } = taskOf(messages)
  if (outcomes.length > 0) return { ...answer('See the call.'), usage, model }
  return { ...callTools({ tool: `store.${name}`, arguments: sent, toolCallId: 'beneath' }), usage, model }
}

/** Agent whose planner calls a service tool and returns its result. */
export const agent: Provider = {
  name: 'agent',
  kind: 'agent',
  make: (runtime, shop, { options, layers }) => {
    const store: ToolsetDescriptor = { ...orders, name: 'store', tools: beneath }
    const own = toolsetRegistration({ toolset: store, provider: 'service' }, executorOf(shop, beneath))
    const bound = runtime.registerAgent(clerk, [own], { planner: handsOn })
    return layers(agentToolsetRegistration(exported, bound, options))
  },
  facts: ({ attempts, reason, toolCallId }) => {
    if (attempts === 0) return { service: 'clerk' }
    const child = { tool: 'store.find', toolCallId: 'beneath', parentToolCallId: toolCallId }
    const children = Array.from({ length: attempts }, () => child)
    // The runtime asks the planner once more after a malformed result.
    const turns = reason === 'malformed_result' ? 3 : 2
    return factsOf({ turns, decisions: turns * attempts }, children)
  },
  lacks: {},
}

/** Agent whose planner returns a typed value without a call. */
export const answering: Provider = {
  name: 'agent that answers typed',
  kind: 'agent',
  make: (runtime, shop, { options, layers }) => {
    const planner: Planner = async ({ messages, meta }) => {
      const { name, sent } = taskOf(messages)
      const payload = { ...JSON.parse(sent), ...(name === 'mine' && { sessionId: meta.sessionId }) }
      const value: any = await shop.answer(name, payload, meta)
      return { ...answer(value), usage, model }
    }
    return layers(agentToolsetRegistration(exported, runtime.registerAgent(clerk, [], { planner }), options))
  },
  facts: ({ attempts, status, reason }) => {
    if (attempts === 0) return { service: 'clerk' }
    if (status === 'completed') return factsOf({ turns: 1, decisions: 1 }, [])
    // If the planner throws, there is no decision. After a malformed result, the runtime asks once more.
    const turns = reason === 'malformed_result' ? 2 : 0
    return factsOf({ turns, decisions: turns }, [])
  },
  lacks: {},
}
