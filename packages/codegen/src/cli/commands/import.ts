import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import { nodeDisk, relativePath } from '../../files.js'
import { type ImportSource, type JsonFile, readJsonFile, standardInput } from '../../imports/sources.js'
import {
  agentUse,
  blockingFiles,
  type ImportKind,
  importNames,
  isImported,
  type ListChange,
  refusedName,
  type ToolsetImport,
  writeImport,
} from '../../imports/toolset-module.js'
import { thisRun } from '../../output/turn.js'
import { printable } from '../../text.js'
import { type CommandContext, type CommonOptions, reporterOf } from '../context.js'
import { count, type ExitCode, shownPath } from '../format.js'
import { grouped, type Report, report } from '../report.js'
import type { Style } from '../terminal.js'

/** Common options of all imports. */
export interface ImportFlags extends CommonOptions {
  /** Also overwrite a module that was changed by hand. Default: false. */
  readonly force?: boolean
}

/** The arguments and common options of an import. */
export interface ImportRequest extends ImportFlags {
  /** The name of the toolset. */
  readonly name: string
  /** The folder of the snapshot and the module. */
  readonly dir: string
}

/** The run of a command that imports. */
interface ImportRun {
  /** The folder of the snapshot and the module: absolute. */
  readonly root: string
  /** The snapshot as people see it. */
  readonly snapshot: string
  /** The snapshot of an earlier import; `undefined` if there is none. */
  readonly earlier: Extract<JsonFile, { readonly json: unknown }> | undefined
  /** The reason why the file at the snapshot's path was not read, which ends "... cannot be read:". */
  readonly unread: string | undefined
  /** Ends the run; nothing is written. */
  refuse(diagnostics: readonly Diagnostic[]): ExitCode
  /** Writes both files, or none; leaves alone what stays. */
  publish(imported: ToolsetImport): Promise<ExitCode>
}

/** Begins a run; ends it with an exit code where the name is none for a toolset. */
export function beginImport(
  { kind, notes }: { readonly kind: ImportKind; readonly notes: NonNullable<Report['notes']> },
  request: ImportRequest,
  context: CommandContext,
): ImportRun | ExitCode {
  const root = resolve(context.cwd, request.dir)
  const reporter = reporterOf(request)
  const finish = (diagnostics: readonly Diagnostic[], facts: object, summary?: string): ExitCode =>
    report(reporter, context.terminal, {
      command: `import ${kind}`,
      again: `import ${kind} ${request.name}`,
      root: context.cwd,
      diagnostics: reporter === 'pretty' ? grouped(diagnostics) : diagnostics,
      facts: { ...facts },
      notes,
      ...(summary !== undefined && { summary }),
    })
  const refuse = (diagnostics: readonly Diagnostic[]): ExitCode => finish(diagnostics, { written: [], unchanged: [] })

  const wrong = refusedName(kind, request.name)
  if (wrong !== undefined) return refuse([wrong])
  const { snapshot } = importNames(kind, request.name)
  const file = readJsonFile(join(root, snapshot))
  const earlier = 'json' in file && isImported(file.text) ? file : undefined
  return {
    root,
    snapshot: shownPath(root, snapshot),
    earlier,
    unread: 'json' in file || !existsSync(join(root, snapshot)) ? undefined : file.why,
    refuse,
    async publish(imported) {
      const found = imported.diagnostics
      if (found.some(({ severity }) => severity === 'error')) return refuse(found)
      const target = { folder: root.replaceAll('\\', '/'), shown: shownPath(root, '') }
      const blocking = blockingFiles(nodeDisk, target, imported.files, request.force === true)
      if (blocking.length > 0) return refuse([...found, ...blocking])
      const { diagnostics, ...outcome } = await writeImport({ disk: nodeDisk, run: thisRun() }, target, imported.files)
      const all = [...found, ...diagnostics]
      if (diagnostics.some(({ severity }) => severity === 'error')) return finish(all, outcome)
      const { tools, described, changes } = imported
      const { written } = outcome
      const made = { kind, toolset: request.name, root, imported, written, isFirst: earlier === undefined }
      return finish(all, { ...outcome, tools, described, changes }, importSummary(made, context.terminal.noteStyle))
    },
  }
}

/** The result of an import. */
interface ImportOutcome {
  readonly kind: ImportKind
  readonly toolset: string
  /** The folder of the files: absolute. */
  readonly root: string
  readonly imported: ToolsetImport
  /** The files that were not there or differed, by their paths below the folder. */
  readonly written: readonly string[]
  /** True if no earlier import of this toolset stands there. */
  readonly isFirst: boolean
}

const changeWords: Readonly<Record<ListChange['kind'], string>> = { added: 'new', removed: 'gone', changed: 'changed' }

/** Returns the files, the changes of the tools since the earlier import, and the next step. */
function importSummary({ kind, toolset, root, imported, written, isFirst }: ImportOutcome, style: Style): string {
  const { files, tools, described, changes } = imported
  const outcome = written.length === 0 ? 'up to date' : 'imported'
  const paths = files.map(({ path }) => shownPath(root, path)).join(', ')
  const results = described === tools ? '' : `; ${described} of them with a schema for the result`
  const generate = `run ${style('bold', '`toolgen generate`')}`
  const use = `give it to an agent with ${style('bold', `\`${agentUse(kind, toolset)}\``)}, then ${generate}`
  return [
    `${style('green', outcome)}: ${paths}, ${count(tools, 'tool')}${results}`,
    ...changeLines(changes),
    ...(written.length === 0 ? [] : [`Next: ${isFirst ? use : generate}.`]),
  ].join('\n')
}

/** Number of names a line has that people read. */
const mostNames = 20

function changeLines(changes: readonly ListChange[]): readonly string[] {
  return (['added', 'removed', 'changed'] as const).flatMap((kind) => {
    const tools = changes.filter((change) => change.kind === kind).map(({ tool }) => printable(tool))
    const more = tools.length > mostNames ? ` and ${tools.length - mostNames} more (--json names all)` : ''
    return tools.length === 0 ? [] : [`  ${changeWords[kind]}: ${tools.slice(0, mostNames).join(', ')}${more}`]
  })
}

/** Returns the path of a source relative to its snapshot; `undefined` for a source that other machines may not have. */
export function sourcePath({ file, text }: ImportSource, from: string, root: string, cwd: string): string | undefined {
  if (from === standardInput || isImported(text) || file.startsWith('../') || isAbsolute(file)) return undefined
  return relativePath(root, resolve(cwd, from))
}
