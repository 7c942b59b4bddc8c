import { relative, resolve } from 'node:path'
import { errorAt, warning } from '../../diagnostics/diagnostic.js'
import { importFunctions, recordedSource } from '../../imports/functions.js'
import { namedBySnapshot, readSource } from '../../imports/sources.js'
import { isImported } from '../../imports/toolset-module.js'

import type { CommandContext } from '../context.js'
import type { ExitCode } from '../format.js'
import { beginImport, type ImportRequest, sourcePath } from './import.js'

/** Options of `toolgen import functions`. */
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
  if (from === undefined) {
    const message = `Nothing says where the functions come from, nor does \`${run.snapshot}\` name a file.`
    const next =
      'Give `--from FILE`, or `--from -` for standard input, e.g. `toolgen import functions weather --from tools.json`.'
    return run.refuse([errorAt(undefined, 'TG0001', message, next)])
  }
  const { value: source, diagnostics } = await readSource(from, context.cwd)
  if (source === undefined) {
    return run.refuse(request.from === undefined ? namedBySnapshot(diagnostics, run.snapshot) : diagnostics)
  }
  const named = sourcePath(source, from, run.root, context.cwd)
  const imported = importFunctions(request.name, source, {
    ...(named !== undefined && { from: named }),
    ...(earlier !== undefined && { earlier }),
  })
  const forgets = recorded !== undefined && named === undefined && !isImported(source.text)
  if (!forgets) return run.publish(imported)
  const known = relative(context.cwd, resolve(run.root, recorded))
  const forgotten = warning(
    'TG6024',
    `\`${run.snapshot}\` does not name \`${known}\` any more, since the functions now come from elsewhere.`,
    `Nothing, or import \`--from ${known}\` again; the next import must be told its source.`,
  )
  return run.publish({ ...imported, diagnostics: [...imported.diagnostics, forgotten] })
}
