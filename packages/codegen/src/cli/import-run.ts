import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { wouldOverwrite } from '../import/import-diagnostics.js'
import { type ImportKind, importNames, isImported } from '../import/import-names.js'
import { inTheWay } from '../import/in-the-way.js'
import { type JsonFile, readJsonFile } from '../import/read-json-file.js'
import type { ToolsetImport } from '../import/toolset-import.js'
import { refusedName } from '../import/toolset-name.js'
import { writeImport } from '../import/write-import.js'
import { nodeDisk } from '../write/disk.js'
import { thisRun } from '../write/run-identity.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import type { ExitCode } from './exit-code.js'
import { grouped } from './finding-groups.js'
import { importSummary } from './import-summary.js'
import { type Findings, report } from './report.js'
import { shownPath } from './shown-path.js'

/** What every import can be told beside what it reads. */
export interface ImportFlags extends CommonOptions {
  /** Also overwrite a module that was changed by hand. Default: false. */
  readonly force?: boolean
}

/** What every import is told. */
export interface ImportRequest extends ImportFlags {
  /** The name of the toolset. */
  readonly name: string
  /** Where the snapshot and the module go. */
  readonly dir: string
}

/** The run of a command that imports. */
export interface ImportRun {
  /** The folder of the snapshot and the module: absolute. */
  readonly root: string
  /** The snapshot as people see it. */
  readonly snapshot: string
  /** What an earlier import has written; `undefined` where there is none. */
  readonly earlier: Extract<JsonFile, { readonly json: unknown }> | undefined
  /** Why a file that stands in the place of the snapshot is not read: in words that end "... cannot be read:". */
  readonly unread: string | undefined
  /** Ends the run; nothing is written. */
  refuse(diagnostics: readonly Diagnostic[]): ExitCode
  /** Writes both files, or none; leaves alone what stays. */
  publish(imported: ToolsetImport): Promise<ExitCode>
}

/** Begins a run; ends it with an exit code where the name is none for a toolset. */
export function beginImport(
  { kind, notes }: { readonly kind: ImportKind; readonly notes: NonNullable<Findings['notes']> },
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
      const target = { folder: root.replaceAll('\\', '/'), shown: shownPath(root, '') }
      const kept = inTheWay(nodeDisk, target, imported.files).filter(
        ({ isEdited }) => !isEdited || request.force !== true,
      )
      const refusals = kept.map(({ path, isEdited }) => wouldOverwrite({ path: shownPath(root, path), isEdited }))
      const found = [...imported.diagnostics, ...refusals]
      if (found.some(({ severity }) => severity === 'error')) return refuse(found)
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
