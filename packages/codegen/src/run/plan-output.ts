import { join, sep } from 'node:path'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { lockText } from '../write/lock-text.js'
import type { OutputFolder } from '../write/output-folder.js'
import type { PlannedOutput } from '../write/output-state.js'
import { bindProject } from './bind-project.js'
import { clientSpecifier } from './client-specifier.js'
import type { CompiledProject } from './compile-project.js'

/**
 * Binds the tools to their services and makes every file of the output.
 *
 * @param cacheFolder where verdicts about client types are kept between runs; absent: nowhere
 */
export async function planOutput(
  project: CompiledProject,
  cacheFolder: string | undefined,
): Promise<Checked<PlannedOutput>> {
  const { config, ir } = project
  const { value: plans, diagnostics } = await bindProject(project, cacheFolder)
  if (plans === undefined) return { diagnostics }
  const { emitDesign } = await import('../emit/emit-design.js')
  const files = emitDesign(ir, plans, {
    importExtension: config.importExtension,
    codecs: config.codecs,
    clientImport: ({ module }, fromFile) => clientSpecifier(config, module, fromFile),
  })
  const { checkSyntax } = await import('../emit/syntax-gate.js')
  const faults: readonly Diagnostic[] = await checkSyntax(files)
  if (faults.length > 0) return { diagnostics: [...diagnostics, ...faults] }
  return { value: { output: outputFolder(config), files, lock: lockText(ir, files) }, diagnostics }
}

function outputFolder({ root, output }: CompiledProject['config']): OutputFolder {
  return { folder: join(root, output).split(sep).join('/'), shown: output }
}
