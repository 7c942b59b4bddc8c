import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { ArchiveClient } from '../src/archive-client.js'
import type { OrdersClient } from '../src/orders-client.js'

export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
export const archiveClient: ServiceClient<ArchiveClient> = serviceClient<ArchiveClient>()
