import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { block, schemaText } from '../emit/templates.js'
import { type Disk, inWords } from '../files.js'
import { contentHash, type EmittedFile, type OutputFolder } from '../output/files.js'
import { type OutputAccess, presentText, type WrittenFiles, writeFiles } from '../output/output.js'
import type { Publication } from '../output/publish.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import { docComment, flatLiteral, keyText, lineComment, literalText } from '../text.js'
import { type ImportKind, importNames, importNote, isImported } from './names.js'
import type { ListChange } from './tool-diagnostics.js'

/** A tool as the module of an imported toolset declares it. */
export interface DeclaredTool {
  /** The key of the tool in the toolset. */
  readonly tool: string
  readonly toolName: string
  readonly title?: string
  readonly description: string
  readonly payload: Schema
  readonly result: Schema
  /** What else a design says of a tool. */
  readonly facts: SchemaObject
}

/** A toolset as an import declares it. */
export interface DeclaredToolset {
  readonly kind: ImportKind
  readonly name: string
  readonly description: string
  /** Further entries of the toolset, as code. */
  readonly entries: readonly string[]
  readonly tools: readonly DeclaredTool[]
}

/** The module that declares a toolset; the same tools give the same bytes. */
export function toolsetModule({ kind, name, description, entries, tools }: DeclaredToolset): string {
  const parts = [entryText('description', description, 2), ...entries, `tools: ${block(tools.map(toolText), 2)}`]
  const words = tools.length === 0 ? 'defineToolset' : 'defineTool, defineToolset'
  const body = `
import { ${words} } from '@toolgen/dsl'

${docComment(description, 0)}
export const ${importNames(kind, name).constant} = defineToolset(${flatLiteral(name)}, ${block(parts, 0)})
`
  return writtenModule(kind, name, body)
}

function toolText({ tool, toolName, title, description, payload, result, facts }: DeclaredTool): string {
  const entries = [
    entryText('description', description, 6),
    ...(title === undefined ? [] : [entryText('title', title, 6)]),
    entryText('toolName', toolName, 6),
    `payload: ${schemaText(payload, 6)}`,
    `result: ${schemaText(result, 6)}`,
    ...Object.entries(facts).map(([fact, value]) => entryText(fact, value, 6)),
  ]
  return `${keyText(tool)}: defineTool(${block(entries, 4)})`
}

/** An entry of an object literal, as code. */
export function entryText(key: string, value: Json, indent: number): string {
  const start = `${keyText(key)}: `
  return `${start}${literalText(value, { indent, used: indent + start.length + 1 })}`
}

/** What an import gives. */
export interface ToolsetImport {
  /** The snapshot and the toolset's module, by their paths below the folder of the design; none with errors. */
  readonly files: readonly EmittedFile[]
  readonly tools: number
  /** How many tools describe their result. */
  readonly described: number
  /** How the tools stand to those of an earlier import; none where there is none. */
  readonly changes: readonly ListChange[]
  readonly diagnostics: readonly Diagnostic[]
}

/** An import that gives nothing, and why. */
export function noImport(diagnostics: readonly Diagnostic[]): ToolsetImport {
  return { files: [], tools: 0, described: 0, changes: [], diagnostics }
}

const head = /^\/\/ Written by `toolgen import [^\n]*`, ([0-9a-f]{16})\. [^\n]*\n/

/** The text of a module with a head that says which import wrote it, and by which a change by hand is noticed. */
export function writtenModule(kind: ImportKind, toolset: string, body: string): string {
  return `${lineComment(importNote(kind, toolset, bodyHash(body)))}\n${body}`
}

/** Whether what follows the head of a module is what an import wrote. */
function isUnedited(module: string): boolean {
  const text = module.replaceAll('\r\n', '\n')
  const [line, hash] = head.exec(text) ?? []
  return line !== undefined && bodyHash(text.slice(line.length)) === hash
}

function bodyHash(body: string): string {
  return contentHash(body).slice(0, 16)
}

/** A file in whose place something stands that an import must not overwrite. */
interface FileInTheWay {
  readonly path: string
  /** Whether an import wrote what stands there, and somebody changed it since. */
  readonly isEdited: boolean
}

