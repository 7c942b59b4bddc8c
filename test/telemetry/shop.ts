import {
  mcpExecutor,
  type RegistrationOptions,
  type Runtime,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
} from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import type { McpCaller, McpServedTool } from '@toolgen/runtime/mcp'
import { type ApiOperation, openApiExecutor } from '@toolgen/runtime/openapi'
import {
  newSupportOrdersServiceExecutor,
  newSupportOrdersToolsetRegistration,
  type SupportOrdersClient,
} from '../../examples/orders/gen/agents/support/orders.service.js'
import { supportOrdersUse } from '../../examples/orders/gen/agents/support/specs.js'
import { ordersToolset } from '../../examples/orders/gen/toolsets/orders/index.js'
import { cancelOrderSpec, getOrderSpec, stockLevelSpec } from '../../examples/orders/gen/toolsets/orders/specs.js'
import { OrdersClient } from '../../examples/orders/src/orders-client.js'
import type { Provider } from '../conformance/provider.js'

const createdAt = new Date('2026-11-02T09:15:00.000Z')

/**
 * Creates the client of a shop. Each order leads to another outcome.
 *
 * @param stuck called when a tool requests the order that never arrives
 */
export function newShop(stuck: () => void = () => undefined): SupportOrdersClient {
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
      if (orderId === 'A-4') {
        stuck()
        return new Promise(() => undefined)
      }
      // Returns a value that violates the declared type, as a faulty service can.
      if (orderId === 'A-5') return { ...order(orderId), total: 'much' as never }
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
  // The class of the example has private fields, so that object literals do not have its type. Only its own methods use these fields.
  return Object.assign(Object.create(OrdersClient.prototype), methods)
}

/** Registration options for all providers. */
export const options: RegistrationOptions = {
  hints: {
    getOrder: { call: 'Looking up order {{orderId}}', result: 'Order {{id}} is {{status}}' },
    stockLevel: { call: 'Counting {{sku}}', result: '{{inStock}} in stock' },
    cancelOrder: { call: 'Cancelling order {{orderId}}' },
  },
  resultAdapter: (json) => json.replace('A-1', 'A-one'),
  telemetryBuilder: ({ outcome, meta }) => ({ tenant: meta.labels.tenant ?? null, ended: outcome.status }),
}

/** Returns the results of the shop as JSON values, as an MCP or HTTP server sends them. */
async function answerOf(shop: SupportOrdersClient, name: string, payload: any): Promise<unknown> {
  // `any`: a hand-written executor knows the payloads of its tools.
  const { orderId = '', sku = '' } = payload
  if (name === 'getOrder') return json(await shop.fetchOrder({ orderId, sessionId: '' }))
  if (name === 'stockLevel') return json(await shop.stockLevel(sku))
  if (name === 'cancelOrder') return json(await shop.cancelOrder(orderId))
  throw new Error(`there is no tool ${name}`)
}

/** Removes undeclared fields, because the runtime does not remove them from the results of hand-written tools. */
function json(answer: object): unknown {
  const { customerId, priority, ...declared } = JSON.parse(JSON.stringify(answer))
  return declared
}

/** A way to serve the tools, with the executor that applications use, and the provider-specific facts of a call. */
export interface Served extends Pick<Provider, 'kind' | 'facts'> {
  readonly register: (shop: SupportOrdersClient, runtime: Runtime) => ToolsetRegistration
  /** Names of scenarios that the provider does not support. */
  readonly lacks: readonly string[]
}

const tools = [getOrderSpec, stockLevelSpec, cancelOrderSpec]

const service: Served = {
  kind: 'service',
  register: (shop) => newSupportOrdersToolsetRegistration(newSupportOrdersServiceExecutor(shop), options),
  facts: () => ({ service: 'ordersClient' }),
  lacks: [],
}

/** MCP provider, over a connection in this process. */
const mcp: Served = {
  kind: 'mcp',
  register: (shop) => {
    const caller: McpCaller = {
      server: { name: 'shop-server', version: '1.0.0' },
      callTool: async (call) => ({ structuredContent: await answerOf(shop, call.name, call.arguments) }),
      listTools: async () => [],
      close: async () => undefined,
    }
    const served: Readonly<Record<string, McpServedTool>> = Object.fromEntries(
      tools.map(({ name }) => [name, { name }]),
    )
    const imported = { toolset: ordersToolset, tools: served, server: { name: 'shop-server', version: '1.0.0' } }
    const executor = mcpExecutor(imported, caller, { onDrift: 'ignore' })
    return toolsetRegistration({ ...supportOrdersUse, provider: 'mcp' }, executor, options)
  },
  facts: () => ({ service: 'shop-server' }),
  lacks: [],
}

