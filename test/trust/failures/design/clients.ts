import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { OrdersClient } from '../src/orders-client.js'

export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
