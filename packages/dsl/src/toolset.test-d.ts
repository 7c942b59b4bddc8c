import { z } from 'zod'
import { assertType, type Equal } from './equal.fixture.js'
import { type ArgumentsOf, defineTool } from './tool.js'
import type { Toolset } from './toolset.js'
import { defineToolset } from './toolset.js'

const getOrder = defineTool({
  description: 'Fetch one order.',
  payload: z.object({ orderId: z.string() }),
  result: z.object({ id: z.string() }),
})
const orders = defineToolset('orders', { description: 'Orders.', tools: { getOrder }, namespace: 'shop' })

// The type of a toolset contains the names and types of its tools.
assertType<Equal<keyof typeof orders.tools, 'getOrder'>>()
assertType<Equal<ArgumentsOf<typeof orders.tools.getOrder>, { orderId: string }>>()
const value: Toolset = orders

// A tool that is defined inside a toolset has the same types.
const inside = defineToolset('orders', {
  description: 'Orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order.',
      payload: z.object({ orderId: z.string() }),
      result: z.object({ id: z.string() }),
      examples: [
        { orderId: 'A-1' },
        // @ts-expect-error: unknown field
        { order: 'A-1' },
      ],
    }),
  },
})
assertType<Equal<typeof inside.tools.getOrder, typeof getOrder>>()

defineToolset('orders', {
  description: 'Orders.',
  tools: {
    getOrder,
    // @ts-expect-error: not a tool
    findOrder: { description: 'Find an order.' },
  },
})
defineToolset('orders', {
  description: 'Orders.',
  tools: { getOrder },
  // @ts-expect-error: unknown property
  name: 'orders',
})
// @ts-expect-error: a toolset needs tools
defineToolset('orders', { description: 'Orders.' })
// @ts-expect-error: a toolset needs a name
defineToolset({ description: 'Orders.', tools: { getOrder } })

void value
