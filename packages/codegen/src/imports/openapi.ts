import { elementAt } from '../defined.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { block, schemaText, typedEntry } from '../emit/layout.js'
import { own } from '../schema/json-schema.js'
import { keyText } from '../text.js'
import { isImported } from './imported-files.js'
import { notOpenApi, type PartDiagnostic, textLoss } from './openapi-diagnostics.js'
import { readDocument } from './openapi-document.js'
import { type OperationSelection, operationsOf, selected } from './openapi-operations.js'
import { objectOf, partAt } from './openapi-parts.js'
import { namesServers, noServer, readServer } from './openapi-servers.js'
import { isAddress, listedIn, prunedDocument, snapshotFacts } from './openapi-snapshot.js'
import { type DeclaredOperations, declareOperations, listed } from './openapi-tools.js'
import type { ImportSource } from './sources.js'
import { toolListChanges } from './tool-list-changes.js'
import { textOf } from './tool-source.js'
import { noImport, type ToolsetImport, toolsetImport } from './toolset-module.js'

interface OpenApiImportOptions {
  /**
   * URL of the document or its path relative to the snapshot, for later imports. Default: the value that the source records, if
   * it is a snapshot.
   */
  readonly from?: string
  /**
   * Operations to import. Default: the selection in the source if the source is a snapshot, otherwise the selection of the earlier import,
   * otherwise all operations.
   */
  readonly select?: OperationSelection
  /** URL of the document. Relative URLs in the document refer to it. */
  readonly base?: string
  readonly earlier?: string
}

/** Creates a toolset of the operations of an OpenAPI document. A document and its snapshot give the same bytes. */
export async function importOpenApi(
  toolset: string,
  source: ImportSource,
  { from, select, base, earlier }: OpenApiImportOptions = {},
): Promise<ToolsetImport> {
  const { value: read, diagnostics: unread } = await readDocument(source)
  if (read === undefined) return noImport(unread)
  const { root, isUpgraded } = read
  const isSnapshot = isImported(source.text)
  const recorded = snapshotFacts(isSnapshot ? source.text : earlier)
  const location = from ?? (isSnapshot ? recorded.from : undefined)
  const selection = select ?? recorded.select
  const all = operationsOf(root)
  const { operations, diagnostics: unselected } = selected(all.operations, selection)
  if (unselected.length > 0) return noImport(unselected)
  const address = base ?? (location !== undefined && isAddress(location) ? location : undefined)
  const declared = declareOperations(operations, { toolset, root, base: address })
  const reading = readServer(root, address === undefined ? [] : [address])
  const document = prunedDocument(root, operations)
  const named = Object.entries(selection).filter(([, names]) => names.length > 0)
  const selectedKeys = new Set(operations.map(({ keys }) => JSON.stringify(keys)))
  const found: PartDiagnostic[] = [
    // Losses are not reported in parts of the document that are not imported.
    ...read.losses.filter(({ keys }) => isUpgraded || partAt(document, keys) !== undefined).map(textLoss),
    ...all.diagnostics.filter(({ keys }) => named.length === 0 || selectedKeys.has(JSON.stringify(keys))),
    ...declared.diagnostics,
  ]
  const unlocated: Diagnostic[] = []
  if ('why' in reading && declared.tools.some(({ operation }) => own(operation, 'server') === undefined)) {
    const problem = namesServers(root) ? reading : undefined
    const diagnostic = noServer(problem)
    if (problem !== undefined && !isUpgraded) found.push({ diagnostic, keys: ['servers'] })
    else unlocated.push(diagnostic)
  }
  const locations = read.locationsOf(found.map(({ keys }) => keys))
  const diagnostics = [
    ...found.map(({ diagnostic }, index) => ({ ...diagnostic, location: elementAt(locations, index) })),
    ...unlocated,
  ]
  if (diagnostics.some(({ severity }) => severity === 'error')) return noImport(diagnostics)
  if (declared.tools.length === 0) {
    return noImport([...diagnostics, notOpenApi(source.shown, 'it has no operation that can be imported')])
  }
  const before = earlier === undefined ? undefined : await listedIn(toolset, earlier, address)
  return toolsetImport(
    {
      kind: 'openapi',
      name: toolset,
      description: `Operations of ${textOf(objectOf(own(root, 'info')), 'title')?.trim() ?? toolset}.`,
      entries: moduleEntries(declared, 'server' in reading ? reading.server : undefined),
      tools: declared.tools,
      snapshot: {
        ...(location !== undefined && { from: location }),
        ...(named.length > 0 && { select: Object.fromEntries(named) }),
        document,
      },
    },
    toolListChanges(before, listed(declared)),
    diagnostics,
  )
}

function moduleEntries(
  { tools, definitions, security }: DeclaredOperations,
  server: string | undefined,
): readonly string[] {
  const shared = Object.entries(definitions).map(([name, schema]) => `${keyText(name)}: ${schemaText(schema, 4)}`)
  const rows = tools.map(({ tool, operation }) => typedEntry(tool, operation, 6))
  const api = [
    ...(server === undefined ? [] : [typedEntry('server', server, 4)]),
    ...(Object.keys(security).length === 0 ? [] : [typedEntry('security', security, 4)]),
    `operations: ${block(rows, 4)}`,
  ]
  return [...(shared.length === 0 ? [] : [`definitions: ${block(shared, 2)}`]), `openapi: ${block(api, 2)}`]
}
