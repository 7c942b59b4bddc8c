import { relative, resolve } from 'node:path'
import { type Diagnostic, errorAt, warning } from '../../diagnostics/diagnostic.js'
import { importOpenApi, isAddress, snapshotFacts } from '../../imports/openapi.js'
import { fetchDocument, namedBySnapshot, readSource, secretIn, standardInput } from '../../imports/sources.js'
import { isImported } from '../../imports/toolset-module.js'

import type { CommandContext } from '../context.js'
import { type ExitCode, namesIn } from '../format.js'
import { beginImport, type ImportRequest, sourcePath } from './import.js'

/** Options of `toolgen import openapi`. */
export interface ImportOpenApiOptions {
  /** A file or an address. Default: what the snapshot of an earlier import names. */
  readonly from?: string
  /** Tags, paths and names of operations, each with commas between. Default: what the snapshot names, else all. */
  readonly tag?: string
  readonly path?: string
  readonly operation?: string
  readonly dir: string
}

/** Writes a snapshot of an OpenAPI document and a module with a toolset of its operations, both or none; leaves alone what stays. */
export async function runImportOpenApi(
  request: ImportOpenApiOptions & ImportRequest,
  context: CommandContext,
): Promise<ExitCode> {
  const run = beginImport({ kind: 'openapi', notes: request.verbose === true ? 'full' : 'counted' }, request, context)
  if (typeof run === 'number') return run
  const earlier = run.earlier?.text
  const recorded = snapshotFacts(earlier)
  const empty = emptyOptions(request)
  if (empty.length > 0) return run.refuse(empty.map(emptyOption))
  const from = request.from ?? (recorded.from && fromRoot(recorded.from, run.root, context.cwd))
  if (from === undefined) {
    const unread =
      run.unread === undefined
        ? `nor does \`${run.snapshot}\` name one`
        : `and \`${run.snapshot}\` cannot be read: ${run.unread}`
    const next =
      'Give `--from FILE`, `--from URL`, or `--from -` for standard input, e.g. `toolgen import openapi pets --from openapi.yaml`.'
    return run.refuse([errorAt(undefined, 'TG0001', `Nothing says where the document is, ${unread}.`, next)])
  }
  const { value: source, diagnostics } = isAddress(from)
    ? await fetchDocument(from)
    : await readSource(from, context.cwd)
  if (source === undefined) {
    return run.refuse(request.from === undefined ? namedBySnapshot(diagnostics, run.snapshot) : diagnostics)
  }
  const secret = isAddress(from) ? secretIn({ url: from }) : undefined
  const path = isAddress(from) ? from : sourcePath(source, from, run.root, context.cwd)
  const named = secret === undefined ? path : undefined
  const select = selectionIn(request)
  const imported = await importOpenApi(request.name, source, {
    ...(named !== undefined && { from: named }),
    ...(isAddress(from) && secret === undefined && { base: from }),
    ...(select !== undefined && { select }),
    ...(earlier !== undefined && { earlier }),
  })
  const isKept = named !== undefined || from === standardInput || isImported(source.text)
  if (isKept && secret === undefined) return run.publish(imported)
  const unknown = `The snapshot does not say where the document of \`${request.name}\` is`
  const forgotten =
    secret === undefined
      ? warning(
          'TG6007',
          `${unknown}: ${source.shown} is outside of the folder in which the command works.`,
          'Name it with `--from` at each import, or copy it into the project.',
        )
      : warning(
          'TG6007',
          `${unknown}: \`${secret}\` of its address seems to hold a secret.`,
          "Import again with a variable of the environment in its place, in single quotes: `'${SECRET}'`.",
        )
  return run.publish({ ...imported, diagnostics: [...imported.diagnostics, forgotten] })
}

/** Returns the options that are given and say nothing, as those with an unset variable do. */
function emptyOptions(request: ImportOpenApiOptions): readonly ('from' | 'tag' | 'path' | 'operation')[] {
  return (['from', 'tag', 'path', 'operation'] as const).filter((name) => {
    const given = request[name]
    return given !== undefined && namesIn(given).length === 0
  })
}

/** Returns the selection of the command line; `undefined` if it has none. */
function selectionIn({ tag, path, operation }: ImportOpenApiOptions) {
  if ([tag, path, operation].every((option) => option === undefined)) return undefined
  return { tags: namesIn(tag ?? ''), paths: namesIn(path ?? ''), operations: namesIn(operation ?? '') }
}

/** Returns the source in a snapshot, as the command line would name it. */
function fromRoot(recorded: string, root: string, cwd: string): string {
  return isAddress(recorded) ? recorded : relative(cwd, resolve(root, recorded))
}

function emptyOption(option: 'from' | 'tag' | 'path' | 'operation'): Diagnostic {
  const example = { from: 'openapi.yaml', tag: 'pets', path: "'/pets*'", operation: 'getPet' }[option]
  const instead =
    option === 'from'
      ? 'read what the snapshot names'
      : 'select as the import before did: everything, if it said nothing'
  const next = `Write \`--${option} ${example}\`, or leave it out to ${instead}. A variable in its place may not be set.`
  return errorAt(undefined, 'TG0001', `\`--${option}\` is empty.`, next)
}
