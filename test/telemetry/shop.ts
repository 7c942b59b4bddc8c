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
 * A shop of which each order shows another way to end.
 *
 * @param stuck called when an order is asked for that never comes
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
      // A service may break its own types.
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

/** A way to serve the tools, by the executor that applications use, and its own facts of each call. */
export interface Served extends Pick<Provider, 'kind' | 'facts'> {
  readonly register: (shop: SupportOrdersClient, runtime: Runtime) => ToolsetRegistration
  /** Scenarios that the provider cannot have. */
  readonly lacks: readonly string[]
}

const tools = [getOrderSpec, stockLevelSpec, cancelOrderSpec]

const service: Served = {
  kind: 'service',
  register: (shop) => newSupportOrdersToolsetRegistration(newSupportOrdersServiceExecutor(shop), options),
  facts: () => ({ service: 'ordersClient' }),
  lacks: [],
}

/** The executor of MCP servers, over a connection in this process. */
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

/** The executor of HTTP APIs, over a `fetch` that asks the shop. Generated code names such a use a service. */
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

/** An agent that makes a note in its first step, and asks the shop in its second. */
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
      // `any`: the JSON of an answer.
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
    // Of a run that fails only its first step ended; who answers with what does not fit is asked once more.
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

/** Tools that are written by hand: no service is behind them, and they declare no result. */
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

/** The same tools, served in every way in which tools can be served. */
export const providers = { service, mcp, openapi, agent, function: hand } as const satisfies Readonly<
  Record<string, Served>
>
