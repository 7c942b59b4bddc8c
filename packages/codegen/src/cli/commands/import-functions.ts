import { relative, resolve } from 'node:path'
import { defined } from '../../defined.js'
import { errorAt, warning } from '../../diagnostics/diagnostic.js'
import { recordedSource } from '../../imports/function-documents.js'
import { importFunctions } from '../../imports/functions.js'
import { isImported } from '../../imports/imported-files.js'
import { namedBySnapshot, readSource } from '../../imports/sources.js'
import type { CommandContext } from '../context.js'
import type { ExitCode } from '../format.js'
import { type ImportRequest, sourcePath, startImport } from './import.js'

/** Options of `toolgen import functions`. */
export interface ImportFunctionsOptions {
  /** Default: the file that the snapshot of an earlier import names. */
  readonly from?: string
  readonly dir: string
}

/** Writes a snapshot of function definitions and a module with a toolset of them, both or none. */
export async function run(request: ImportFunctionsOptions & ImportRequest, context: CommandContext): Promise<ExitCode> {
  const started = startImport('functions', request, context)
  if (typeof started === 'number') return started
  const { root, snapshot } = started
  const earlier = started.earlier?.text
  const recorded = earlier === undefined ? undefined : recordedSource(earlier)
  const recordedPath = recorded && relative(context.cwd, resolve(root, recorded))
  const from = request.from ?? recordedPath
  if (from === undefined) {
    const message = `Nothing says where the functions come from, nor does \`${snapshot}\` name a file.`
    const next =
      'Give `--from FILE`, or `--from -` for standard input, e.g. `toolgen import functions weather --from tools.json`.'
    return started.refuse([errorAt(undefined, 'TG0001', message, next)])
  }
  const { value: source, diagnostics } = await readSource(from, context.cwd)
  if (source === undefined) {
    return started.refuse(request.from === undefined ? namedBySnapshot(diagnostics, snapshot) : diagnostics)
  }
  const path = sourcePath(source, from, root, context.cwd)
  const imported = importFunctions(request.name, source, defined({ from: path, earlier }))
  const isForgotten = recordedPath !== undefined && path === undefined && !isImported(source.text)
  if (!isForgotten) return started.publish(imported)
  const forgotten = warning(
    'TG6024',
    `\`${snapshot}\` does not name \`${recordedPath}\` any more, since the functions now come from elsewhere.`,
    `Nothing, or import \`--from ${recordedPath}\` again; the next import must be told its source.`,
  )
  return started.publish({ ...imported, diagnostics: [...imported.diagnostics, forgotten] })
}
