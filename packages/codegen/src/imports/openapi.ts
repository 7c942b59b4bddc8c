import { pointerOf } from '@toolgen/runtime/schema'
import { defined, elementAt } from '../defined.js'
import { type Diagnostic, warning } from '../diagnostics/diagnostic.js'
import { block, schemaText, typedEntry } from '../emit/layout.js'
import { importedToolNames } from '../ir/tool-names.js'

import type { TextLoss } from '../schema/json-losses.js'
import {
  atPointer,
  isObject,
  type Json,
  mapValues,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
} from '../schema/json-schema.js'
import { definitionsUsed } from '../schema/references.js'
import { keyText } from '../text.js'
import { isImported } from './imported-files.js'
import { notOpenApi, readDocument } from './openapi-document.js'
import {
  type ApiOperation,
  keysInReference,
  namesServers,
  noServer,
  type OperationSelection,
  objectOf,
  openApiDocument,
  operationLeftOut,
  operationsOf,
  type PartDiagnostic,
  type PartProblem,
  partAt,
  readServer,
  recordedSelection,
  SecuritySchemes,
  selected,
} from './openapi-operations.js'
import { FieldNames, type OperationContext, readBody, readParameters, readResponses } from './openapi-request.js'
import { type ImpossibleVariant, SchemaPool, settledSchemas } from './openapi-schemas.js'
import { InheritedVariants } from './openapi-variants.js'
import type { ImportSource } from './sources.js'
import { type ListedTool, toolListChanges } from './tool-list-changes.js'
import { defaultLeftOut, renamed, textOf, undescribed, unusableSide } from './tool-source.js'
import { type DeclaredTool, noImport, type ToolsetImport, toolsetImport } from './toolset-module.js'

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
    // Losses in parts that are not imported do not matter.
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

