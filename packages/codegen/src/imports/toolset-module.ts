import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { block, entry, schemaText } from '../emit/layout.js'
import type { EmittedFile } from '../output/files.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import { docComment, flatLiteral, keyText } from '../text.js'
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

export interface ToolsetImport {
  /** Snapshot and module, by paths relative to the folder of the design; empty after an error. */
  readonly files: readonly EmittedFile[]
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
