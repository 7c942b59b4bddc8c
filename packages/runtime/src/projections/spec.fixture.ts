import type { JsonSchema } from '../types/json.js'
import type { ToolSpec } from '../types/tool.js'

/** Creates the spec of a tool with `schema` as the schema of its arguments. */
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
