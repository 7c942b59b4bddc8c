/** One shelf of the catalogue, with the shelves inside it. */
export interface ShelfRecord {
  label: string
  width?: number
  createdAt: Date
  shelves: ShelfRecord[]
}

/** The service behind the nested golden. */
export interface CatalogueClient {
  readShelf(query: { label: string; filter?: Filter; size?: [number, number] }): Promise<ShelfRecord>
  tagAll(tags: Record<string, string | number>): Promise<{ tagged: number; byTag: Record<string, string[]> }>
}

export type Filter = { kind: 'colour'; colour: string } | { kind: 'weight'; atMost: number }
