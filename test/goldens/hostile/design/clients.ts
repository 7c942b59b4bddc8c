import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { OddClient } from '../src/odd-client.js'

export const client: ServiceClient<OddClient> = serviceClient<OddClient>()
