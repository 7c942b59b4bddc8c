/** The long form of a diagnostic, printed by `toolgen explain` and listed in the docs. */
export interface CatalogueEntry {
  /** A short heading. */
  readonly title: string
  /** Why this happens, in a few sentences. */
  readonly cause: string
  /** What to do about it, in a few sentences; code is indented by four spaces. */
  readonly fix: string
}

/** The entries of one room, by code. */
export type Catalogue = Readonly<Record<`TG${number}`, CatalogueEntry>>
