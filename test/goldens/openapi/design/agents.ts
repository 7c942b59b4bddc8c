import { type Agent, defineAgent, fromOpenApi } from '@toolgen/dsl'
import { pets } from './pets.openapi.js'

export const shop: Agent = defineAgent('shop', {
  description: 'Sells pets.',
  uses: [
    fromOpenApi(pets, { only: ['listPets', 'addPet'], rename: { listPets: 'list' } }),
    fromOpenApi(pets, { as: 'photos', only: ['photosPut'] }),
  ],
})
