import { join, sep } from 'node:path'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import type { EmitOptions } from '../emit/emit-design.js'
import type { ServiceBindings } from '../service/bind-services.js'
import { lockText } from '../write/lock-text.js'
import type { OutputFolder } from '../write/output-folder.js'
import type { PlannedOutput } from '../write/output-state.js'
import { bindProject } from './bind-project.js'
import { clientSpecifier } from './client-specifier.js'
import type { CompiledProject } from './compile-project.js'
import { countDesign } from './count-design.js'
import type { ProjectMemory } from './project-memory.js'
import type { OnStage } from './stage.js'

/** Every file of the output, or why there is none, and what was read of the clients. */
export type OutputPlanning = Checked<PlannedOutput> & Pick<ServiceBindings, 'read'>

/**
 * Binds the tools to their services and makes every file of the output.
 *
 * @param cacheFolder where verdicts about client types are kept between runs; absent: nowhere
 * @param memory what earlier runs of this process made. Default: nothing
 * @param onStage told what is about to be done
 */
export async function planOutput(
  project: CompiledProject,
  cacheFolder: string | undefined,
  memory?: ProjectMemory,
  onStage?: OnStage,
): Promise<OutputPlanning> {
  const { config, ir } = project
  const { tools } = countDesign(ir)
  onStage?.('bind', tools)
  const { value: plans, diagnostics, read } = await bindProject(project, cacheFolder, memory?.services)
  if (plans === undefined) return { diagnostics, read }
  const { emitDesign } = await import('../emit/emit-design.js')
  const options: EmitOptions = {
    importExtension: config.importExtension,
    codecs: config.codecs,
    clientImport: ({ module }, fromFile) => clientSpecifier(config, module, fromFile),
  }
  onStage?.('emit', tools)
  const files = emitDesign(ir, plans, options, memory?.texts)
  const { checkSyntax } = await import('../emit/syntax-gate.js')
  const faults: readonly Diagnostic[] = await checkSyntax(files, memory?.texts)
  if (faults.length > 0) return { diagnostics: [...diagnostics, ...faults], read }
  return { value: { output: outputFolder(config), files, lock: lockText(ir, files) }, diagnostics, read }
}

function outputFolder({ root, output }: CompiledProject['config']): OutputFolder {
  return { folder: join(root, output).split(sep).join('/'), shown: output }
}
