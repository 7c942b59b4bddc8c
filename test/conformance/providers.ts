import { inputSchema, tool, toolset, toolsetRegistration } from '../../packages/runtime/src/index.js'
import { agent, answering } from './agent-providers.js'
import { mcp, mcpOverHttp } from './mcp-providers.js'
import type { Provider } from './provider.js'
import { tools } from './shop.js'
import { executorOf, orders } from './shop-executor.js'

export const service: Provider = {
  name: 'service',
  kind: 'service',
  make: (_, shop, { options, layers }) =>
    layers(toolsetRegistration({ toolset: orders, provider: 'service' }, executorOf(shop, tools), options)),
  facts: () => ({ service: 'shopClient' }),
  lacks: {},
}

/** Hand-written tools with the same enforced schemas. */
export const hand: Provider = {
  name: 'function',
  kind: 'function',
  make: (_, shop, { options, layers }) => {
    const written = tools.map(({ spec: { name, title, description, annotations, callHint, resultHint, ...spec } }) =>
      tool({
        name,
        title,
        description,
        annotations,
        parameters: spec.arguments,
        ...(callHint !== undefined && { callHint }),
        ...(resultHint !== undefined && { resultHint }),
        run: (args, { meta }) => shop.answer(name, args, meta),
      }).layer(inputSchema('strict')),
    )
    // The options come last, because adding a layer drops options that were spread into the registration.
    return { ...layers(toolset('orders', ...written)), ...options }
  },
  facts: () => ({}),
  lacks: {
    examples: 'a hand-written tool has no examples: its hints show none',
    defaults: 'its schema is advertised and enforced, and no codec fills in what it says',
    'result codec': 'it declares no result: what it answers is passed on as it is',
    'server-owned fields': 'its arguments are what models send; what the caller says is in `meta`',
    confirmation: 'it has no design that could ask for one: the layer asks without a prompt, and a denial is a failure',
    'tool names': 'models call it by its own name',
  },
}

export const providers: readonly Provider[] = [service, agent, answering, mcp, mcpOverHttp, hand]
