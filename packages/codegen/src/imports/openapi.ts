import { pointerOf } from '@toolgen/runtime/schema'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { block, schemaText, typedEntry } from '../emit/layout.js'
import type { TextLoss } from '../schema/json-losses.js'
import { atPointer, isObject, type Json, mapValues, objectFrom, own, type SchemaObject } from '../schema/json-schema.js'
import { definitionsUsed } from '../schema/references.js'
import { keyText } from '../text.js'
import { isImported } from './names.js'
import { notOpenApi, readDocument } from './openapi-document.js'
import {
  type ApiOperation,
  type OperationSelection,
  openApiDocument,
  operationsOf,
  type PartDiagnostic,
  recordedSelection,
  selected,
  writtenSelection,
} from './openapi-operations.js'
import { keysInReference, objectOf, partAt, textOf } from './openapi-references.js'
import { namesServers, noServer, readServer } from './openapi-servers.js'
import { type DeclaredOperations, declareOperations } from './openapi-tools.js'
import { InheritedVariants } from './openapi-variants.js'
import type { ImportSource } from './sources.js'
import { type ListedTool, toolListChanges, warning } from './tool-diagnostics.js'
import { noImport, type ToolsetImport, toolsetImport } from './toolset-module.js'

interface OpenApiImportOptions {
  /** Address of the document, or its path relative to the snapshot, for a later import. Default: that of the source, if it is a snapshot. */
  readonly from?: string
  /** Selected operations. Default: those of the source, if it is a snapshot, else those of the earlier import, else all. */
  readonly select?: OperationSelection
  /** Address of the document, to which its own addresses are relative. */
  readonly base?: string
  readonly earlier?: string
}

/**
 * Creates a toolset of the operations of an OpenAPI document. The same document gives the same bytes, also as the snapshot of
 * an earlier import.
 */
export async function importOpenApi(
  toolset: string,
  source: ImportSource,
  { from, select, base, earlier }: OpenApiImportOptions = {},
): Promise<ToolsetImport> {
  const read = await readDocument(source)
  if (read.value === undefined) return noImport(read.diagnostics)
  const { root, locationsOf, losses, isUpgraded } = read.value
  const isSnapshot = isImported(source.text)
  const recorded = snapshotFacts(isSnapshot ? source.text : earlier)
  const location = from ?? (isSnapshot ? recorded.from : undefined)
  const selection = select ?? recorded.select
  const all = operationsOf(root)
  const { operations, diagnostics: unselected } = selected(all.operations, selection)
  if (unselected.length > 0) return noImport(unselected)
  const address = base ?? (location !== undefined && isAddress(location) ? location : undefined)
  const bases = address === undefined ? [] : [address]
  const declared = declareOperations(operations, { toolset, root, ...(address !== undefined && { base: address }) })
  const reading = readServer(root, bases)
  const server = 'server' in reading ? reading.server : undefined
  const hasServer =
    server !== undefined || declared.tools.every(({ operation }) => own(operation, 'server') !== undefined)
  const problem = namesServers(root) && 'why' in reading ? reading : undefined
  const isWritten = problem !== undefined && !isUpgraded
  const unserved = hasServer ? [] : [noServer(problem)]
  const document = prunedDocument(root, operations)
  const written = writtenSelection(selection)
  const selectedKeys = new Set(operations.map(({ keys }) => JSON.stringify(keys)))
  const found: readonly PartDiagnostic[] = [
    // Losses in parts that are not imported do not matter.
    ...losses.filter(({ keys }) => isUpgraded || partAt(document, keys) !== undefined).map(textLoss),
    ...all.diagnostics.filter(({ keys }) => written === undefined || selectedKeys.has(JSON.stringify(keys))),
    ...declared.diagnostics,
    ...(isWritten ? unserved : []),
  ]
  const locations = locationsOf(found.map(({ keys }) => keys))
  const diagnostics: readonly Diagnostic[] = [
    ...found.map(({ diagnostic }, index) => ({
      ...diagnostic,
      ...(locations[index] && { location: locations[index] }),
    })),
    ...(isWritten ? [] : unserved.map(({ diagnostic }) => diagnostic)),
  ]
  if (diagnostics.some(({ severity }) => severity === 'error')) return noImport(diagnostics)
  if (declared.tools.length === 0) {
    return noImport([...diagnostics, notOpenApi(source.shown, 'it has no operation that can be imported')])
  }
  const changes =
    earlier === undefined ? [] : toolListChanges(await listedIn(toolset, earlier, address), listed(declared))
  return toolsetImport(
    {
      kind: 'openapi',
      name: toolset,
      description: `Operations of ${textOf(objectOf(own(root, 'info')), 'title') ?? toolset}.`,
      entries: moduleEntries(declared, server),
      tools: declared.tools,
      snapshot: {
        ...(location !== undefined && { from: location }),
        ...(written !== undefined && { select: written }),
        document,
      },
    },
    changes,
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
    ...(Object.keys(security).length === 0 ? [] : [typedEntry('security', objectFrom(Object.entries(security)), 4)]),
    `operations: ${block(rows, 4)}`,
  ]
  return [...(shared.length === 0 ? [] : [`definitions: ${block(shared, 2)}`]), `openapi: ${block(api, 2)}`]
}

