import type { Equal } from './equal.fixture.js'
import { type ArgumentsOf, fromOpenApi, importedToolset, type Json, type Snapshot } from './index.js'

declare const snapshot: Snapshot<{ getPet: 'id' | 'kind'; listPets: never; search: string; deletePet: 'id' }>

const pets = importedToolset(snapshot, {
  omit: ['deletePet'],
  tools: {
    getPet: {
      description: 'Look at one pet.',
      fields: { id: { description: 'Number of the pet.' } },
      examples: [{ id: 7 }],
      serverOwned: { kind: 'labels.kind' },
      confirmation: { prompt: 'Look?', deniedResult: null },
    },
    search: { fields: { anything: { description: 'Any field.' } } },
  },
})
fromOpenApi(pets, { only: ['getPet'], rename: { getPet: 'look' } })
export const names: Equal<keyof typeof pets.tools, 'getPet' | 'listPets' | 'search'> = true
export const sent: Equal<ArgumentsOf<typeof pets.tools.getPet>, Json> = true
export const few: Equal<keyof ReturnType<typeof only>, 'getPet'> = true
function only() {
  return importedToolset(snapshot, { only: ['getPet'] }).tools
}

// @ts-expect-error: the toolset leaves the tool out.
fromOpenApi(pets, { only: ['deletePet'] })
// @ts-expect-error: no tool has this name.
importedToolset(snapshot, { omit: ['getPets'] })
// @ts-expect-error: no tool has this name, even next to one that exists.
importedToolset(snapshot, { tools: { getPet: {}, getPets: {} } })
// @ts-expect-error: `only` does not select this tool.
importedToolset(snapshot, { only: ['getPet'], tools: { listPets: {} } })
// @ts-expect-error: the tool has no such field, even next to one that exists.
importedToolset(snapshot, { tools: { getPet: { fields: { id: { description: 'a' }, ids: { description: 'a' } } } } })
// @ts-expect-error: the tool has no such field.
importedToolset(snapshot, { tools: { getPet: { examples: [{ ids: 7 }] } } })
// @ts-expect-error: the tool has no such field.
importedToolset(snapshot, { tools: { getPet: { serverOwned: { ids: 'sessionId' } } } })
// @ts-expect-error: metadata has no such field.
importedToolset(snapshot, { tools: { getPet: { serverOwned: { id: 'session' } } } })
