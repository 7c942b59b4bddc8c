import { posix } from 'node:path'
import { deepEqual } from '@toolgen/runtime/schema'
import { type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { block, entry, schemaText } from '../emit/layout.js'
import { type Disk, diskErrorText } from '../files.js'
import { assignNames, camel, pascalStem } from '../ir/names.js'
import { contentHash, type EmittedFile, type OutputFolder } from '../output/files.js'
import { type OutputAccess, presentText, type WrittenFiles, writeFiles } from '../output/output.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import { docComment, flatLiteral, keyText, lineComment } from '../text.js'

/** Kinds of imports: the function with which a design uses the toolset, its further arguments, and an example of a name. */
const kinds = {
  mcp: { word: 'fromMcp', more: '', example: 'files' },
  functions: { word: 'fromService', more: ', serviceClient<Client>()', example: 'weather' },
  openapi: { word: 'fromOpenApi', more: '', example: 'pets' },
} as const

/** Kind of an import: tools of an MCP server, descriptions of functions, or operations of an HTTP API. */
export type ImportKind = keyof typeof kinds

/** Mark in the first lines of every imported file. */
const importMark = 'Written by `toolgen import'

/** Returns `true` for a text that an import has written. */
export function isImported(text: string): boolean {
  return text.slice(0, 400).includes(importMark)
}

/** Returns the names of the files of an imported toolset, and of the constant in its module. */
export function importNames(
  kind: ImportKind,
  toolset: string,
): Readonly<Record<'snapshot' | 'module' | 'constant', string>> {
  const [named] = assignNames({ toolsets: [{ name: toolset, tools: [], defs: [] }], agents: [] }).toolsets
  if (named === undefined) throw new Error('Naming lost a toolset.')
  const { folder, descriptor } = named.names
  const isTaken = descriptor === 'defineTool' || descriptor === 'defineToolset'
  return {
    snapshot: `${folder}.${kind}.json`,
    module: `${folder}.${kind}.ts`,
    constant: isTaken ? `${descriptor}_` : descriptor,
  }
}

/** Returns the code with which an agent uses an imported toolset. */
export function agentUse(kind: ImportKind, toolset: string): string {
  const { word, more } = kinds[kind]
  return `${word}(${importNames(kind, toolset).constant}${more})`
}

/** Returns the error of an illegal name of a toolset. Models see it at the beginning of every tool's name. */
export function refusedName(kind: ImportKind, name: string): Diagnostic | undefined {
  const isLegal = (text: string): boolean => /^[a-zA-Z][a-zA-Z0-9_-]*$/.test(text)
  if (isLegal(name)) return undefined
  const near = /[a-zA-Z]/.test(name) ? [camel(pascalStem(name, 'Toolset'))].filter(isLegal) : []
  const message =
    `\`${name}\` is no name for an imported toolset. Models see it as the beginning of each tool's name: it has ASCII ` +
    'letters, digits, `_` and `-` alone, a letter first.'
  const next = `Choose another, e.g. \`toolgen import ${kind} ${near[0] ?? kinds[kind].example}\`.`
  return errorAt(undefined, 'TG0001', message, next, near.length > 0 ? { near } : {})
}

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

/** A difference to the tools of an earlier import. */
export interface ListChange {
  /** The source's name of the tool. */
  readonly tool: string
  readonly kind: 'added' | 'removed' | 'changed'
}

/** A tool of a source, with everything that the source says about it. */
export interface ListedTool {
  readonly name: string
  readonly raw: Json
}

/**
 * Compares the tools of a source with those of an earlier import, if there is one. The order of tools and keys does not
 * matter. Of several tools of one name, the first counts.
 */
export function toolListChanges(
  before: readonly ListedTool[] | undefined,
  after: readonly ListedTool[],
): readonly ListChange[] {
  if (before === undefined) return []
  const byName = (tools: readonly ListedTool[]): ReadonlyMap<string, Json> => {
    const found = new Map<string, Json>()
    for (const { name, raw } of tools) if (!found.has(name)) found.set(name, raw)
    return found
  }
  const [earlier, present] = [byName(before), byName(after)]
  return [
    ...[...present].flatMap(([tool, raw]): readonly ListChange[] => {
      const known = earlier.get(tool)
      if (known === undefined) return [{ tool, kind: 'added' }]
      return deepEqual(known, raw) ? [] : [{ tool, kind: 'changed' }]
    }),
    ...[...earlier.keys()].filter((tool) => !present.has(tool)).map((tool): ListChange => ({ tool, kind: 'removed' })),
  ]
}

/** Returns the first line of an imported file: the command, and what to do instead of editing. */
function importNote(kind: ImportKind, toolset: string, end = ''): string {
  return `${importMark} ${kind} ${toolset}\`${end}. Do not edit; import again, and select and rename with \`${kinds[kind].word}\`.`
}

const head = /^\/\/ Written by `toolgen import [^\n]*`, ([0-9a-f]{16})\. [^\n]*\n/

/** Returns a module with a first line that names the import, and has a hash by which manual changes are noticed. */
export function writtenModule(kind: ImportKind, toolset: string, body: string): string {
  return `${lineComment(importNote(kind, toolset, `, ${bodyHash(body)}`))}\n${body}`
}

function isUnedited(module: string): boolean {
  const text = module.replaceAll('\r\n', '\n')
  const [line, hash] = head.exec(text) ?? []
  return line !== undefined && bodyHash(text.slice(line.length)) === hash
}

function bodyHash(body: string): string {
  return contentHash(body).slice(0, 16)
}

/**
 * Returns an error for each file that no import has written, or that was changed since.
 *
 * @param force accepts modules that were changed
 */
export function blockingFiles(
  disk: Disk,
  { folder, shown }: OutputFolder,
  files: readonly EmittedFile[],
  force: boolean,
): readonly Diagnostic[] {
  return files.flatMap(({ path, text }): readonly Diagnostic[] => {
    const present = presentText(disk, folder, path)
    if (present === undefined || present === text) return []
    const file = `\`${posix.join(shown, path)}\``
    if (!isImported(present)) {
      const next = 'Give the toolset another name, choose another --dir, or move the file.'
      return [errorAt(undefined, 'TG0010', `${file} was not written by an import; nothing was written.`, next)]
    }
    // A snapshot is data that the next import reads.
    if (force || path.endsWith('.json') || isUnedited(present)) return []
    const next =
      'Where an agent uses the toolset, give it names and a selection (`as`, `only`, `rename`); descriptions stay those ' +
      'of what is imported. Then import with --force, which overwrites the module.'
    return [errorAt(undefined, 'TG0010', `${file} was changed after it was imported; nothing was written.`, next)]
  })
}

/** Writes the files that differ from those on disk, all of them or none. */
export function writeImport(
  access: OutputAccess,
  target: OutputFolder,
  files: readonly EmittedFile[],
): Promise<WrittenFiles> {
  return writeFiles(access, target, files, ({ shown }, { error, restored }) => {
    const why = diskErrorText(error)
    const message = restored
      ? `The files cannot be written to ${shown}: ${why}. Nothing was changed.`
      : `Writing to ${shown} failed (${why}) and could not be undone: one file may be new, the other old.`
    const next = restored
      ? 'Make the folder writable, or choose another --dir.'
      : 'Make the folder writable and import again.'
    return errorAt(undefined, 'TG0011', message, next)
  })
}
