import type { JsonSchema } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'

export function specOf(schema: JsonSchema, more: Partial<ToolSpec> = {}): ToolSpec {
  return {
    id: 'orders.getOrder',
    toolset: 'orders',
    name: 'getOrder',
    namespace: 'default',
    toolName: 'orders_getOrder',
    title: 'Get order',
    description: 'Finds an order.',
    tags: [],
    arguments: schema,
    result: { type: 'object' },
    examples: [],
    serverOwned: [],
    annotations: {},
    hash: '0',
    ...more,
  }
}
