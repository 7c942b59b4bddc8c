import { type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { CatalogueClient } from '../src/catalogue-client.js'

export const clients: { readonly catalogue: ServiceClient<CatalogueClient> } = {
  catalogue: serviceClient<CatalogueClient>(),
}
