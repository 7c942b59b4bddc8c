import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Agent, Snapshot, Toolset } from '@toolgen/dsl'
import { equalityKey } from '@toolgen/runtime/schema'
import { type Diagnostic, errorAt, startOf, warning } from '../diagnostics/diagnostic.js'
import { unknownNameAt } from '../diagnostics/near-names.js'
import { contentHash, diskErrorText, isDiskError } from '../files.js'
import { parseJson } from '../schema/json-error.js'
import {
  isObject,
  type Json,
  mapValues,
  objectFrom,
  objectOf,
  own,
  type SchemaObject,
  without,
} from '../schema/json-schema.js'
import { shellWord } from '../text.js'
import type { ExportPath, Locations, SnapshotText } from './source-positions.js'

export const sourceKeys: Readonly<Record<Snapshot['kind'], Readonly<Record<string, string>>>> = {
  mcp: { title: 'title', description: 'description', payload: 'inputSchema', result: 'outputSchema' },
  functions: { title: 'title', description: 'description', payload: 'parameters', result: 'response' },
  openapi: {},
}

export function snapshotHash(content: SchemaObject): string {
  return contentHash(JSON.stringify(without(content, ['hash']))).slice(0, 16)
}

interface Definitions {
  readonly toolsets: readonly Toolset[]
  readonly agents: readonly Agent[]
  readonly exported: ReadonlyMap<object, ExportPath>
}

/** The key is the toolset object of the design module, which does not contain the imported tools yet. */
export type ImportedMemory = WeakMap<Toolset, CompleteToolset>

interface ImportedToolsets extends Definitions {
  readonly snapshots: ReadonlyMap<Toolset, SnapshotText>
  /** Relative to the project folder, with `/` as separator. Includes missing files. */
  readonly files: readonly string[]
  diagnose(locations: Locations): readonly Diagnostic[]
}

type Problem = (locationOf: (...path: readonly (string | number)[]) => Diagnostic['location']) => Diagnostic

interface ReadToolset {
  readonly toolset: Toolset
  readonly problems: readonly Problem[]
}

interface CompleteToolset extends ReadToolset {
  readonly source: SnapshotText
}

export function readImportedToolsets(
  definitions: Definitions,
  root: string,
  moduleOf: (snapshot: Snapshot) => string | undefined,
  memory: ImportedMemory = new WeakMap(),
): ImportedToolsets {
  const complete = new Map<object, Toolset>()
  const snapshots = new Map<Toolset, SnapshotText>()
  const files: string[] = []
  const problems = new Map<Toolset, readonly Problem[]>()
  for (const toolset of definitions.toolsets) {
    const snapshot = toolset.imported?.snapshot
    if (snapshot === undefined) continue
    const module = moduleOf(snapshot)
    const file = posix.join(posix.dirname(module ?? ''), snapshot.file)
    if (module !== undefined) files.push(file)
    const read = module === undefined ? undefined : readComplete(toolset, snapshot, { root, file }, memory.get(toolset))
    if (read === undefined || 'why' in read) {
      problems.set(toolset, [unreadable(snapshot, file, read?.why)])
      continue
    }
    memory.set(toolset, read)
    complete.set(toolset, read.toolset)
    problems.set(toolset, read.problems)
    snapshots.set(read.toolset, read.source)
  }
  const replaced = <T extends object>(value: T): T | Toolset => complete.get(value) ?? value
  const withToolset = <T extends { readonly toolset: Toolset }>(value: T): T =>
    isObject(value) && complete.has(value.toolset) ? { ...value, toolset: replaced(value.toolset) } : value
  const exported = new Map(definitions.exported)
  const keepPath = (from: object, to: object): void => {
    const path = exported.get(from)
    if (path !== undefined) exported.set(to, path)
  }
  for (const [from, to] of complete) keepPath(from, to)
  const agents = definitions.agents.map((agent): Agent => {
    if (complete.size === 0 || !Array.isArray(agent.uses) || !Array.isArray(agent.exports)) return agent
    const exports = agent.exports.map((offer) => ('toolset' in Object(offer) ? withToolset(offer) : replaced(offer)))
    const value = { ...agent, uses: agent.uses.map(withToolset), exports }
    keepPath(agent, value)
    return value
  })
  return {
    toolsets: definitions.toolsets.map((toolset) => complete.get(toolset) ?? toolset),
    agents,
    exported,
    snapshots,
    files,
    diagnose: (locations) =>
      [...problems].flatMap(([toolset, found]) =>
        found.map((problem) => problem((...path) => locations.locationOf(toolset, ...path))),
      ),
  }
}

