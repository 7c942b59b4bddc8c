import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { OrdersClient } from '../src/orders-client.js'
import type { PaymentsClient } from '../src/payments-client.js'

export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
export const paymentsClient: ServiceClient<PaymentsClient> = serviceClient<PaymentsClient>()
