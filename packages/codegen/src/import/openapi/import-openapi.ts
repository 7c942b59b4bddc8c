import { block, schemaText } from '../../emit/schema-text.js'
import { typedEntry } from '../../emit/typed-entry.js'
import { definitionsUsed } from '../../schema/canonical/definitions-used.js'
import { isObject, objectFrom, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { keyText } from '../../text/literal.js'
import { importNames, importNote, isImported } from '../import-names.js'
import type { ImportSource } from '../read-source.js'
import { type ListedTool, toolListChanges } from '../tool-list-changes.js'
import { noImport, type ToolsetImport } from '../toolset-import.js'
import { toolsetModule } from '../toolset-module.js'
import { type DeclaredOperations, declareOperations } from './declared-operations.js'
import { lostInText, noOperations, noServer } from './openapi-diagnostics.js'
import { type ApiOperationPart, operationsOf, type PartFinding } from './operations.js'
import { prunedDocument } from './pruned-document.js'
import { readDocument } from './read-document.js'
import { partAt } from './references.js'
import { type OperationSelection, recordedSelection, selected, writtenSelection } from './selection.js'
import { documentServer, namesServers } from './servers.js'

/** What an import of a document reads beside its source. */
export interface OpenApiImportOptions {
  /** Where the document is, for a later import: an address, or a path relative to the snapshot. Default: what the source says, if it is a snapshot. */
  readonly from?: string
  /** Which operations are wanted. Default: what the source says, if it is a snapshot, else what the snapshot of the earlier import says, else all. */
  readonly select?: OperationSelection
  /** The address of the document, to which its own addresses are relative. */
  readonly base?: string
  /** The snapshot of an earlier import. */
  readonly earlier?: string
}

/**
 * Makes a toolset of the operations of an OpenAPI document. The same document gives the same bytes, also when it comes from
 * the snapshot of an earlier import.
 */
export async function importOpenApi(
  toolset: string,
  source: ImportSource,
  { from, select, base, earlier }: OpenApiImportOptions = {},
): Promise<ToolsetImport> {
  const read = await readDocument(source)
  if (read.value === undefined) return noImport(read.diagnostics)
  const { root, placesOf, losses, isUpgraded } = read.value
  const recorded = snapshotFacts(isImported(source.text) ? source.text : earlier)
  const where = from ?? (isImported(source.text) ? recorded.from : undefined)
  const selection = select ?? recorded.select
  const all = operationsOf(root)
  const wanted = selected(all.operations, selection)
  if (wanted.diagnostics.length > 0) return noImport(wanted.diagnostics)
  const address = base ?? (where !== undefined && isAddress(where) ? where : undefined)
  const declared = declareOperations(wanted.operations, {
    toolset,
    root,
    ...(address !== undefined && { base: address }),
  })
  const reading = documentServer(root, address)
  const server = 'server' in reading ? reading.server : undefined
  const hasServer =
    server !== undefined || declared.tools.every(({ operation }) => own(operation, 'server') !== undefined)
  const unusable = namesServers(root) && 'why' in reading ? reading : undefined
  const isWritten = unusable !== undefined && !isUpgraded
  const unserved = hasServer ? undefined : noServer(unusable)
  const document = prunedDocument(root, wanted.operations)
  // What is not imported nobody misses.
  const lost = losses.filter(({ keys }) => isUpgraded || partAt(document, keys) !== undefined)
  const findings = [
    ...lost.map((loss): PartFinding => ({ finding: lostInText(loss), keys: loss.keys })),
    ...concerning(all.findings, wanted.operations, selection),
    ...declared.findings,
    ...(unserved !== undefined && isWritten ? [{ finding: unserved, keys: ['servers'] }] : []),
  ]
  const places = placesOf(findings.map(({ keys }) => keys))
  const diagnostics = [
    ...findings.map(({ finding }, index) => ({ ...finding, ...(places[index] && { place: places[index] }) })),
    ...(unserved !== undefined && !isWritten ? [unserved] : []),
  ]
  if (diagnostics.some(({ severity }) => severity === 'error')) return noImport(diagnostics)
  if (declared.tools.length === 0) return noImport([...diagnostics, noOperations(source.shown)])
  const names = importNames('openapi', toolset)
  const written = writtenSelection(selection)
  const snapshot = {
    about: importNote('openapi', toolset),
    ...(where !== undefined && { from: where }),
    ...(written !== undefined && { select: written }),
    document,
  }
  return {
    files: [
      { path: names.snapshot, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: names.module, text: moduleText(toolset, root, declared, server) },
    ],
    tools: declared.tools.length,
    described: declared.tools.filter(({ result }) => result !== true).length,
    changes: earlier === undefined ? [] : toolListChanges(await listedIn(toolset, earlier, address), listed(declared)),
    diagnostics,
  }
}

function moduleText(
  toolset: string,
  root: SchemaObject,
  { tools, definitions, security }: DeclaredOperations,
  server: string | undefined,
): string {
  const info = own(root, 'info')
  const title = isObject(info) ? own(info, 'title') : undefined
  const said = typeof title === 'string' && title.trim() !== '' ? title.trim() : toolset
  const shared = Object.entries(definitions).map(([name, schema]) => `${keyText(name)}: ${schemaText(schema, 4)}`)
  const api = [
    ...(server === undefined ? [] : [typedEntry('server', server, 4)]),
    ...(Object.keys(security).length === 0 ? [] : [typedEntry('security', objectFrom(Object.entries(security)), 4)]),
    `operations: ${block(
      tools.map(({ tool, operation }) => typedEntry(tool, operation, 6)),
      4,
    )}`,
  ]
  return toolsetModule({
    kind: 'openapi',
    name: toolset,
    description: `Operations of ${said}.`,
    entries: [...(shared.length === 0 ? [] : [`definitions: ${block(shared, 2)}`]), `openapi: ${block(api, 2)}`],
    tools,
  })
}

/** The findings that are about what is wanted: nobody asked about the other operations. */
function concerning(
  findings: readonly PartFinding[],
  operations: readonly ApiOperationPart[],
  selection: OperationSelection,
): readonly PartFinding[] {
  if (writtenSelection(selection) === undefined) return findings
  const known = new Set(operations.map(({ keys }) => JSON.stringify(keys)))
  return findings.filter(({ keys }) => known.has(JSON.stringify(keys)))
}

/** What a snapshot says beside its document. */
export function snapshotFacts(text: string | undefined): {
  readonly from: string | undefined
  readonly select: OperationSelection
} {
  const json: unknown = text === undefined || !isImported(text) ? undefined : JSON.parse(text)
  const snapshot = isObject(json) ? json : {}
  const from = own(snapshot, 'from')
  return { from: typeof from === 'string' ? from : undefined, select: recordedSelection(own(snapshot, 'select')) }
}

/** Whether what names a document is its address rather than a path. */
export function isAddress(from: string): boolean {
  return /^https?:\/\//i.test(from)
}

/** The tools of an earlier import, as it would read them today; at the place of today where it does not say its own. */
async function listedIn(toolset: string, text: string, address: string | undefined): Promise<readonly ListedTool[]> {
  const { value } = await readDocument({ text, file: '', shown: '' })
  if (value === undefined) return []
  const { select, from } = snapshotFacts(text)
  const { operations } = selected(operationsOf(value.root).operations, select)
  const base = from !== undefined && isAddress(from) ? from : address
  return listed(declareOperations(operations, { toolset, root: value.root, ...(base !== undefined && { base }) }))
}

/** Tools with all that is said of them, what their schemas refer to included. */
function listed({ tools, definitions }: DeclaredOperations): readonly ListedTool[] {
  return tools.map(({ id, description, payload, result, facts, operation }) => {
    const used = definitionsUsed({ allOf: [payload, result] }, definitions)
    const raw: Json = {
      ...{ description, payload, result, facts, operation },
      definitions: Object.fromEntries(used.map((name) => [name, own(definitions, name) ?? true])),
    }
    return { name: id, raw }
  })
}
