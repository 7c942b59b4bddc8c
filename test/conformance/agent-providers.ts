import { agentToolsetRegistration } from '../../packages/runtime/src/agent/nested/agent-toolset.js'
import {
  answer,
  type ChatMessage,
  callTools,
  type Planner,
  payloadCodec,
  resultCodec,
  type ToolDescriptor,
  type ToolsetDescriptor,
  type ToolsetExport,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import type { Provider } from './provider.js'
import { tools } from './shop.js'
import { executorOf, orders } from './shop-executor.js'

/** The same tools as an agent has them beneath those that it exports, with codecs of their own: decodes are counted. */
const beneath: readonly ToolDescriptor[] = tools.map(({ spec, call }) => {
  const { confirmation, ...own } = spec
  const serverOwned = spec.serverOwned.map(({ field }) => field)
  return {
    call,
    spec: { ...own, id: `store.${spec.name}`, toolset: 'store', wireName: `store_${spec.name}` },
    payload: payloadCodec({ schema: spec.arguments, serverOwned }),
    result: resultCodec({ schema: {}, unknown: 'keep' }),
  }
})

const ofAgents = ['service', 'children', 'extra']

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
  if (outcomes.length > 0) return answer('See the call.')
  return callTools({ tool: `store.${name}`, arguments: sent, toolCallId: 'beneath' })
}

/** An agent whose planner calls a service tool; the result is that of the call. */
export const agent: Provider = {
  name: 'agent',
  make: (runtime, shop, { options, layers }) => {
    const store: ToolsetDescriptor = { ...orders, name: 'store', tools: beneath }
    const own = toolsetRegistration({ toolset: store, provider: 'service' }, executorOf(shop, beneath))
    const bound = runtime.registerAgent(clerk, [own], { planner: handsOn })
    return layers(agentToolsetRegistration(exported, bound, options))
  },
  provenance: ofAgents,
  lacks: {},
}

/** An agent whose planner answers itself, with a typed value. */
export const answering: Provider = {
  name: 'agent that answers typed',
  make: (runtime, shop, { options, layers }) => {
    const planner: Planner = async ({ messages, meta }) => {
      const { name, sent } = taskOf(messages)
      const payload = { ...JSON.parse(sent), ...(name === 'mine' && { sessionId: meta.sessionId }) }
      const value: any = await shop.answer(name, payload, meta)
      return answer(value)
    }
    return layers(agentToolsetRegistration(exported, runtime.registerAgent(clerk, [], { planner }), options))
  },
  provenance: ofAgents,
  lacks: {},
}
