import { join } from 'node:path'
import { cacheFolderFor } from './cache.js'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { PageFormat } from './docs/catalogue.js'
import { bindProject, compileProject, type ProjectOptions } from './project.js'

interface DocsOptions extends ProjectOptions {
  readonly format?: PageFormat
}

/** Result of {@link docs}: the page and the diagnostics. */
export interface DocsResult {
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the project folder. Diagnostics contain paths relative to this folder. */
  readonly root: string
  /** Text of the page. Absent if the design has errors, or if a tool does not match its service client. */
  readonly text?: string
}

/**
 * Creates a page that describes all agents and toolsets of a design, as Markdown or HTML. Writes no files. The same design always results in the same
 * text.
 *
 * @example
 * const { text } = await docs({ cwd: process.cwd(), format: 'html' })
 */
export async function docs({ format = 'markdown', ...choice }: DocsOptions): Promise<DocsResult> {
  const { value: project, root, ...compiled } = await compileProject(choice)
  if (project === undefined) return { diagnostics: compiled.diagnostics, root }
  const { ir, config } = project
  const bound = await bindProject(project, cacheFolderFor(join(root, config.file)))
  const diagnostics = [...compiled.diagnostics, ...bound.diagnostics]
  if (bound.value === undefined || diagnostics.some(({ severity }) => severity === 'error')) {
    return { diagnostics, root }
  }
  const { catalogueText } = await import('./docs/catalogue.js')
  return { diagnostics, root, text: catalogueText(ir, config, format) }
}
