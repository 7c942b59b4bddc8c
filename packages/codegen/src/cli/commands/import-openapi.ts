import { relative, resolve } from 'node:path'
import { defined } from '../../defined.js'
import { type Diagnostic, errorAt, warning } from '../../diagnostics/diagnostic.js'
import { importOpenApi } from '../../imports/openapi.js'
import { readSnapshot } from '../../imports/openapi-operations.js'
import { secretIn } from '../../imports/origin.js'
import { fetchDocument, isAddress, namedBySnapshot, readSource } from '../../imports/sources.js'
import type { CommandContext } from '../context.js'
import { type ExitCode, namesIn } from '../format.js'
import { type ImportRequest, sourcePath, startImport } from './import.js'

export interface ImportOpenApiOptions {
  readonly from?: string
  readonly tag?: string
  readonly path?: string
  readonly operation?: string
  readonly dir: string
}

export async function run(request: ImportOpenApiOptions & ImportRequest, context: CommandContext): Promise<ExitCode> {
  const started = startImport('openapi', request, context)
  if (typeof started === 'number') return started
  const { root, snapshot, unread } = started
  const { cwd } = context
  const empty = emptyOptions(request)
  if (empty.length > 0) return started.refuse(empty)
  const earlier = started.earlier?.text
  const recorded = readSnapshot(earlier).from
  const recordedPath = recorded === undefined || isAddress(recorded) ? recorded : relative(cwd, resolve(root, recorded))
  const from = request.from ?? recordedPath
  if (from === undefined) {
    const reason =
      unread === undefined
        ? `there is no --from, and \`${snapshot}\` records no source`
        : `there is no --from, and \`${snapshot}\` cannot be read: ${unread}`
    const next =
      'Set `--from FILE`, `--from URL`, or `--from -` for standard input, e.g. `toolgen import openapi pets --from openapi.yaml`.'
    return started.refuse([errorAt(undefined, 'TG0001', `The OpenAPI document is unknown: ${reason}.`, next)])
  }
  const address = isAddress(from) ? from : undefined
  const read = address === undefined ? await readSource(from, cwd) : await fetchDocument(address)
  const source = read.value
  if (source === undefined) {
    return started.refuse(request.from === undefined ? namedBySnapshot(read.diagnostics, snapshot) : read.diagnostics)
  }
  const secret = address && secretIn({ url: address })
  const path = address ?? sourcePath(source, from, root, cwd)
  const named = secret === undefined ? path : undefined
  const base = secret === undefined ? address : undefined
  const select = selectionIn(request)
  const imported = await importOpenApi(request.name, source, defined({ from: named, base, select, earlier }))
  if (secret === undefined) return started.publish(imported, path === undefined ? from : undefined)
  const forgotten = warning(
    'TG6007',
    `The snapshot does not record the source of \`${request.name}\`: \`${secret}\` in its URL looks like a secret.`,
    "Import again with an environment variable instead, in single quotes: `'${SECRET}'`.",
  )
  return started.publish({ ...imported, diagnostics: [...imported.diagnostics, forgotten] })
}

const optionExamples = { from: 'openapi.yaml', tag: 'pets', path: "'/pets*'", operation: 'getPet' }

/** A shell variable without a value causes an option with an empty value. */
function emptyOptions(request: ImportOpenApiOptions): readonly Diagnostic[] {
  return (['from', 'tag', 'path', 'operation'] as const).flatMap((option) => {
    const value = request[option]
    if (value === undefined || namesIn(value).length > 0) return []
    const instead = option === 'from' ? 'use the source of the snapshot' : 'keep the selection of the last import'
    const example = `--${option} ${optionExamples[option]}`
    const next = `Write \`${example}\`, or omit the option to ${instead}. Perhaps a shell variable is not set.`
    return [errorAt(undefined, 'TG0001', `\`--${option}\` is empty.`, next)]
  })
}

function selectionIn({ tag, path, operation }: ImportOpenApiOptions) {
  if ([tag, path, operation].every((option) => option === undefined)) return undefined
  return { tags: namesIn(tag ?? ''), paths: namesIn(path ?? ''), operations: namesIn(operation ?? '') }
}
