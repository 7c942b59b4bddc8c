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

/** The same tools as an agent has them beneath those that it exports, with codecs of their own: decodes are counted. */
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

/** The model that the clerk's planners say they ask, and the tokens of each decision. */
const model = 'clerk-model'
const usage = { promptTokens: 7, completionTokens: 3 }

/** The facts of a call that a run of the clerk served: the turns of the last run, the decisions and calls of all attempts. */
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

/** What the clerk is told of a call: the tool and its payload. */
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

/** Hands the one call that it is asked for on to its own tool. */
const handsOn: Planner = ({ messages, outcomes }) => {
  const { name, sent } = taskOf(messages)
  if (outcomes.length > 0) return { ...answer('See the call.'), usage, model }
  return { ...callTools({ tool: `store.${name}`, arguments: sent, toolCallId: 'beneath' }), usage, model }
}

/** An agent whose planner calls a service tool; the result is that of the call. */
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
    // Who answers with what does not fit is asked once more.
    const turns = reason === 'malformed_result' ? 3 : 2
    return factsOf({ turns, decisions: turns * attempts }, children)
  },
  lacks: {},
}

/** An agent whose planner answers itself, with a typed value. */
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
    // A planner that throws decides nothing; who answers with what does not fit is asked once more.
    const turns = reason === 'malformed_result' ? 2 : 0
    return factsOf({ turns, decisions: turns }, [])
  },
  lacks: {},
}
