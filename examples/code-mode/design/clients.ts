import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { PaymentsClient } from '../src/payments-client.js'

export const paymentsClient: ServiceClient<PaymentsClient> = serviceClient<PaymentsClient>()
