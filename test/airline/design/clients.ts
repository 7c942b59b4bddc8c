import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { AirlineService } from '../src/airline-service.js'

export const airlineClient: ServiceClient<AirlineService> = serviceClient<AirlineService>()
