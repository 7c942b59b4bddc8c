import { defineAgent } from './agent.js'
import { defineToolset, exportToolset } from './toolset.js'
import { fromAgent, fromService, serviceClient } from './uses.js'

const orders = defineToolset('orders', { description: 'Orders.', tools: {} })
const client = serviceClient()

defineAgent('support', {
  description: 'Answers customers.',
  instructions: 'Be kind.',
  uses: [fromService(orders, client), fromService(orders, client, { as: 'archive' }), fromAgent(orders, { as: 'b' })],
  exports: [orders, exportToolset(orders)],
  policy: { maxTurns: 10, maxDepth: 2, onMissingFields: 'resume', onFailure: 'fail_fast' },
})
defineAgent('support', { description: 'x' })

defineAgent('support', {
  description: 'x',
  uses: [
    // @ts-expect-error: a toolset without a provider
    orders,
  ],
})
defineAgent('support', {
  description: 'x',
  exports: [
    // @ts-expect-error: a use, not a toolset
    fromService(orders, client),
  ],
})
defineAgent('support', {
  description: 'x',
  uses: [
    // @ts-expect-error: an export, not a use
    exportToolset(orders),
  ],
})
defineAgent('support', {
  description: 'x',
  policy: {
    // @ts-expect-error: unknown limit
    maxTurn: 10,
  },
})
defineAgent('support', {
  description: 'x',
  policy: {
    // @ts-expect-error: unknown mode
    onFailure: 'ignore',
  },
})
// @ts-expect-error: description is required
defineAgent('support', {})
