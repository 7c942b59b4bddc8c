import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { InvoicesClient } from '../src/invoices-client.js'

export const invoicesClient: ServiceClient<InvoicesClient> = serviceClient<InvoicesClient>()
