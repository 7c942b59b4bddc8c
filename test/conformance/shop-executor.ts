import { serviceExecutor, serviceTool } from '../../packages/runtime/src/executors/service-executor.js'
import type { ToolDescriptor, ToolExecutor, ToolsetDescriptor } from '../../packages/runtime/src/index.js'
import { type Shop, tools } from './shop.js'

export const orders: ToolsetDescriptor = { name: 'orders', namespace: 'default', description: 'A shop.', tools }

/** Creates an executor for a client of the shop, as generated code does. */
export function executorOf(shop: Shop, descriptors: readonly ToolDescriptor[]): ToolExecutor {
  const served = descriptors.map(({ spec: { name } }) => [
    name,
    serviceTool({
      payload: (payload: unknown): [unknown] => [payload],
      call: ([payload], { meta }) => shop.answer(name, payload, meta),
      result: (answered: unknown) => answered,
    }),
  ])
  return serviceExecutor('orders', Object.fromEntries(served), 'shopClient')
}