/** Those of the files in whose place something stands that no import has written, or that was changed by hand since. */
export function inTheWay(disk: Disk, { folder }: OutputFolder, files: readonly EmittedFile[]): readonly FileInTheWay[] {
  return files.flatMap(({ path, text }): readonly FileInTheWay[] => {
    const present = presentText(disk, folder, path)
    if (present === undefined || present === text) return []
    if (!isImported(present)) return [{ path, isEdited: false }]
    // The snapshot is data that the next import reads, and may say more of.
    return path.endsWith('.json') || isUnedited(present) ? [] : [{ path, isEdited: true }]
  })
}

/** Writes those files that differ from what stands there, all of them or none. */
export function writeImport(
  access: OutputAccess,
  target: OutputFolder,
  files: readonly EmittedFile[],
): Promise<WrittenFiles> {
  return writeFiles(access, target, files, refused)
}

/** The command line names no source of an import, or several. */
export function oneSource(given: number, snapshot: string): Diagnostic {
  return {
    code: 'TG0001',
    severity: 'error',
    message:
      given === 0
        ? `Nothing says where the tools come from, nor does \`${snapshot}\` say where they came from.`
        : 'The tools can come from one place alone.',
    next: 'Give one of `--from FILE`, `--url URL` and `-- COMMAND`, e.g. `toolgen import mcp files -- npx -y server .`.',
  }
}

/** What is to be imported cannot be read. */
export function unreadable(shown: string, why: string): Diagnostic {
  return {
    code: 'TG0009',
    severity: 'error',
    message: `${shown} cannot be read: ${why}.`,
    next: 'Correct --from; it is relative to the folder in which the command works.',
  }
}

/** What is wrong with a source that no option names: it is the snapshot that does. */
export function ofSnapshot(found: readonly Diagnostic[], snapshot: string): readonly Diagnostic[] {
  const next = `It is \`${snapshot}\` that names this place. Give \`--from\` with the present one.`
  return found.map((diagnostic) => (diagnostic.code === 'TG0009' ? { ...diagnostic, next } : diagnostic))
}

/** Nothing says where the functions of an import come from. */
export function noFunctionsSource(snapshot: string): Diagnostic {
  return {
    code: 'TG0001',
    severity: 'error',
    message: `Nothing says where the functions come from, nor does \`${snapshot}\` name a file.`,
    next: 'Give `--from FILE`, or `--from -` for standard input, e.g. `toolgen import functions weather --from tools.json`.',
  }
}

/** An import from a source that no later one can read again takes the place of one from a file. */
export function forgottenSource(snapshot: string, earlier: string): Diagnostic {
  return {
    code: 'TG6024',
    severity: 'warning',
    message: `\`${snapshot}\` does not name \`${earlier}\` any more, since the functions now come from elsewhere.`,
    next: `Nothing, or import \`--from ${earlier}\` again; the next import must be told its source.`,
  }
}

/** What stands where a file of an import is to go would be lost. */
export function wouldOverwrite({ path, isEdited }: FileInTheWay): Diagnostic {
  const code = 'TG0010'
  if (isEdited) {
    return {
      code,
      severity: 'error',
      message: `\`${path}\` was changed after it was imported; nothing was written.`,
      next:
        'Where an agent uses the toolset, give it names and a selection (`as`, `only`, `rename`); descriptions stay those ' +
        'of what is imported. Then import with --force, which overwrites the module.',
    }
  }
  return {
    code,
    severity: 'error',
    message: `\`${path}\` was not written by an import; nothing was written.`,
    next: 'Give the toolset another name, choose another --dir, or move the file.',
  }
}

/** The operating system refused to write. */
function refused(
  { shown }: OutputFolder,
  { error, restored }: Omit<Extract<Publication, { kind: 'failed' }>, 'kind'>,
): Diagnostic {
  return {
    code: 'TG0011',
    severity: 'error',
    message: restored
      ? `The files cannot be written to ${shown}: ${inWords(error)}. Nothing was changed.`
      : `Writing to ${shown} failed (${inWords(error)}) and could not be undone: one file may be new, the other old.`,
    next: restored
      ? 'Make the folder writable, or choose another --dir.'
      : 'Make the folder writable and import again.',
  }
}
