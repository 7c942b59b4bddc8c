import type { Catalogue } from './catalogue-entry.js'
import { serviceBindingCatalogue } from './service-binding.js'
import { servicePayloadCatalogue } from './service-payload.js'
import { serviceResultCatalogue } from './service-result.js'

/** What the service room reports. */
export const serviceCatalogue: Catalogue = {
  ...serviceBindingCatalogue,
  ...servicePayloadCatalogue,
  ...serviceResultCatalogue,
}
