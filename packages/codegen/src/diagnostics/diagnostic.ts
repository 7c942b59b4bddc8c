/** A place in a file of the user, 1-based, as editors count. */
export interface SourcePlace {
  /** Path relative to the project's root, with `/`. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** How many characters the place spans on its line; absent: one. */
  readonly length?: number
}

/** How much a diagnostic matters: an error stops the generation. */
export type Severity = 'error' | 'warning' | 'note'

/** One finding about the user's design, configuration or files. */
export interface Diagnostic {
  /** A code of the catalogue, e.g. `TG2001`. */
  readonly code: string
  readonly severity: Severity
  /** What is wrong, in one sentence. */
  readonly message: string
  readonly place?: SourcePlace
  /** What to do, in one sentence. */
  readonly next: string
  /** Names that may have been meant, nearest first. */
  readonly near?: readonly string[]
  /** Further facts or places, one line each. */
  readonly related?: readonly { readonly message: string; readonly place?: SourcePlace }[]
}

/** A value together with what was found on the way. `value` is absent when an error makes it meaningless. */
export interface Checked<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}
