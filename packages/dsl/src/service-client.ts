import type { ServiceClient } from './values.js'

/**
 * Stands for a service's TypeScript client: it carries the client's type to the generator and nothing at run time.
 * Export it from a module of its own that imports no schemas, since generated code refers to its type.
 *
 * @example
 * import type { OrdersClient } from '../src/orders-client.js'
 * export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
 */
export function serviceClient<Client = unknown>(): ServiceClient<Client> {
  return Object.freeze<ServiceClient<Client>>({ '~toolgen': 'client' })
}