/** Reports what reading the text of a document loses. */
function textLoss(loss: TextLoss): PartDiagnostic {
  const { keys } = loss
  const diagnostic =
    loss.kind === 'repeated'
      ? warning(
          'TG6211',
          `\`${keys.at(-1) ?? ''}\` stands more than once ${atPointer(pointerOf(keys.slice(0, -1)))}; the last one counts.`,
          `${openApiDocument.fix}: each key stands once, and what it holds in one place.`,
        )
      : warning(
          'TG6210',
          `The integer \`${loss.written}\` ${atPointer(pointerOf(keys))} is read as \`${loss.value}\`: JavaScript has no exact integers of this size.`,
          'Nothing, where it is a bound that no value comes near; else correct the document, so that such values travel as text.',
        )
  return { diagnostic, keys }
}

/** Returns the source and the selection of a snapshot. */
export function snapshotFacts(text: string | undefined): {
  readonly from: string | undefined
  readonly select: OperationSelection
} {
  const json: unknown = text === undefined || !isImported(text) ? undefined : JSON.parse(text)
  const snapshot = isObject(json) ? json : {}
  const from = own(snapshot, 'from')
  return { from: typeof from === 'string' ? from : undefined, select: recordedSelection(own(snapshot, 'select')) }
}

/** Returns `true` for an address, `false` for a path. */
export function isAddress(from: string): boolean {
  return /^https?:\/\//i.test(from)
}

/** Returns the tools of an earlier import as they would be read today. */
async function listedIn(toolset: string, text: string, address: string | undefined): Promise<readonly ListedTool[]> {
  const { value } = await readDocument({ text, file: '', shown: '' })
  if (value === undefined) return []
  const { select, from } = snapshotFacts(text)
  const { operations } = selected(operationsOf(value.root).operations, select)
  const base = from !== undefined && isAddress(from) ? from : address
  return listed(declareOperations(operations, { toolset, root: value.root, ...(base !== undefined && { base }) }))
}

/** Returns tools with all facts about them, including the definitions of their schemas. */
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

/** Objects whose keys are names that people chose. */
const namedParts: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'responses', 'content'],
  ...['headers', 'encoding', 'variables', 'mapping'],
])
/** Values that are data. */
const dataKeys: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'security'])
/** Parts that imports do not read. */
const ignoredKeys: ReadonlySet<string> = new Set(['examples', 'externalDocs', 'xml', 'callbacks', 'links'])
const operationKeys = ['operationId', 'tags', 'summary', 'description', 'deprecated', 'parameters', 'requestBody']

/** Returns the parts of a document that an import of some operations reads, as a document. */
function prunedDocument(root: SchemaObject, operations: readonly ApiOperation[]): SchemaObject {
  const paths = new Map<string, Record<string, Json>>()
  for (const { path, method, item, operation } of operations) {
    const kept = paths.get(path) ?? { ...pruned(picked(item, ['parameters', 'servers'])) }
    kept[method.toLowerCase()] = pruned({
      ...picked(operation, operationKeys),
      ...resultResponses(operation),
      ...picked(operation, ['security', 'servers']),
    })
    paths.set(path, kept)
  }
  const components = reachedComponents(root, [...paths.values()])
  const info = own(root, 'info')
  return {
    ...picked(root, ['openapi']),
    ...(isObject(info) && { info: picked(info, ['title', 'version']) }),
    ...pruned(picked(root, ['servers', 'security'])),
    // References to other parts need the whole document.
    paths: components === undefined ? pruned(objectOf(own(root, 'paths'))) : objectFrom(paths),
    components: components ?? pruned(objectOf(own(root, 'components'))),
  }
}

