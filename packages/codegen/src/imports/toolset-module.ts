import type { Snapshot } from '@toolgen/dsl'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { snapshotHash, sourceKeys } from '../load/imported-toolsets.js'
import type { EmittedFile } from '../output/files.js'
import {
  isObject,
  type Json,
  objectFrom,
  objectOf,
  own,
  type Schema,
  type SchemaObject,
} from '../schema/json-schema.js'
import { docComment, flatLiteral, keyText, lineWidth } from '../text.js'
import { importNames, importNote, isImported, writtenModule } from './imported-files.js'
import type { ListChange } from './tool-list-changes.js'

export interface DeclaredTool {
  readonly tool: string
  readonly toolName: string
  readonly title?: string
  readonly description: string
  readonly payload: Schema
  readonly result: Schema
  /** Additional options for `defineTool`, such as `examples`. */
  readonly facts: SchemaObject
}

export interface SourceTool {
  readonly tool: string
  readonly source: SchemaObject
  readonly declared?: DeclaredTool
}

export interface ImportedFile extends EmittedFile {
  /** True for the module that the user can edit. The import writes this module only if no module in the folder uses the snapshot. */
  readonly isOwn?: true
}

export interface ToolsetImport {
  /** Paths are relative to the folder of the design. Empty after an error. */
  readonly files: readonly ImportedFile[]
  readonly tools: number
  /** Number of tools with a result schema. */
  readonly described: number
  readonly changes: readonly ListChange[]
  readonly diagnostics: readonly Diagnostic[]
  /** Absent if the import wrote no agent, or if the program already contains the code. */
  readonly register?: string
}

export function noImport(diagnostics: readonly Diagnostic[]): ToolsetImport {
  return { files: [], tools: 0, described: 0, changes: [], diagnostics }
}

export interface SnapshotToolset {
  readonly kind: Snapshot['kind']
  readonly name: string
  /** The next import uses these values as defaults. */
  readonly recorded: SchemaObject
  readonly tools: readonly DeclaredTool[]
  readonly content: SchemaObject & {
    readonly description: string
    readonly tools: Readonly<Record<string, SchemaObject>>
  }
}

export function sourceTools(
  kind: Snapshot['kind'],
  tools: readonly SourceTool[],
): Readonly<Record<string, SchemaObject>> {
  const keys = sourceKeys[kind]
  const row = ({ source, declared }: SourceTool): SchemaObject => {
    if (declared === undefined) return { unused: true, source }
    const { tool: _, toolName, facts, ...properties } = declared
    const changed = Object.entries(properties).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(own(source, own(keys, key) ?? key)),
    )
    return { toolName, ...objectFrom(changed), ...facts, source }
  }
  return objectFrom(tools.map((each) => [each.tool, row(each)]))
}

export function snapshotSources(
  json: unknown,
  kind = '',
): readonly (readonly [tool: string, source: Json])[] | undefined {
  const [about, tools] = ['about', 'tools'].map((key) => (isObject(json) ? own(json, key) : undefined))
  const isSnapshot = typeof about === 'string' && isImported(about) && about.includes(` import ${kind}`)
  if (!isSnapshot || !isObject(tools)) return undefined
  const sources = Object.entries(tools).map(([tool, row]) => [tool, own(objectOf(row), 'source') ?? null] as const)
  return sources.every(([, source]) => source === null) ? undefined : sources
}

export function snapshotImport(
  { kind, name, recorded, tools, content }: SnapshotToolset,
  changes: readonly ListChange[],
  diagnostics: readonly Diagnostic[],
): ToolsetImport {
  const names = importNames(kind, name)
  const written = { about: importNote(kind, name), ...recorded, ...content }
  const snapshot = { about: written.about, hash: snapshotHash(written), ...recorded, ...content }
  const rows = tools.map(({ tool, payload }) => `  ${fieldNamesText(tool, payload)}\n`)
  const [file, namesModule] = [flatLiteral(`./${names.snapshot}`), names.names.replace(/ts$/, 'js')]
  const snapshotModule = `
import type { Snapshot } from '@toolgen/dsl'

/** Names of the tools and of their fields. \`${names.snapshot}\` contains the tools. */
export const ${names.snapshotConstant}: Snapshot<{
${rows.join('')}}> = { '~toolgen': 'snapshot', kind: '${kind}', toolset: ${flatLiteral(name)}, file: ${file} }
`
  const module = `// This module is yours: later imports do not change it. Options of \`importedToolset\` select and change tools.
import { importedToolset } from '@toolgen/dsl'
import { ${names.snapshotConstant} } from './${namesModule}'

${docComment(content.description, 0)}
export const ${names.constant} = importedToolset(${names.snapshotConstant})
`
  return {
    files: [
      { path: names.snapshot, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: names.names, text: writtenModule(kind, name, snapshotModule) },
      { path: names.module, text: module, isOwn: true },
    ],
    tools: tools.length,
    described: tools.filter(({ result }) => result !== true).length,
    changes,
    diagnostics,
  }
}

function fieldNamesText(tool: string, payload: Json | undefined): string {
  const start = `${keyText(tool)}:`
  const fields = closedFields(payload)
  if (fields === undefined) return `${start} string`
  const literals = fields.map((field) => flatLiteral(field))
  const flat = `${start} ${literals.join(' | ') || 'never'}`
  return flat.length + 2 <= lineWidth ? flat : `${start}${literals.map((literal) => `\n    | ${literal}`).join('')}`
}

function closedFields(payload: Json | undefined): readonly string[] | undefined {
  if (!isObject(payload)) return undefined
  const isOpen = Object.keys(payload).some((key) => /^(?:\$ref|allOf|anyOf|oneOf|if|patternProperties)$/.test(key))
  if (isOpen || (own(payload, 'additionalProperties') ?? false) !== false) return undefined
  return Object.keys(objectOf(own(payload, 'properties')))
}