const operations: Readonly<Record<string, ApiOperation>> = {
  getOrder: { method: 'GET', path: '/getOrder/{orderId}', parameters: [{ field: 'orderId', in: 'path' }] },
  stockLevel: { method: 'GET', path: '/stockLevel/{sku}', parameters: [{ field: 'sku', in: 'path' }] },
  cancelOrder: { method: 'POST', path: '/cancelOrder/{orderId}', parameters: [{ field: 'orderId', in: 'path' }] },
}

/** HTTP API provider, with a `fetch` that calls the shop. Its kind in generated code is `service`. */
const openapi: Served = {
  kind: 'service',
  register: (shop) => {
    const send = async (url: string | URL | Request): Promise<Response> => {
      const [, name = '', id = ''] = new URL(String(url)).pathname.split('/')
      try {
        return Response.json(await answerOf(shop, name, { orderId: id, sku: id }))
      } catch (error) {
        const { status = 500, headers = {} } = Object(error)
        return new Response(null, { status, headers })
      }
    }
    const api = { toolset: ordersToolset, server: 'http://shop.test', operations }
    const executor = openApiExecutor(api, { fetch: send })
    return toolsetRegistration(supportOrdersUse, executor, options)
  },
  facts: () => ({ service: 'orders' }),
  lacks: [],
}

const model = 'clerk-model'
const usage = { promptTokens: 7, completionTokens: 3 }

/** Agent that takes a note in its first step and calls the shop in its second. */
const agent: Served = {
  kind: 'agent',
  register: (shop, runtime) => {
    const clerk = { name: 'clerk', description: 'Works in the shop.' }
    const note = tool({ name: 'note', description: 'Make a note.', parameters: {}, run: () => 'noted' })
    const planner: Planner = async ({ turn, messages }) => {
      if (turn === 1) {
        return { ...callTools({ tool: 'note', arguments: '{}', toolCallId: 'beneath' }), usage, model }
      }
      const [, name = '', sent = ''] = /^(\w+) (.*)$/.exec(String(messages[0]?.content)) ?? []
      // `any`: JSON of a result.
      const value: any = await answerOf(shop, name, JSON.parse(sent))
      return { ...answer(value), usage, model }
    }
    const bound = runtime.registerAgent(clerk, [toolset('notes', note)], { planner })
    const exported = {
      toolset: ordersToolset,
      agent: clerk,
      tools: {
        getOrder: { template: 'getOrder {"orderId":"{{orderId}}"}' },
        stockLevel: { template: 'stockLevel {"sku":"{{sku}}"}' },
        cancelOrder: { template: 'cancelOrder {"orderId":"{{orderId}}"}' },
      },
    }
    return agentToolsetRegistration(exported, bound, options)
  },
  facts: ({ attempts, status, reason, toolCallId }) => {
    if (attempts === 0) return { service: 'clerk' }
    const child = { tool: 'notes.note', toolCallId: 'beneath', parentToolCallId: toolCallId }
    const children = Array.from({ length: attempts }, () => child)
    // In a failed run, only the first step ended. After a malformed result, the runtime asks once more.
    const turns = status === 'completed' ? 2 : reason === 'malformed_result' ? 3 : 1
    const decisions = attempts - 1 + turns
    const tokens = {
      promptTokens: decisions * usage.promptTokens,
      completionTokens: decisions * usage.completionTokens,
    }
    return { service: 'clerk', model, children, usage: { turns, ...tokens } }
  },
  lacks: [],
}

/** Hand-written tools without a service and without declared results. */
const hand: Served = {
  kind: 'function',
  register: (shop) => ({
    ...toolset(
      'orders',
      ...tools.map((spec) =>
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
  facts: () => ({}),
  lacks: ['malformed'],
}

/** The same tools with all providers. */
export const providers = { service, mcp, openapi, agent, function: hand } as const satisfies Readonly<
  Record<string, Served>
>