/** Returns the responses that may be results. */
function resultResponses(operation: SchemaObject): SchemaObject {
  const responses = own(operation, 'responses')
  if (!isObject(responses)) return {}
  const results = Object.entries(responses).filter(([status]) => /^(?:[23](?:\d\d|XX)|default)$/i.test(status))
  const successes = results.filter(([status]) => status.startsWith('2'))
  return { responses: objectFrom(successes.length > 0 ? successes : results) }
}

/** Returns the components to which values lead; `undefined` if a reference leads to another part of the document. */
function reachedComponents(root: SchemaObject, values: readonly Json[]): SchemaObject | undefined {
  const all = objectOf(own(root, 'components'))
  const variants = new InheritedVariants(root)
  const reached = new Map<string, Map<string, Json>>()
  const pending = values.flatMap(referencesIn)
  for (let ref = pending.pop(); ref !== undefined; ref = pending.pop()) {
    if (!ref.startsWith('#')) continue
    const [first, kind, name] = (keysInReference(root, ref) ?? []).map(String)
    if (first !== 'components' || kind === undefined || name === undefined) return undefined
    const target = own(objectOf(own(all, kind)), name)
    const known = reached.get(kind) ?? new Map<string, Json>()
    if (target === undefined || known.has(name)) continue
    const kept = prunedValue(target)
    reached.set(kind, known.set(name, kept))
    // A reference to a schema with variants means these, to which the schema does not refer.
    const union = variants.meant({ value: kept, keys: ['components', kind, name] }, [])
    pending.push(...referencesIn(kept), ...referencesIn(union.value))
  }
  const entries = Object.entries(all).flatMap(([kind, parts]): readonly (readonly [string, Json])[] => {
    if (kind === 'securitySchemes') return [[kind, prunedValue(parts)]]
    const kept = reached.get(kind)
    if (kept === undefined) return []
    const names = Object.keys(objectOf(parts)).filter((name) => kept.has(name))
    return [[kind, objectFrom(names.map((name) => [name, kept.get(name) ?? null] as const))]]
  })
  return objectFrom(entries)
}

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => referencesIn(item))
  if (!isObject(value)) return []
  const ref = own(value, '$ref')
  return [...(typeof ref === 'string' ? [ref] : []), ...mappedIn(value), ...Object.values(value).flatMap(referencesIn)]
}

/** Returns references to the schemas of a discriminator's mapping, which are names or references. */
function mappedIn(schema: SchemaObject): readonly string[] {
  const mapping = objectOf(own(objectOf(own(schema, 'discriminator')), 'mapping'))
  return Object.values(mapping).flatMap((target) => {
    if (typeof target !== 'string' || /^#(?!\/components\/)/.test(target)) return []
    return target.startsWith('#') ? [target] : [`#${pointerOf(['components', 'schemas', target])}`]
  })
}

function picked(object: SchemaObject, keys: readonly string[]): SchemaObject {
  return objectFrom(
    keys.filter((key) => own(object, key) !== undefined).map((key) => [key, object[key] ?? null] as const),
  )
}

function pruned(object: SchemaObject): SchemaObject {
  const kept = Object.entries(object).filter(
    ([key, value]) =>
      !ignoredKeys.has(key) &&
      !key.startsWith('x-') &&
      (key !== 'example' || typeof value !== 'object' || value === null),
  )
  return mapValues(objectFrom(kept), (value, key) => {
    if (dataKeys.has(key)) return value
    return namedParts.has(key) && isObject(value) ? mapValues(value, prunedValue) : prunedValue(value)
  })
}

function prunedValue(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => prunedValue(item))
  return isObject(value) ? pruned(value) : value
}