function readComplete(
  toolset: Toolset,
  snapshot: Snapshot,
  { root, file }: { readonly root: string; readonly file: string },
  known: CompleteToolset | undefined,
): CompleteToolset | { readonly why: string } {
  try {
    const text = readFileSync(join(root, file), 'utf8')
    if (known?.source.text === text && known.source.file === file) return known
    const parsed = parseJson(text)
    if ('why' in parsed) return { why: `line ${parsed.line}, column ${parsed.column}: ${parsed.why}` }
    const { json } = parsed
    const isSnapshot = isObject(json) && 'tools' in json && Object.values(toolsOf(json)).every(isObject)
    if (!isSnapshot) return { why: 'it contains no tools of an import' }
    const read = withTools(toolset, snapshot.kind, json)
    // A snapshot that was written by hand has no hash.
    const isEdited = json.hash !== undefined && json.hash !== snapshotHash(json)
    const problems = [...read.problems, ...(isEdited ? [edited(snapshot, file)] : [])]
    return { ...read, problems, source: { file, text, sourceKeys: sourceKeys[snapshot.kind] } }
  } catch (thrown) {
    if (isDiskError(thrown)) return { why: diskErrorText(thrown) }
    throw thrown
  }
}

function toolsOf(content: SchemaObject): SchemaObject {
  return objectOf(own(content, 'tools'))
}

function unreadable({ kind, toolset }: Snapshot, file: string, why: string | undefined): Problem {
  const command = `toolgen import ${kind} ${shellWord(toolset)}`
  const [message, next] =
    why === undefined
      ? [
          `No module of the design exports the snapshot of \`${toolset}\`.`,
          `Pass the snapshot from the module that \`${command}\` writes.`,
        ]
      : [
          `The snapshot \`${file}\` of \`${toolset}\` cannot be read: ${why}.`,
          `Restore the file from version control, or import again: \`${command}\`.`,
        ]
  return (locationOf) => errorAt(locationOf(), 'TG2061', message, next)
}

function edited({ kind, toolset }: Snapshot, file: string): Problem {
  const message = `The snapshot \`${file}\` of \`${toolset}\` was changed after the import. Its tools can differ from their source.`
  const next = `Import again: \`toolgen import ${kind} ${shellWord(toolset)}\`. To change tools, use the options of \`importedToolset\`.`
  return () => ({ ...warning('TG2062', message, next), location: startOf(file) })
}

function withTools(toolset: Toolset, kind: Snapshot['kind'], content: SchemaObject): ReadToolset {
  const { imported, ...fields } = toolset
  const { only, omit = [], tools: options = {} } = imported ?? {}
  const rows = Object.entries(toolsOf(content)).map(([name, row]) => [name, objectOf(row)] as const)
  const declared = rows.flatMap(([name, row]) =>
    row.unused === true ? [] : [[name, declaredTool(kind, row)] as const],
  )
  const written = objectFrom(declared)
  const problems: Problem[] = []
  const known = Object.keys(written)
  const unknownTool = (name: string, ...path: readonly (string | number)[]): void => {
    const message = `The snapshot of \`${toolset.name}\` has no tool \`${name}\`.`
    const next = 'The import removed or renamed the tool. Move the entry to the new name, or remove the entry.'
    problems.push((locationOf) => unknownNameAt(locationOf(...path), 'TG2022', message, name, known, next))
  }
  for (const [option, names] of Object.entries({ only: only ?? [], omit })) {
    for (const [index, name] of names.entries()) if (!Object.hasOwn(written, name)) unknownTool(name, option, index)
  }
  const [chosen, left] = [new Set(only ?? known), new Set(omit)]
  const isSelected = (name: string): boolean => chosen.has(name) && !left.has(name)
  for (const name of Object.keys(options)) {
    if (!Object.hasOwn(written, name)) unknownTool(name, 'tools', name)
    else if (!isSelected(name)) {
      const message = `\`${name}\` has options, but \`only\` and \`omit\` do not select it.`
      const next = 'Select the tool, or remove its options.'
      problems.push((locationOf) => errorAt(locationOf('tools', name), 'TG2023', message, next))
    }
  }
  const selected = declared.filter(([name]) => isSelected(name))
  const tools = selected.map(([name, tool]) => {
    const { fields: described, failures, ...replaced } = own(options, name) ?? {}
    const payload = describedFields(tool.payload ?? true, described ?? {}, (field, all) => {
      const message = `\`${name}\` has no payload field \`${field}\`.`
      const path = ['tools', name, 'fields', field]
      const next = 'The import removed or renamed the field. Move the entry to the new name, or remove the entry.'
      problems.push((locationOf) => unknownNameAt(locationOf(...path), 'TG2025', message, field, all, next))
    })
    const suggestions = suggestedOptions(tool, replaced)
    return [
      name,
      { ...without(tool, ['suggested']), ...suggestions, ...replaced, ...changedFailures(tool, failures), payload },
    ] as const
  })
  const { definitions, description } = content
  const complete = {
    ...fields,
    description: imported?.description ?? description,
    ...(definitions !== undefined && { definitions }),
    ...servedBy(kind, content, rows, objectFrom(selected)),
    tools: objectFrom(tools),
    ...(imported !== undefined && { imported }),
  }
  // The checks of designs reject properties of other types.
  return { toolset: complete as unknown as Toolset, problems }
}

