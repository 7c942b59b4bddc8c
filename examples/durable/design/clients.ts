import { serviceClient } from '@toolgen/dsl'
import type { InvoicesClient } from '../src/invoices-client.js'

export const invoicesClient = serviceClient<InvoicesClient>()