/** Reports a part of a document that reading its text loses. */
function textLoss(loss: TextLoss): PartDiagnostic {
  const { keys } = loss
  if (loss.kind === 'repeated') {
    const message = `\`${keys.at(-1) ?? ''}\` stands more than once ${atPointer(pointerOf(keys.slice(0, -1)))}; the last one counts.`
    const next = `${openApiDocument.fix}: each key stands once, and what it holds in one place.`
    return { diagnostic: warning('TG6211', message, next), keys }
  }
  const message = `The integer \`${loss.written}\` ${atPointer(pointerOf(keys))} is read as \`${loss.value}\`: JavaScript has no exact integers of this size.`
  const next =
    'Nothing, where it is a bound that no value comes near; else correct the document, so that such values travel as text.'
  return { diagnostic: warning('TG6210', message, next), keys }
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
  return listed(declareOperations(operations, { toolset, root: value.root, base }))
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

/** Operations as the tools of a toolset. */
export interface DeclaredOperations {
  readonly tools: readonly ApiTool[]
  /** Definitions to which their schemas refer, sorted by name. */
  readonly definitions: Readonly<Record<string, Schema>>
  readonly security: Readonly<Record<string, SchemaObject>>
  readonly diagnostics: readonly PartDiagnostic[]
}

interface ApiTool extends DeclaredTool {
  readonly id: string
  /** Row of the API's table. */
  readonly operation: SchemaObject
}

interface DeclareOptions {
  readonly toolset: string
  readonly root: SchemaObject
  readonly base?: string | undefined
}

/** An operation before its schemas are settled. */
interface Draft {
  readonly api: ApiOperation
  readonly row: SchemaObject
  readonly payload: Schema
  readonly result: Schema
  readonly owners: Owners
}

/** Names under which the schemas of an operation are settled. */
type Owners = Readonly<Record<'payload' | 'result', string>>

/** Declares operations as tools with legal, unique names. What cannot be a tool is left out and reported. */
export function declareOperations(operations: readonly ApiOperation[], options: DeclareOptions): DeclaredOperations {
  const { root, toolset } = options
  const pool = new SchemaPool(root)
  const schemes = new SecuritySchemes(root)
  const diagnostics: PartDiagnostic[] = []
  const drafts = operations.flatMap((api, index): readonly Draft[] => {
    const owners = { payload: `operation ${index} payload`, result: `operation ${index} result` }
    const draft = draftOf(api, owners, options, pool, schemes, diagnostics)
    if (!('why' in draft)) return [draft]
    diagnostics.push({ diagnostic: unusableOperation(api, draft), keys: api.keys })
    return []
  })
  const schemas = new Map(
    drafts.flatMap(({ owners, payload, result }) => [
      [owners.payload, payload] as const,
      [owners.result, result] as const,
    ]),
  )
  const settled = settledSchemas(schemas, pool.definitions(), pool.problems, (name) => name.endsWith(' payload'))
  diagnostics.push(...pool.diagnostics)
  const locals = importedToolNames(drafts.map(({ api }) => api.id))
  const wanted = drafts.map(({ api }) => `${toolset}_${api.id.replace(/[^a-zA-Z0-9_-]+/g, '_')}`)
  const toolNames = importedToolNames(wanted)
  const seen = new Set<string>()
  const unusableSchemes = new Map<string, string[]>()
  const tools = drafts.flatMap(({ api, row, payload, owners }, index): readonly ApiTool[] => {
    const { id, shown, operation, keys } = api
    const report = (diagnostic: Diagnostic): void => {
      diagnostics.push({ diagnostic, keys })
    }
    const [{ tool }, { toolName }] = [elementAt(locals, index), elementAt(toolNames, index)]
    const wantedName = elementAt(wanted, index)
    if (seen.has(id)) {
      const message = `\`${shown}\` has the \`operationId\` \`${id}\` of another operation; models see it as \`${toolName}\`.`
      report(warning('TG6205', message, `${openApiDocument.fix}: each operation has an \`operationId\` of its own.`))
    } else if (toolName !== wantedName) report(renamed(openApiDocument, id, wantedName, toolName))
    seen.add(id)
    const [problem, lost] = [settled.problems.get(owners.payload), settled.problems.get(owners.result)]
    if (problem !== undefined) {
      const isRemote = problem.remote !== undefined
      report(isRemote ? unusableOperation(api, problem) : unusableSide('arguments', openApiDocument, id, problem.why))
      return []
    }
    if (lost?.remote !== undefined) report(remoteReference(shown, lost.remote, 'its result may be any JSON'))
    else if (lost !== undefined) report(unusableSide('result', openApiDocument, id, lost.why))
    for (const owner of Object.values(owners)) {
      const misfit = settled.misfits.get(owner)
      if (misfit !== undefined) report(defaultLeftOut(openApiDocument, id, misfit))
    }
    for (const name of schemes.unusable(operation)) {
      unusableSchemes.set(name, [...(unusableSchemes.get(name) ?? []), shown])
    }
    const [title, text] = ['summary', 'description'].map((key) => textOf(operation, key)?.trim())
    if (title === undefined && text === undefined) report(undescribed(openApiDocument, id))
    const description = text ?? title ?? id
    return [
      defined({
        id,
        tool,
        toolName,
        title,
        description: own(operation, 'deprecated') === true ? `Deprecated. ${description}` : description,
        payload: settled.schemas.get(owners.payload) ?? payload,
        result: settled.schemas.get(owners.result) ?? true,
        facts: methodFlags[api.method] ?? {},
        operation: row,
      }),
    ]
  })
  const byOwner = new Map(
    drafts.flatMap(({ api, owners }) => Object.values(owners).map((owner) => [owner, api] as const)),
  )
  const known = new Set<string>()
  const reportOwner = (owner: string, create: (shown: string) => Diagnostic): void => {
    const api = byOwner.get(owner)
    const keys = api === undefined ? pool.keysOf(owner) : api.keys
    const diagnostic = create(api === undefined ? String(keys.at(-1)) : api.shown)
    // A definition can exist for both directions.
    if (!known.has(diagnostic.message)) diagnostics.push({ diagnostic, keys })
    known.add(diagnostic.message)
  }
  for (const [owner, repairs] of settled.repairs) {
    for (const repair of repairs) reportOwner(owner, (shown) => repairedSchema(shown, repair))
  }
  for (const [owner, variants] of settled.impossible) {
    for (const variant of variants) reportOwner(owner, (shown) => impossibleVariant(shown, variant))
  }
  for (const [name, shown] of unusableSchemes) diagnostics.push(schemes.unusableDiagnostic(name, shown))
  diagnostics.push(...schemes.invalidNames(operations.map(({ operation }) => operation)))
  const used = new Set(tools.flatMap(({ operation }) => [own(operation, 'security') ?? []].flat(2).map(String)))
  return { tools, definitions: settled.definitions, security: objectFrom(schemes.named(used)), diagnostics }
}

function draftOf(
  api: ApiOperation,
  owners: Owners,
  { root, base }: DeclareOptions,
  pool: SchemaPool,
  schemes: SecuritySchemes,
  diagnostics: PartDiagnostic[],
): Draft | PartProblem {
  const { operation, method } = api
  const context: OperationContext = {
    root,
    api,
    names: new FieldNames(),
    schema: (schema, direction = 'sent') => pool.schema(schema, direction, owners.payload),
    report: (diagnostic, keys) => diagnostics.push({ diagnostic, keys }),
  }
  const parameters = readParameters(context)
  if ('why' in parameters) return parameters
  const body = readBody(context)
  if ('why' in body) return body
  const responses = readResponses({
    ...context,
    schema: (schema) => pool.schema(schema, 'returned', owners.result),
  })
  if (responses.problem !== undefined) pool.problems.set(owners.result, responses.problem)
  const general = readServer(root, base === undefined ? [] : [base])
  const bases = [base, 'server' in general ? general.server : undefined].filter((each) => each !== undefined)
  const named = [operation, api.item].find(namesServers)
  const server = named && readServer(named, bases)
  // Without a server of the document, applications give the address for all operations.
  if (server !== undefined && 'why' in server && 'server' in general) return server
  const security = schemes.alternatives(operation)
  const fields = [...parameters.fields, ...body.fields]
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    api,
    owners,
    payload: {
      type: 'object',
      properties: objectFrom(fields.map(({ name, schema }) => [name, schema] as const)),
      ...(required.length > 0 && { required }),
    },
    result: responses.result,
    row: {
      method,
      // A part after `#` distinguishes operations of one path, and is not part of an address.
      path: api.path.replace(/#.*$/s, ''),
      ...(server !== undefined && 'server' in server && { server: server.server }),
      ...(parameters.table.length > 0 && { parameters: parameters.table }),
      ...(body.row !== undefined && { body: body.row }),
      ...(responses.table !== undefined && { answers: responses.table }),
      ...(security.length > 0 && { security }),
    },
  }
}

/** Promises of HTTP methods, as flags of a design. */
const methodFlags: Readonly<Record<string, SchemaObject>> = {
  GET: { readOnly: true },
  HEAD: { readOnly: true },
  OPTIONS: { readOnly: true },
  PUT: { idempotent: true },
  DELETE: { destructive: true, idempotent: true },
}

function unusableOperation({ shown }: ApiOperation, { why, remote }: PartProblem): Diagnostic {
  return remote === undefined ? operationLeftOut(shown, why) : remoteReference(shown, remote, 'it is left out')
}

/** Reports a reference to another document, which is not fetched. */
function remoteReference(operation: string, ref: string, consequence: string): Diagnostic {
  const message = `\`${operation}\` refers to \`${ref}\`, which is not in the document and is not fetched: ${consequence}.`
  return warning('TG6203', message, 'Bundle the document into one, and import that.')
}

/**
 * Reports a schema of a loose dialect that was repaired.
 *
 * @param owner schema or operation with the repaired part
 * @param repair its trail begins with the two keys of the owner
 */
function repairedSchema(owner: string, { code, message, next, trail }: SchemaDiagnostic): Diagnostic {
  const [outer, inner] = [trail.slice(0, -1), trail.slice(2, -1)].map((keys) => atPointer(pointerOf(keys)))
  const text = `\`${owner}\`: ${message.replace(outer ?? '', inner ?? '')}`
  return warning(code, text, next ?? `${openApiDocument.fix}.`)
}

function impossibleVariant(owner: string, { variant, fields }: ImpossibleVariant): Diagnostic {
  const why = fields.length === 0 ? '' : `: its required field \`${fields.join('.')}\` has no allowed value`
  const message = `No value fits the variant \`${variant}\` of a union in \`${owner}\`${why}.`
  const next = `${openApiDocument.fix}: calls cannot send this variant, and results with it are refused.`
  return warning('TG6215', message, next)
}
