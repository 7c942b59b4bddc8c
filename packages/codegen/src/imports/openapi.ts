import { pointerOf } from '@toolgen/runtime/schema'
import { typedEntry } from '../emit/members.js'
import { block, schemaText } from '../emit/templates.js'
import { isObject, type Json, objectFrom, own, type SchemaObject } from '../schema/json-schema.js'
import { definitionsUsed } from '../schema/references.js'
import { keyText } from '../text.js'
import { importNames, importNote, isImported } from './names.js'
import { lostInText, noOperations, noServer } from './openapi-diagnostics.js'
import { readDocument } from './openapi-document.js'
import {
  type ApiOperationPart,
  type OperationSelection,
  operationsOf,
  type PartFinding,
  recordedSelection,
  selected,
  writtenSelection,
} from './openapi-operations.js'
import { keysInReference, partAt } from './openapi-references.js'
import { documentServer, namesServers } from './openapi-servers.js'
import { type DeclaredOperations, declareOperations } from './openapi-tools.js'
import { InheritedVariants } from './openapi-variants.js'
import type { ImportSource } from './read-source.js'
import { type ListedTool, toolListChanges } from './tool-diagnostics.js'
import { noImport, type ToolsetImport, toolsetModule } from './toolset-module.js'

/** What an import of a document reads beside its source. */
interface OpenApiImportOptions {
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
  const { root, locationsOf, losses, isUpgraded } = read.value
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
  const locations = locationsOf(findings.map(({ keys }) => keys))
  const diagnostics = [
    ...findings.map(({ finding }, index) => ({ ...finding, ...(locations[index] && { location: locations[index] }) })),
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

/** Objects whose keys are names that people chose. */
const dictionaries: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'responses', 'content'],
  ...['headers', 'encoding', 'variables', 'mapping'],
])
/** Values that are no part of the document's own structure. */
const literals: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'security'])
const foreign: ReadonlySet<string> = new Set(['examples', 'externalDocs', 'xml', 'callbacks', 'links'])
const ofOperations = ['operationId', 'tags', 'summary', 'description', 'deprecated', 'parameters', 'requestBody']

/**
 * What an import reads of a document, as a document: the operations that were imported and all to which they lead. Without
 * examples, and without answers that are no results.
 */
function prunedDocument(root: SchemaObject, operations: readonly ApiOperationPart[]): SchemaObject {
  const paths = new Map<string, Record<string, Json>>()
  for (const { path, method, item, operation } of operations) {
    const kept = paths.get(path) ?? { ...stripped(picked(item, ['parameters', 'servers'])) }
    kept[method.toLowerCase()] = stripped({
      ...picked(operation, ofOperations),
      ...withResponses(operation),
      ...picked(operation, ['security', 'servers']),
    })
    paths.set(path, kept)
  }
  const components = reachedComponents(root, [...paths.values()])
  return {
    ...picked(root, ['openapi']),
    ...withInfo(root),
    ...stripped(picked(root, ['servers', 'security'])),
    // Whoever refers to another place has to have all of it.
    paths: components === undefined ? stripped(objectOf(own(root, 'paths'))) : objectFrom(paths),
    components: components ?? stripped(objectOf(own(root, 'components'))),
  }
}

function withInfo(root: SchemaObject): SchemaObject {
  const info = own(root, 'info')
  return isObject(info) ? { info: picked(info, ['title', 'version']) } : {}
}

function withResponses(operation: SchemaObject): SchemaObject {
  const responses = own(operation, 'responses')
  if (!isObject(responses)) return {}
  const results = Object.entries(responses).filter(([status]) => /^(?:[23](?:\d\d|XX)|default)$/i.test(status))
  const hasSuccess = results.some(([status]) => status.startsWith('2'))
  return { responses: objectFrom(results.filter(([status]) => !hasSuccess || status.startsWith('2'))) }
}

/** The components to which values lead, by kind and name; `undefined` where a reference leads elsewhere in the document. */
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
    const kept = strippedValue(target)
    reached.set(kind, known.set(name, kept))
    pending.push(...referencesIn(kept))
    // Who refers to a schema with variants means these, to which it does not refer.
    pending.push(...referencesIn(variants.meant({ value: kept, keys: ['components', kind, name] }, []).value))
  }
  const entries = Object.entries(all).flatMap(([kind, parts]): readonly (readonly [string, Json])[] => {
    if (kind === 'securitySchemes') return [[kind, strippedValue(parts)]]
    const names = reached.get(kind)
    return names === undefined ? [] : [[kind, inOrderOf(objectOf(parts), names)]]
  })
  return objectFrom(entries)
}

function inOrderOf(parts: SchemaObject, kept: ReadonlyMap<string, Json>): SchemaObject {
  return objectFrom(
    Object.keys(parts).flatMap((name) => (kept.has(name) ? [[name, kept.get(name) ?? null] as const] : [])),
  )
}

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: Json) => referencesIn(item))
  if (!isObject(value)) return []
  const ref = own(value, '$ref')
  return [...(typeof ref === 'string' ? [ref] : []), ...mappedIn(value), ...Object.values(value).flatMap(referencesIn)]
}

/** References to the schemas of a discriminator's mapping, which names them or refers to them. */
function mappedIn(schema: SchemaObject): readonly string[] {
  const discriminator = own(schema, 'discriminator')
  const mapping = isObject(discriminator) ? own(discriminator, 'mapping') : undefined
  return Object.values(isObject(mapping) ? mapping : {}).flatMap((target) => {
    if (typeof target !== 'string' || /^#(?!\/components\/)/.test(target)) return []
    return target.startsWith('#') ? [target] : [`#${pointerOf(['components', 'schemas', target])}`]
  })
}

function picked(object: SchemaObject, keys: readonly string[]): SchemaObject {
  return objectFrom(
    keys.flatMap((key) => (own(object, key) === undefined ? [] : [[key, object[key] ?? null] as const])),
  )
}

function stripped(object: SchemaObject): SchemaObject {
  return objectFrom(
    Object.entries(object)
      .filter(
        ([key, value]) => !foreign.has(key) && !key.startsWith('x-') && (key !== 'example' || !isContainer(value)),
      )
      .map(([key, value]): readonly [string, Json] => {
        if (literals.has(key)) return [key, value]
        if (!dictionaries.has(key) || !isObject(value)) return [key, strippedValue(value)]
        return [key, objectFrom(Object.entries(value).map(([name, part]) => [name, strippedValue(part)] as const))]
      }),
  )
}

function strippedValue(value: Json): Json {
  if (Array.isArray(value)) return value.map((item: Json) => strippedValue(item))
  return isObject(value) ? stripped(value) : value
}

function isContainer(value: Json): boolean {
  return typeof value === 'object' && value !== null
}

function objectOf(value: Json | undefined): SchemaObject {
  return isObject(value) ? value : {}
}