export function toolsetOfSnapshot(name: string, kind: Snapshot['kind'], content: SchemaObject): Toolset {
  const empty: Toolset = { '~toolgen': 'toolset', name, description: '', namespace: 'default', tools: {} }
  return withTools(empty, kind, content).toolset
}

function suggestedOptions({ suggested }: SchemaObject, declared: object): SchemaObject {
  const options = Object.entries(objectOf(suggested)).filter(([name]) => !Object.hasOwn(declared, name))
  const labels = options.map(([name]) => name).filter((name) => name === 'reads' || name === 'writes')
  return { ...objectFrom(options), ...(labels.length > 0 && { suggested: labels.sort() }) }
}

function changedFailures(
  { failures: imported }: SchemaObject,
  changes: Readonly<Record<string, object | false>> | undefined,
): object {
  if (changes === undefined) return {}
  const failures = Object.entries({ ...objectOf(imported), ...changes }).filter(([, failure]) => failure !== false)
  // toolgen later adds failures for HTTP statuses, and must omit these names.
  const dropped = Object.keys(changes).filter(
    (name) => changes[name] === false && own(objectOf(imported), name) === undefined,
  )
  return {
    failures: Object.fromEntries(failures),
    ...(dropped.length > 0 && { droppedFailures: dropped }),
  }
}

function declaredTool(kind: Snapshot['kind'], row: SchemaObject): SchemaObject {
  const { id: _, operation: __, source, ...declared } = row
  const inSource = Object.entries(sourceKeys[kind]).map(
    ([property, key]) => [property, own(objectOf(source), key)] as const,
  )
  return { '~toolgen': 'tool', ...objectFrom(inSource.filter(([, value]) => value !== undefined)), ...declared }
}

function servedBy(
  kind: Snapshot['kind'],
  { server, security, prompts, resources, resourceTemplates }: SchemaObject,
  rows: readonly (readonly [string, SchemaObject])[],
  selected: SchemaObject,
): SchemaObject {
  if (kind === 'functions') return {}
  const named = server === undefined ? {} : { server }
  const ofSelected = (values: readonly (readonly [string, Json])[]): SchemaObject =>
    objectFrom(values.filter(([name]) => Object.hasOwn(selected, name)))
  if (kind === 'openapi') {
    const operations = ofSelected(
      rows.map(([name, { operation = {}, id }]) => [
        name,
        typeof id === 'string' ? { ...objectOf(operation), id } : operation,
      ]),
    )
    return { openapi: { ...named, ...(security !== undefined && { security }), operations } }
  }
  const remotes = rows.map(([name, { source }]) => [name, own(objectOf(source), 'name') ?? name] as const)
  const unused = remotes.filter(([name]) => !Object.hasOwn(selected, name)).map(([, remote]) => remote)
  const offered = {
    ...(prompts !== undefined && { prompts }),
    ...(resources !== undefined && { resources }),
    ...(resourceTemplates !== undefined && { resourceTemplates }),
  }
  const hashes = ofSelected(rows.map(([name, { source }]) => [name, definitionHash(objectOf(source))]))
  return { mcp: { ...named, names: ofSelected(remotes), hashes, unused, captured: selected, ...offered } }
}

const definitionKeys = ['annotations', 'description', 'inputSchema', 'name', 'outputSchema', 'title']

function definitionHash(source: SchemaObject): string {
  const facts = Object.entries(source).filter(([key]) => definitionKeys.includes(key))
  return contentHash(equalityKey(objectFrom(facts))).slice(0, 16)
}

function describedFields(
  payload: Json,
  fields: Readonly<Record<string, { readonly description: string } | undefined>>,
  report: (field: string, known: readonly string[]) => void,
): Json {
  const names = Object.keys(fields)
  if (names.length === 0) return payload
  const known = objectOf(own(objectOf(payload), 'properties'))
  for (const name of names) if (!Object.hasOwn(known, name)) report(name, Object.keys(known))
  if (!isObject(payload)) return payload
  const described = mapValues(known, (schema, name) => ({ ...Object(schema), ...own(fields, name) }))
  return { ...payload, properties: described }
}
