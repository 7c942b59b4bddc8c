/** Where the output goes. */
export interface OutputFolder {
  /** Absolute, with `/`. */
  readonly folder: string
  /** The same as people see it: relative to the project's root, with `/`. */
  readonly shown: string
}
