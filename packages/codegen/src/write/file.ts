/** One file of the output, before it is compared with the disk. */
export interface EmittedFile {
  /** Path below the output folder, with `/`. */
  readonly path: string
  /** The final text, with LF ends. */
  readonly text: string
}
