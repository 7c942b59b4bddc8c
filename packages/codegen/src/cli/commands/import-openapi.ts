import { isAbsolute, relative, resolve } from 'node:path'
import { relativePath } from '../../files.js'
import { fetchDocument } from '../../imports/fetch-document.js'
import { secretIn } from '../../imports/mcp-origin.js'
import { isImported } from '../../imports/names.js'
import { importOpenApi, isAddress, snapshotFacts } from '../../imports/openapi.js'
import { emptyOption, locationNotKept, noDocumentSource, secretAddress } from '../../imports/openapi-diagnostics.js'
import type { OperationSelection } from '../../imports/openapi-operations.js'
import { type ImportSource, readSource, standardInput } from '../../imports/read-source.js'
import { ofSnapshot } from '../../imports/toolset-module.js'

import type { CommandContext } from '../context.js'
import { type ExitCode, namesIn } from '../format.js'
import { beginImport, type ImportRequest } from './import.js'

/** What `toolgen import openapi` can be told beside the toolset's name. */
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
  if (from === undefined) return run.refuse([noDocumentSource(run.snapshot, run.unread)])
  const { value: source, diagnostics } = isAddress(from)
    ? await fetchDocument(from)
    : await readSource(from, context.cwd)
  if (source === undefined) {
    return run.refuse(request.from === undefined ? ofSnapshot(diagnostics, run.snapshot) : diagnostics)
  }
  const secret = isAddress(from) ? secretIn({ url: from }) : undefined
  const named = secret === undefined ? namedSource(source, { from, root: run.root, cwd: context.cwd }) : undefined
  const select = selectionIn(request)
  const imported = await importOpenApi(request.name, source, {
    ...(named !== undefined && { from: named }),
    ...(isAddress(from) && secret === undefined && { base: from }),
    ...(select !== undefined && { select }),
    ...(earlier !== undefined && { earlier }),
  })
  const isKept = named !== undefined || from === standardInput || isImported(source.text)
  const found =
    secret !== undefined
      ? [secretAddress(request.name, secret)]
      : isKept
        ? []
        : [locationNotKept(request.name, source.shown)]
  return run.publish({ ...imported, diagnostics: [...imported.diagnostics, ...found] })
}

/** The options that are given and say nothing, as those with an unset variable do. */
function emptyOptions(request: ImportOpenApiOptions): readonly ('from' | 'tag' | 'path' | 'operation')[] {
  return (['from', 'tag', 'path', 'operation'] as const).filter((name) => {
    const given = request[name]
    return given !== undefined && namesIn(given).length === 0
  })
}

/** What the command line selects; `undefined` where it says nothing of it. */
function selectionIn({ tag, path, operation }: ImportOpenApiOptions): OperationSelection | undefined {
  if ([tag, path, operation].every((option) => option === undefined)) return undefined
  return { tags: namesIn(tag ?? ''), paths: namesIn(path ?? ''), operations: namesIn(operation ?? '') }
}

/** What a snapshot names, as the command line would name it. */
function fromRoot(recorded: string, root: string, cwd: string): string {
  return isAddress(recorded) ? recorded : relative(cwd, resolve(root, recorded))
}

/** How a snapshot names its source: an address, or relative to itself. A file outside the command's folder stands nowhere else in that place. */
function namedSource(
  { file, text }: ImportSource,
  { from, root, cwd }: { readonly from: string; readonly root: string; readonly cwd: string },
): string | undefined {
  if (isAddress(from)) return from
  if (from === standardInput || isImported(text) || file.startsWith('../') || isAbsolute(file)) return undefined
  return relativePath(root, resolve(cwd, from))
}
