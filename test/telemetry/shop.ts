import {
  type ExecutorRequest,
  type RegistrationOptions,
  type ToolExecutor,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
} from '@toolgen/runtime'
import {
  newSupportOrdersServiceExecutor,
  newSupportOrdersToolsetRegistration,
  type SupportOrdersClient,
} from '../../examples/orders/gen/agents/support/orders.service.js'
import { supportOrdersUse } from '../../examples/orders/gen/agents/support/specs.js'
import { cancelOrderSpec, getOrderSpec, stockLevelSpec } from '../../examples/orders/gen/toolsets/orders/specs.js'
import { OrdersClient } from '../../examples/orders/src/orders-client.js'

const createdAt = new Date('2026-11-02T09:15:00.000Z')

/** A shop of which each order shows another way to end. */
export function newShop(): SupportOrdersClient {
  const tried = new Set<string>()
  const order = (id: string) => ({
    id,
    customerId: 'C-7',
    status: 'open' as const,
    createdAt,
    priority: 'standard' as const,
    lines: [{ sku: 'LAMP-1', quantity: 2, unitPrice: 39.9 }],
    total: 79.8,
  })
  const methods: Pick<
    SupportOrdersClient,
    'fetchOrder' | 'searchOrders' | 'placeOrder' | 'cancelOrder' | 'stockLevel'
  > = {
    async fetchOrder({ orderId }) {
      if (orderId === 'A-2') throw Object.assign(new Error('no'), { status: 429, headers: { 'retry-after': '60' } })
      if (orderId === 'A-3' && !tried.has(orderId)) {
        tried.add(orderId)
        throw Object.assign(new Error('no'), { status: 503, headers: {} })
      }
      if (orderId === 'A-4') return new Promise(() => undefined)
      return order(orderId)
    },
    async searchOrders() {
      return [order('A-1')]
    },
    async placeOrder() {
      throw new Error('the database is read-only')
    },
    async cancelOrder(orderId) {
      return { ...order(orderId), status: 'cancelled' }
    },
    async stockLevel(sku) {
      return { sku, inStock: 12, checkedAt: createdAt }
    },
  }
  // The class of the example has private fields, which by type no other object has; only its own methods use them.
  return Object.assign(Object.create(OrdersClient.prototype), methods)
}

/** What all providers are registered with. */
export const options: RegistrationOptions = {
  hints: {
    getOrder: { call: 'Looking up order {{orderId}}', result: 'Order {{id}} is {{status}}' },
    stockLevel: { call: 'Counting {{sku}}', result: '{{inStock}} in stock' },
    cancelOrder: { call: 'Cancelling order {{orderId}}' },
  },
  resultAdapter: (json) => json.replace('A-1', 'A-one'),
  telemetryBuilder: ({ outcome, meta }) => ({ tenant: meta.labels.tenant ?? null, ended: outcome.status }),
}

/** The shop's answers as JSON values, as a server of another protocol would send them. */
async function answerOf(shop: SupportOrdersClient, name: string, payload: any): Promise<unknown> {
  // `any`: an executor that is written by hand knows what its tools take.
  const { orderId = '', sku = '' } = payload
  if (name === 'getOrder') return json(await shop.fetchOrder({ orderId, sessionId: '' }))
  if (name === 'stockLevel') return json(await shop.stockLevel(sku))
  if (name === 'cancelOrder') return json(await shop.cancelOrder(orderId))
  throw new Error(`there is no tool ${name}`)
}

/** Without what the result does not declare, since nothing takes that out of the answers of hand-written tools. */
function json(answer: object): unknown {
  const { customerId, priority, ...declared } = JSON.parse(JSON.stringify(answer))
  return declared
}

function executorOf(shop: SupportOrdersClient): ToolExecutor {
  return { execute: async ({ tool: { name }, payload }: ExecutorRequest) => answerOf(shop, name, await payload()) }
}

/** The same tools, served in every way in which tools can be served. */
export const providers: Readonly<Record<string, (shop: SupportOrdersClient) => ToolsetRegistration>> = {
  service: (shop) => newSupportOrdersToolsetRegistration(newSupportOrdersServiceExecutor(shop), options),
  mcp: (shop) => toolsetRegistration({ ...supportOrdersUse, provider: 'mcp' }, executorOf(shop), options),
  agent: (shop) => toolsetRegistration({ ...supportOrdersUse, provider: 'agent' }, executorOf(shop), options),
  function: (shop) => ({
    ...toolset(
      'orders',
      ...[getOrderSpec, stockLevelSpec, cancelOrderSpec].map((spec) =>
        tool({
          name: spec.name,
          description: spec.description,
          parameters: spec.arguments,
          annotations: spec.annotations,
          run: (args) => answerOf(shop, spec.name, args),
        }),
      ),
    ),
    ...options,
  }),
}
