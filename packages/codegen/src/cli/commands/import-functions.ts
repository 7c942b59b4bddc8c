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

export interface ImportFunctionsOptions {
  readonly from?: string
  readonly dir: string
}

export async function run(request: ImportFunctionsOptions & ImportRequest, context: CommandContext): Promise<ExitCode> {
  const started = startImport('functions', request, context)
  if (typeof started === 'number') return started
  const { root, snapshot } = started
  const earlier = started.earlier?.text
  const recorded = earlier === undefined ? undefined : recordedSource(earlier)
  const recordedPath = recorded && relative(context.cwd, resolve(root, recorded))
  const from = request.from ?? recordedPath
  if (from === undefined) {
    const message = `The source of the functions is unknown: there is no --from, and \`${snapshot}\` records no file.`
    const next =
      'Set `--from FILE`, or `--from -` for standard input, e.g. `toolgen import functions weather --from tools.json`.'
    return started.refuse([errorAt(undefined, 'TG0001', message, next)])
  }
  const { value: source, diagnostics } = await readSource(from, context.cwd)
  if (source === undefined) {
    return started.refuse(request.from === undefined ? namedBySnapshot(diagnostics, snapshot) : diagnostics)
  }
  const path = sourcePath(source, from, root, context.cwd)
  const imported = importFunctions(request.name, source, defined({ from: path, earlier }))
  const isForgotten = recordedPath !== undefined && path === undefined && !isImported(source.text)
  const needed = path === undefined ? from : undefined
  if (!isForgotten) return started.publish(imported, needed)
  const forgotten = warning(
    'TG6024',
    `\`${snapshot}\` no longer records \`${recordedPath}\`, because the functions come from another source.`,
    `The next import needs --from. To record the path again, import with \`--from ${recordedPath}\`.`,
  )
  return started.publish({ ...imported, diagnostics: [...imported.diagnostics, forgotten] }, needed)
}
