import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { EmittedFile } from '../write/file.js'
import type { ListChange } from './tool-list-changes.js'

/** What an import gives. */
export interface ToolsetImport {
  /** The snapshot and the toolset's module, by their paths below the folder of the design; none with errors. */
  readonly files: readonly EmittedFile[]
  readonly tools: number
  /** How many tools describe their result. */
  readonly described: number
  /** How the tools stand to those of an earlier import; none where there is none. */
  readonly changes: readonly ListChange[]
  readonly diagnostics: readonly Diagnostic[]
}

/** An import that gives nothing, and why. */
export function noImport(diagnostics: readonly Diagnostic[]): ToolsetImport {
  return { files: [], tools: 0, described: 0, changes: [], diagnostics }
}
