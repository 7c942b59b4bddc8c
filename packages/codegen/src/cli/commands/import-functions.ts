import { isAbsolute, relative, resolve } from 'node:path'
import { relativePath } from '../../files.js'
import { importFunctions, recordedSource } from '../../imports/functions.js'
import { isImported } from '../../imports/names.js'
import { type ImportSource, readSource, standardInput } from '../../imports/read-source.js'
import { forgottenSource, noFunctionsSource, ofSnapshot } from '../../imports/toolset-module.js'

import type { CommandContext } from '../context.js'
import type { ExitCode } from '../format.js'
import { beginImport, type ImportRequest } from './import.js'

/** What `toolgen import functions` can be told beside the toolset's name. */
export interface ImportFunctionsOptions {
  /** Default: the file that the snapshot of an earlier import names. */
  readonly from?: string
  readonly dir: string
}

/** Writes a snapshot of descriptions of functions and a module with a toolset of them, both or none; leaves alone what stays. */
export async function runImportFunctions(
  request: ImportFunctionsOptions & ImportRequest,
  context: CommandContext,
): Promise<ExitCode> {
  const run = beginImport({ kind: 'functions', notes: request.verbose === true ? 'full' : 'counted' }, request, context)
  if (typeof run === 'number') return run
  const earlier = run.earlier?.text
  const recorded = earlier === undefined ? undefined : recordedSource(earlier)
  const from = request.from ?? (recorded && relative(context.cwd, resolve(run.root, recorded)))
  if (from === undefined) return run.refuse([noFunctionsSource(run.snapshot)])
  const { value: source, diagnostics } = await readSource(from, context.cwd)
  if (source === undefined) {
    return run.refuse(request.from === undefined ? ofSnapshot(diagnostics, run.snapshot) : diagnostics)
  }
  const named = namedSource(source, { from, root: run.root, cwd: context.cwd })
  const imported = importFunctions(request.name, source, {
    ...(named !== undefined && { from: named }),
    ...(earlier !== undefined && { earlier }),
  })
  const forgets = recorded !== undefined && named === undefined && !isImported(source.text)
  if (!forgets) return run.publish(imported)
  const forgotten = forgottenSource(run.snapshot, relative(context.cwd, resolve(run.root, recorded)))
  return run.publish({ ...imported, diagnostics: [...imported.diagnostics, forgotten] })
}

/** How a snapshot names its source: relative to itself. One outside the command's folder stands nowhere else in that place. */
function namedSource(
  { file, text }: ImportSource,
  { from, root, cwd }: { readonly from: string; readonly root: string; readonly cwd: string },
): string | undefined {
  if (from === standardInput || isImported(text) || file.startsWith('../') || isAbsolute(file)) return undefined
  return relativePath(root, resolve(cwd, from))
}
