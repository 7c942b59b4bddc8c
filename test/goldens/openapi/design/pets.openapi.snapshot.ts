// Written by `toolgen import openapi pets`, c697b42a461d2933. Do not edit; import again, and change tools in `pets.openapi.ts`.

import type { Snapshot } from '@toolgen/dsl'

/** Names of the tools and of their fields. `pets.openapi.json` contains the tools. */
export const petsSnapshot: Snapshot<{
  listPets: 'filter_kind' | 'limit' | 'X-Request-Id'
  addPet: 'name' | 'kind' | 'parent' | 'price'
  photosPut: 'id' | 'body_id' | 'photo'
}> = { '~toolgen': 'snapshot', kind: 'openapi', toolset: 'pets', file: './pets.openapi.json' }
