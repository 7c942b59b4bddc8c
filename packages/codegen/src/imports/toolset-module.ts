import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { block, entry, schemaText } from '../emit/layout.js'
import type { EmittedFile } from '../output/files.js'
import { isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { docComment, flatLiteral, keyText, lineWidth } from '../text.js'
import { type ImportKind, importNames, importNote, writtenModule } from './imported-files.js'
import type { ListChange } from './tool-list-changes.js'

/** A tool for the module of an imported toolset. */
export interface DeclaredTool {
  readonly tool: string
  readonly toolName: string
  readonly title?: string
  readonly description: string
  readonly payload: Schema
  readonly result: Schema
  /** Further options of `defineTool`, by name. */
  readonly facts: SchemaObject
}

/** An imported toolset and its snapshot. */
export interface DeclaredToolset {
  readonly kind: ImportKind
  readonly name: string
  readonly description: string
  /** Further properties of the toolset, as code. */
  readonly entries?: readonly string[]
  readonly tools: readonly DeclaredTool[]
  readonly snapshot: { readonly [key: string]: Json }
}

/** A file of an import. */
export interface ImportedFile extends EmittedFile {
  /** True for a module that belongs to the user. An import only writes it if no module of the folder uses the snapshot. */
  readonly isOwn?: true
}

export interface ToolsetImport {
  /** Snapshot and modules, by paths relative to the folder of the design; empty after an error. */
  readonly files: readonly ImportedFile[]
  readonly tools: number
  /** Number of tools with a result schema. */
  readonly described: number
  /** Differences from the tools of an earlier import. */
  readonly changes: readonly ListChange[]
  readonly diagnostics: readonly Diagnostic[]
  /** Code that registers a new agent of the import. Absent if the import writes no agent, or the program contains the code. */
  readonly register?: string
}

export function noImport(diagnostics: readonly Diagnostic[]): ToolsetImport {
  return { files: [], tools: 0, described: 0, changes: [], diagnostics }
}

/** Returns the snapshot and the module of a toolset as an import result. The same toolset gives the same bytes. */
export function toolsetImport(
  toolset: DeclaredToolset,
  changes: readonly ListChange[],
  diagnostics: readonly Diagnostic[],
): ToolsetImport {
  const { kind, name, description, entries = [], tools } = toolset
  const names = importNames(kind, name)
  const snapshot = { about: importNote(kind, name), ...toolset.snapshot }
  const parts = [entry('description', description, 2), ...entries, `tools: ${block(tools.map(toolText), 2)}`]
  const module = `
import { ${tools.length === 0 ? '' : 'defineTool, '}defineToolset } from '@toolgen/dsl'

${docComment(description, 0)}
export const ${names.constant} = defineToolset(${flatLiteral(name)}, ${block(parts, 0)})
`
  return {
    files: [
      { path: names.snapshot, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: names.module, text: writtenModule(kind, name, module) },
    ],
    tools: tools.length,
    described: tools.filter(({ result }) => result !== true).length,
    changes,
    diagnostics,
  }
}

/** An imported toolset as data for its snapshot. */
export interface SnapshotToolset {
  readonly kind: 'openapi'
  readonly name: string
  /** Source and selection, for later imports. */
  readonly recorded: SchemaObject
  /** Properties of the toolset, with the tools by name. */
  readonly content: SchemaObject & {
    readonly description: string
    readonly tools: Readonly<Record<string, SchemaObject>>
  }
}

/** Returns the files of a toolset whose tools are data: the snapshot, a module with the names, and the module of the user. */
export function snapshotImport(
  { kind, name, recorded, content }: SnapshotToolset,
  changes: readonly ListChange[],
  diagnostics: readonly Diagnostic[],
): ToolsetImport {
  const names = importNames(kind, name)
  const snapshot = { about: importNote(kind, name), ...recorded, ...content }
  const tools = Object.entries(content.tools)
  const rows = tools.map(([tool, { payload }]) => `  ${fieldNamesText(tool, payload)}\n`)
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
    described: tools.filter(([, { result }]) => result !== true).length,
    changes,
    diagnostics,
  }
}

/** Returns a property that lists the top-level fields of a payload as a union type; `string` if the schema also accepts other fields. */
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
  const properties = own(payload, 'properties')
  return Object.keys(isObject(properties) ? properties : {})
}

function toolText({ tool, toolName, title, description, payload, result, facts }: DeclaredTool): string {
  const entries = [
    entry('description', description, 6),
    ...(title === undefined ? [] : [entry('title', title, 6)]),
    entry('toolName', toolName, 6),
    `payload: ${schemaText(payload, 6)}`,
    `result: ${schemaText(result, 6)}`,
    ...Object.entries(facts).map(([fact, value]) => entry(fact, value, 6)),
  ]
  return `${keyText(tool)}: defineTool(${block(entries, 4)})`
}
