import { elementAt } from '../defined.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { objectFrom, objectOf, own, type SchemaObject } from '../schema/json-schema.js'
import { suggestedFacts } from './data-flow.js'
import { notOpenApi, type PartDiagnostic, textLoss } from './openapi-diagnostics.js'
import { readDocument } from './openapi-document.js'
import { type OperationSelection, operationsOf, readSnapshot, selected } from './openapi-operations.js'
import type { PartKeys } from './openapi-parts.js'
import { namesServers, noServer, readServer } from './openapi-servers.js'
import { type DeclaredOperations, declareOperations, listedTools } from './openapi-tools.js'
import { type ImportSource, isAddress } from './sources.js'
import { toolListChanges } from './tool-list-changes.js'
import { textOf } from './tool-source.js'
import { noImport, type SnapshotToolset, snapshotImport, type ToolsetImport } from './toolset-module.js'

interface OpenApiImportOptions {
  readonly from?: string
  readonly select?: OperationSelection
  /** Relative URLs in the document refer to this URL. */
  readonly base?: string
  readonly earlier?: string
}

/** The same document always results in the same bytes. */
export async function importOpenApi(
  toolset: string,
  source: ImportSource,
  { from, select, base, earlier }: OpenApiImportOptions = {},
): Promise<ToolsetImport> {
  const { value: read, diagnostics: unread } = await readDocument(source)
  if (read === undefined) return noImport(unread)
  const { root, isUpgraded } = read
  const recorded = readSnapshot(earlier)
  const selection = select ?? recorded.select
  const all = operationsOf(root)
  const { operations, diagnostics: unselected } = selected(all.operations, selection)
  if (unselected.length > 0) return noImport(unselected)
  const address = base ?? addressOf(from)
  const declared = declareOperations(operations, { toolset, root, base: address })
  const reading = readServer(root, address === undefined ? [] : [address])
  const named = Object.entries(selection).filter(([, names]) => names.length > 0)
  const selectedKeys = new Set(operations.map(({ keys }) => JSON.stringify(keys)))
  const isImportedPart = ([section, first, second, ...rest]: PartKeys): boolean => {
    if (second === undefined) return !unreadKeys.test(String(section))
    if (rest.some((key) => unreadKeys.test(String(key)))) return false
    if (section === 'paths')
      return second === 'parameters' || selectedKeys.has(JSON.stringify([section, first, second]))
    if (section !== 'components') return section === 'servers'
    const definitions = [second, `${second}Input`, `${second}Base`].map(String)
    return first !== 'schemas' || definitions.some((name) => Object.hasOwn(declared.definitions, name))
  }
  const found: PartDiagnostic[] = [
    ...read.losses.filter(({ keys }) => isUpgraded || isImportedPart(keys)).map(textLoss),
    ...all.diagnostics.filter(({ keys }) => named.length === 0 || selectedKeys.has(JSON.stringify(keys))),
    ...declared.diagnostics,
  ]
  const unlocated: Diagnostic[] = []
  if ('why' in reading && declared.tools.some(({ operation }) => own(operation, 'server') === undefined)) {
    const problem = namesServers(root) ? reading : undefined
    const diagnostic = noServer(toolset, problem)
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
  const { snapshot } = recorded
  const content = snapshotContent(toolset, root, declared, 'server' in reading ? reading.server : undefined)
  const before = snapshot === undefined ? undefined : listedTools(snapshot)
  return snapshotImport(
    {
      kind: 'openapi',
      name: toolset,
      tools: declared.tools,
      recorded: {
        ...(from !== undefined && { from }),
        ...(named.length > 0 && { select: Object.fromEntries(named) }),
      },
      content,
    },
    toolListChanges(before, listedTools(content)),
    diagnostics,
  )
}

/** `from` is the path or URL of the document. Returns `true` for an invalid document, so that only the import reports errors. */
export async function namesApi(source: ImportSource, from: string): Promise<boolean> {
  const { value } = await readDocument(source)
  const address = addressOf(from)
  return value === undefined || 'server' in readServer(value.root, address === undefined ? [] : [address])
}

function addressOf(from: string | undefined): string | undefined {
  return from !== undefined && isAddress(from) ? from : undefined
}

const unreadKeys: RegExp = /^(?:x-.*|examples|externalDocs|xml|callbacks|links|1\d\d|1XX)$/i

function snapshotContent(
  toolset: string,
  root: SchemaObject,
  { tools, definitions, security }: DeclaredOperations,
  server: string | undefined,
): SnapshotToolset['content'] {
  const rows = tools.map(({ tool, facts, operation, payload, result, ...row }) => {
    const { method, path, server: base = server ?? '' } = operation
    const names = [tool, String(path).replace(/\{[^}]*\}/g, '')]
    const suggested = suggestedFacts(
      { names, payload, method: String(method), server: String(base) },
      result,
      definitions,
    )
    return [tool, { ...row, ...facts, ...suggested, operation, payload, result }] as const
  })
  return {
    description: `Operations of ${textOf(objectOf(own(root, 'info')), 'title')?.trim() ?? toolset}.`,
    ...(server !== undefined && { server }),
    ...(Object.keys(security).length > 0 && { security }),
    tools: objectFrom(rows),
    ...(Object.keys(definitions).length > 0 && { definitions }),
  }
}
