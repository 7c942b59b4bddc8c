import { serviceClient } from '@toolgen/dsl'
import type { AirlineService } from '../src/airline-service.js'

export const airlineClient = serviceClient<AirlineService>()
