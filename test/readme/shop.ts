import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { importFunctions } from '../../packages/codegen/src/import/functions/import-functions.js'
import { scriptedModels } from './scripted-models.js'

/** A file of the example with an imported toolset. */
const ofFiles = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../examples/files/design/${name}`, import.meta.url)), 'utf8')

/** The files of a toolset of imported functions. */
const weather = importFunctions('weather', {
  text: JSON.stringify({
    name: 'get_weather',
    description: 'The weather in a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  }),
  file: 'tools.json',
  shown: '`tools.json`',
}).files.map(({ path, text }) => [`design/${path}`, text] as const)

/**
 * What the examples of the documents share and do not show: the design of a shop, its service client, and the names of
 * the generated code.
 */
export const shop: Readonly<Record<string, string>> = {
  ...Object.fromEntries(weather),
  'design/clients.ts': `import { serviceClient } from '@toolgen/dsl'
import type { OrdersClient } from '../src/orders-client.js'
import type { WeatherClient } from '../src/weather-client.js'
export const ordersClient = serviceClient<OrdersClient>()
export const weatherClient = serviceClient<WeatherClient>()`,
  'design/files.mcp.json': ofFiles('files.mcp.json'),
  'design/files.mcp.ts': ofFiles('files.mcp.ts'),
  'design/orders.ts': `import { defineAgent, defineTool, defineToolset, exportToolset, fromAgent, fromMcp, fromService } from '@toolgen/dsl'
import { z } from 'zod'
import { ordersClient, weatherClient } from './clients.js'
import { files } from './files.mcp.js'
import { weather } from './weather.functions.js'
const orderId = z.string().describe('Order number, e.g. A-1001')
const order = z.object({ id: z.string(), status: z.enum(['open', 'shipped', 'cancelled']), total: z.number() })
export const orders = defineToolset('orders', {
  description: 'Look up and change customer orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order.',
      payload: z.object({ orderId, sessionId: z.string() }),
      result: order,
      serverOwned: { sessionId: 'sessionId' },
      callHint: 'Looking up {{orderId}}',
      resultHint: '{{id}} is {{status}}',
      readOnly: true,
    }),
    cancelOrder: defineTool({
      description: 'Cancel an order that has not been shipped.',
      payload: z.object({ orderId }),
      result: order,
      confirmation: { prompt: 'Cancel order {{orderId}}?' },
      destructive: true,
    }),
  },
})
export const advice = defineToolset('advice', {
  description: 'Advice about orders.',
  tools: {
    advise: defineTool({
      description: 'Answer a question about an order.',
      payload: z.object({ orderId, question: z.string() }),
      result: z.object({ id: z.string(), status: z.string() }),
    }),
  },
})
export const support = defineAgent('support', {
  description: 'Answers customers about their orders.',
  uses: [fromService(orders, ordersClient, { tools: { getOrder: { method: 'fetchOrder' } } })],
  exports: [exportToolset(advice, { tools: { advise: { template: '{{question}} It is about order {{orderId}}.' } } })],
})
export const desk = defineAgent('desk', {
  description: 'The first to talk to.',
  uses: [fromAgent(advice)],
})
export const parcels = defineToolset('parcels', {
  description: 'Follow parcels.',
  tools: {
    follow: defineTool({
      description: 'Follow a parcel until it has arrived.',
      payload: z.object({ orderId }),
      result: z.object({ place: z.string() }),
      streaming: { updates: z.object({ place: z.string() }) },
    }),
  },
})
export const courier = defineAgent('courier', {
  description: 'Follows parcels.',
  uses: [fromService(parcels, ordersClient, { tools: { follow: { method: 'places', collect: 'last' } } })],
})
export const librarian = defineAgent('librarian', {
  description: 'Looks things up in files.',
  uses: [fromMcp(files, { only: ['readTextFile', 'listDirectory'], rename: { readTextFile: 'read_file' } })],
})
export const helper = defineAgent('helper', { description: 'Knows the weather.', uses: [fromService(weather, weatherClient)] })`,
  // Documents show these modules from where a design imports them.
  'src/files.mcp.ts': "export { files } from '../design/files.mcp.js'",
  'src/weather.functions.ts': "export { weather } from '../design/weather.functions.js'",
  'src/weather-client.ts': `export class WeatherClient {
  async getWeather({ city }: { city: string }): Promise<{ city: string; degrees: number }> {
    return { city, degrees: 21 }
  }
}`,
  'notes.txt': 'Call Ada.',
  'src/orders-client.ts': `export interface Order { id: string; status: 'open' | 'shipped' | 'cancelled'; total: number }
export class OrdersClient {
  async fetchOrder(request: { orderId: string; sessionId: string }): Promise<Order> {
    return { id: request.orderId, status: 'shipped', total: 41.5 }
  }
  async cancelOrder(request: { orderId: string }): Promise<Order> {
    return { id: request.orderId, status: 'cancelled', total: 41.5 }
  }
  async *places(request: { orderId: string }): AsyncGenerator<{ place: string }> {
    yield* [{ place: 'Turin' }, { place: 'Milan' }]
  }
}`,
  'src/models.ts': scriptedModels,
  'src/names.ts': `import type { HasApproval, JsonText, Planner } from '@toolgen/runtime'
import { answer, callTools, Runtime } from '@toolgen/runtime'
import { newSupportOrdersServiceExecutor, newSupportOrdersToolsetRegistration, registerSupport } from '../gen/agents/support/index.js'
import { newGetOrderCall } from '../gen/toolsets/orders/index.js'
import { stdioCaller } from '@toolgen/runtime/mcp'
import { registerLibrarian } from '../gen/agents/librarian/index.js'
import { OrdersClient } from './orders-client.js'
export { registerLibrarian }
export { agentsModel, chatModel, languageModel } from './models.js'
export * from '../gen/agents/support/index.js'
export { registerDesk } from '../gen/agents/desk/index.js'
export * from '../gen/toolsets/advice/index.js'
export * from '../gen/toolsets/orders/index.js'
export { OrdersClient } from './orders-client.js'
export const client = new OrdersClient()
export const clerk: HasApproval['approval'] = { approve: async ({ arguments: order }) => (JSON.stringify(order).includes('A-1') ? 'approve' : 'deny') }
export const registration = newSupportOrdersToolsetRegistration(newSupportOrdersServiceExecutor(client))
export const planner: Planner = ({ outcomes }) =>
  outcomes.length === 0 ? callTools(newGetOrderCall({ orderId: 'A-1001' })) : answer('It has shipped.')
export const support = registerSupport(new Runtime(), { planner, toolsets: { orders: { client } } })
export const caller = stdioCaller({ command: 'node', args: ['node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', '.'] })
export const librarian = registerLibrarian(new Runtime(), { toolsets: { files: { caller } } })
export const forecast = (city: string): { readonly city: string; readonly degrees: number } => ({ city, degrees: 21 })
export const textFromAModel: JsonText = '{"orderId":"A-1001"}'`,
}

/** What of this the examples take without an import of their own. */
export const sharedNames: readonly string[] = [
  'advice',
  'agentsModel',
  'caller',
  'chatModel',
  'client',
  'clerk',
  'forecast',
  'languageModel',
  'librarian',
  'newAdviseCall',
  'newCancelOrderCall',
  'newGetOrderCall',
  'newSupportAgent',
  'newSupportOrdersServiceExecutor',
  'newSupportOrdersToolsetRegistration',
  'orders',
  'OrdersClient',
  'planner',
  'registerDesk',
  'registerLibrarian',
  'registerSupport',
  'registration',
  'support',
  'supportOrdersUse',
  'textFromAModel',
]
