import { type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { block, entry, schemaText } from '../emit/layout.js'
import { contentHash, type Disk, diskErrorText } from '../files.js'
import type { EmittedFile, OutputFolder } from '../output/files.js'
import { presentText, type WrittenFiles, writeFiles } from '../output/output.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import { docComment, flatLiteral, keyText, lineComment } from '../text.js'
import { type ImportKind, importNames, importNote, isImported } from './names.js'
import type { ListChange } from './tool-diagnostics.js'

/** A tool as the module of an imported toolset declares it. */
export interface DeclaredTool {
  readonly tool: string
  readonly toolName: string
  readonly title?: string
  readonly description: string
  readonly payload: Schema
  readonly result: Schema
  /** Further options of the tool. */
  readonly facts: SchemaObject
}

/** A toolset as an import declares it, and its snapshot. */
export interface DeclaredToolset {
  readonly kind: ImportKind
  readonly name: string
  readonly description: string
  /** Further entries of the toolset, as code. */
  readonly entries?: readonly string[]
  readonly tools: readonly DeclaredTool[]
  readonly snapshot: { readonly [key: string]: Json }
}

export interface ToolsetImport {
  /** Snapshot and module, by their paths below the folder of the design; none if there are errors. */
  readonly files: readonly EmittedFile[]
  readonly tools: number
  /** Number of tools with a schema of the result. */
  readonly described: number
  /** Differences to the tools of an earlier import. */
  readonly changes: readonly ListChange[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Returns an import that writes nothing. */
export function noImport(diagnostics: readonly Diagnostic[]): ToolsetImport {
  return { files: [], tools: 0, described: 0, changes: [], diagnostics }
}

/** Returns the files of a toolset. The same toolset gives the same bytes. */
export function toolsetImport(
  toolset: DeclaredToolset,
  changes: readonly ListChange[],
  diagnostics: readonly Diagnostic[],
): ToolsetImport {
  const { kind, name, tools } = toolset
  const names = importNames(kind, name)
  const snapshot = { about: importNote(kind, name), ...toolset.snapshot }
  return {
    files: [
      { path: names.snapshot, text: `${JSON.stringify(snapshot, null, 2)}\n` },
      { path: names.module, text: toolsetModule(toolset) },
    ],
    tools: tools.length,
    described: tools.filter(({ result }) => result !== true).length,
    changes,
    diagnostics,
  }
}

function toolsetModule({ kind, name, description, entries = [], tools }: DeclaredToolset): string {
  const parts = [entry('description', description, 2), ...entries, `tools: ${block(tools.map(toolText), 2)}`]
  const body = `
import { ${tools.length === 0 ? '' : 'defineTool, '}defineToolset } from '@toolgen/dsl'

${docComment(description, 0)}
export const ${importNames(kind, name).constant} = defineToolset(${flatLiteral(name)}, ${block(parts, 0)})
`
  return writtenModule(kind, name, body)
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

const head = /^\/\/ Written by `toolgen import [^\n]*`, ([0-9a-f]{16})\. [^\n]*\n/

/** Returns a module with a first line that names the import, and has a hash by which manual changes are noticed. */
export function writtenModule(kind: ImportKind, toolset: string, body: string): string {
  return `${lineComment(importNote(kind, toolset, bodyHash(body)))}\n${body}`
}

function isUnedited(module: string): boolean {
  const text = module.replaceAll('\r\n', '\n')
  const [line, hash] = head.exec(text) ?? []
  return line !== undefined && bodyHash(text.slice(line.length)) === hash
}

function bodyHash(body: string): string {
  return contentHash(body).slice(0, 16)
}

/** A file that an import must not overwrite. */
interface BlockingFile {
  readonly path: string
  /** True if an import wrote the file and somebody changed it since. */
  readonly isEdited: boolean
}

/** Returns the present files that no import has written, or that were changed since. */
export function blockingFiles(
  disk: Disk,
  { folder }: OutputFolder,
  files: readonly EmittedFile[],
): readonly BlockingFile[] {
  return files.flatMap(({ path, text }): readonly BlockingFile[] => {
    const present = presentText(disk, folder, path)
    if (present === undefined || present === text) return []
    if (!isImported(present)) return [{ path, isEdited: false }]
    // A snapshot is data that the next import reads.
    return path.endsWith('.json') || isUnedited(present) ? [] : [{ path, isEdited: true }]
  })
}

/** Reports a file that an import must not overwrite. */
export function wouldOverwrite({ path, isEdited }: BlockingFile): Diagnostic {
  return isEdited
    ? errorAt(
        undefined,
        'TG0010',
        `\`${path}\` was changed after it was imported; nothing was written.`,
        'Where an agent uses the toolset, give it names and a selection (`as`, `only`, `rename`); descriptions stay those ' +
          'of what is imported. Then import with --force, which overwrites the module.',
      )
    : errorAt(
        undefined,
        'TG0010',
        `\`${path}\` was not written by an import; nothing was written.`,
        'Give the toolset another name, choose another --dir, or move the file.',
      )
}

/** Writes the files that differ from those on disk, all of them or none. */
export function writeImport(
  target: OutputFolder,
  files: readonly EmittedFile[],
  access?: Parameters<typeof writeFiles>[3],
): Promise<WrittenFiles> {
  return writeFiles(
    target,
    files,
    ({ shown }, { error, restored }) => {
      const cause = diskErrorText(error)
      return restored
        ? errorAt(
            undefined,
            'TG0011',
            `The files cannot be written to ${shown}: ${cause}. Nothing was changed.`,
            'Make the folder writable, or choose another --dir.',
          )
        : errorAt(
            undefined,
            'TG0011',
            `Writing to ${shown} failed (${cause}) and could not be undone: one file may be new, the other old.`,
            'Make the folder writable and import again.',
          )
    },
    access,
  )
}
