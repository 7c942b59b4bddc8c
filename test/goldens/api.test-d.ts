import type * as api from './nested/gen/agents/shop/api.js'
import type { catalogue, Json } from './nested/gen/agents/shop/api.js'

/** A program as a model writes it, type-checked in a test of the application. */
export const labels = async ({ catalogue: { readShelf, tagAll } }: typeof api): Promise<Json> => {
  const shelf = await readShelf({ label: 'top', filter: { kind: 'colour', colour: 'red' } })
  // @ts-expect-error no such property
  shelf.name
  // @ts-expect-error a value outside the enum
  await readShelf({ label: 'top', filter: { kind: 'size' } })
  // @ts-expect-error no such argument
  await tagAll({ tags: {}, dryRun: true })
  return shelf.shelves.map(({ label }) => label)
}

export const tagging: Parameters<typeof catalogue.tagAll>[0] = { tags: { colour: 'red' } }
export const shelf: catalogue.Shelf = { label: 'top', createdAt: '2026-01-01', shelves: [] }

// @ts-expect-error the file declares functions that exist only in programs
catalogue.tagAll(tagging)
