import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findModule } from '../../dev/served-module.js'
import { errorAt } from '../../diagnostics/diagnostic.js'
import { relativePath } from '../../files.js'
import { importNames, isImported, moduleSource } from '../../imports/imported-files.js'
import { importModule } from '../../imports/module.js'
import { evaluateModule } from '../../load/evaluate-module.js'
import type { CommandContext } from '../context.js'
import type { ExitCode } from '../format.js'
import { type ImportRequest, isMentioned, startImport } from './import.js'

export interface ModuleImportRequest extends ImportRequest {
  readonly file?: string
  readonly agent: boolean
}

export async function run(request: ModuleImportRequest, context: CommandContext): Promise<ExitCode> {
  const started = startImport('module', request, context)
  if (typeof started === 'number') return started
  const { cwd } = context
  const path = join(started.root, importNames('module', request.name).module)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const earlier = isImported(text) ? text : undefined
  const named = request.file ?? moduleSource(text)
  if (named === undefined) {
    const next = 'Name the module: `toolgen import module support ./src/tools.ts`.'
    return started.refuse([errorAt(undefined, 'TG0001', 'The module with the tools is missing.', next)])
  }
  const found = findModule(named, cwd)
  if (found.value === undefined) return started.refuse(found.diagnostics)
  const { file, root } = found.value
  const evaluated = await evaluateModule(file, root, { code: 'TG6025', what: 'module to import' })
  if (evaluated.diagnostics.length > 0) return started.refuse(evaluated.diagnostics)
  const [shown, folder] = [relativePath(cwd, file), relativePath(cwd, started.root)]
  const hasAgent = request.agent && earlier?.includes('= defineAgent(') !== false
  const module = {
    exports: evaluated.exports,
    file: shown,
    folder,
    hasAgent,
    isMentioned: (code: string) => isMentioned(code, dirname(file)),
    ...(earlier !== undefined && { earlier }),
  }
  return started.publish(await importModule(request.name, module))
}
