import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { ReportsClient } from '../src/reports-client.js'

export const reportsClient: ServiceClient<ReportsClient> = serviceClient<ReportsClient>()
