import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from 'diff'
import { type Diagnostic, errorAt, type SourceLocation, startOf } from '../diagnostics/diagnostic.js'
import { type DiskError, diskErrorText, type EntryKind } from '../files.js'
import { type FileVerdict, type OutputFolder, textOf } from './files.js'
import { lockPath } from './lock.js'
import { type Owner, stagingName } from './publish.js'

export interface Drift {
  readonly kind: 'missing' | 'changed' | 'hand-edited' | 'orphaned' | 'blocked'
  readonly path: string
  /** Empty if a folder or link is at the path of the file. */
  readonly diff: string
  readonly diagnostic: Diagnostic
}

export function driftOf(output: OutputFolder, verdicts: readonly FileVerdict[]): readonly Drift[] {
  return verdicts.flatMap((file) => {
    if (file.verdict === 'keep') return []
    const path = `${output.shown}/${file.path}`
    return [{ ...kindOf(output, path, file), path, diff: diffOf(path, file) }]
  })
}

function kindOf(
  output: OutputFolder,
  path: string,
  file: Exclude<FileVerdict, { verdict: 'keep' }>,
): Pick<Drift, 'kind' | 'diagnostic'> {
  const next = 'Run `toolgen generate` and commit the result.'
  const at = startOf(path)
  switch (file.verdict) {
    case 'create':
      return { kind: 'missing', diagnostic: errorAt(at, 'TG5020', `${path} is missing.`, next) }
    case 'update':
      return { kind: 'changed', diagnostic: errorAt(at, 'TG5021', `${path} differs from the design.`, next) }
    case 'edited':
      return { kind: 'hand-edited', diagnostic: conflict(output, file) }
    case 'foreign':
    case 'blocked':
      return { kind: 'blocked', diagnostic: conflict(output, file) }
    case 'remove':
    case 'unrecorded': {
      if (file.verdict === 'unrecorded' && file.text !== undefined) {
        return { kind: 'changed', diagnostic: conflict(output, file) }
      }
      const repair = 'Run `toolgen generate`, which removes files that it wrote. Delete other files by hand.'
      const diagnostic = errorAt(at, 'TG5022', `${path} no longer belongs to the generated code.`, repair)
      return { kind: 'orphaned', diagnostic }
    }
  }
}

function diffOf(path: string, file: FileVerdict): string {
  if (file.verdict === 'keep' || file.verdict === 'blocked') return ''
  const before = 'content' in file ? textOf(file.content) : undefined
  return unifiedDiff(path, before, 'text' in file ? file.text : undefined)
}

/**
 * The time for the shortest diff grows with the square of this number of changed lines. For larger changes, the diff removes all old lines and adds
 * all new lines.
 */
const maxEditLength = 1000

/** `patch` and `git apply -p0` accept the diff. `undefined` means that the file does not exist. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  const [old = '', now = ''] = [before, after].map((text) => text?.replaceAll('\r\n', '\n'))
  if (old === now) return ''
  const oldName = before === undefined ? '/dev/null' : path
  const newName = after === undefined ? '/dev/null' : path
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY, maxEditLength }
  const patch = createTwoFilesPatch(oldName, newName, old, now, undefined, undefined, options)
  if (patch !== undefined) return patch
  const removed = signed('-', old)
  const added = signed('+', now)
  const hunk = {
    oldStart: 1,
    oldLines: removed.count,
    newStart: 1,
    newLines: added.count,
    lines: [...removed.lines, ...added.lines],
  }
  const names = { oldFileName: oldName, newFileName: newName, oldHeader: undefined, newHeader: undefined }
  return formatPatch({ ...names, hunks: [hunk] }, FILE_HEADERS_ONLY)
}

function signed(sign: '-' | '+', text: string): { readonly lines: readonly string[]; readonly count: number } {
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  const marked = (isEnded ? lines.slice(0, -1) : lines).map((line) => `${sign}${line}`)
  return { lines: isEnded ? marked : [...marked, '\\ No newline at end of file'], count: marked.length }
}

// Diagnostics of the output folder.

export type Conflict = Extract<FileVerdict, { verdict: 'edited' | 'unrecorded' | 'foreign' | 'blocked' }>

export function conflict({ shown }: OutputFolder, file: Conflict): Diagnostic {
  const path = `${shown}/${file.path}`
  switch (file.verdict) {
    case 'blocked':
      return blockedOutput(`${shown}/${file.at}`, file.by)
    case 'edited': {
      const message = `${path} was changed by hand after toolgen wrote it.`
      const next =
        file.text === undefined
          ? 'The design no longer needs this file: move your change elsewhere and delete it, or run `toolgen generate --force` to remove it.'
          : 'Move your change into the design or a mapper and delete the file, or run `toolgen generate --force` to overwrite it.'
      return errorAt(firstDifference(path, file), 'TG5001', message, next)
    }
    case 'foreign': {
      const message = `${path} was not written by toolgen, but toolgen needs to write this file.`
      const next = 'Move the file elsewhere, or choose another `output` folder in the configuration.'
      return errorAt(startOf(path), 'TG5002', message, next)
    }
    case 'unrecorded': {
      const message = `${path} looks generated, but ${shown}/${lockPath} does not list it, so manual changes cannot be detected.`
      const next =
        'Restore the lock file from version control, or run `toolgen generate --force` to overwrite the file.'
      return errorAt(firstDifference(path, file), 'TG5008', message, next)
    }
  }
}

/** The user has probably edited the first line that differs from the planned text. */
function firstDifference(
  file: string,
  { text, content }: { readonly text?: string; readonly content: Uint8Array },
): SourceLocation {
  if (text === undefined) return startOf(file)
  const planned = text.split('\n')
  const line = textOf(content)
    .split('\n')
    .findIndex((found, index) => found !== planned[index])
  return { file, line: Math.max(line, 0) + 1, column: 1 }
}

export function leftOver({ shown }: OutputFolder, path: string): Diagnostic {
  const message = `${shown}/${path} looks generated, but belongs neither to the design nor to the lock file.`
  const next = 'Delete the file if nothing imports it.'
  return { ...errorAt(startOf(`${shown}/${path}`), 'TG5009', message, next), severity: 'warning' }
}

export function blockedOutput(shown: string, by: EntryKind): Diagnostic {
  const what = { file: 'a file', folder: 'a folder', link: 'a symbolic link', other: 'a special file' }[by]
  const next =
    by === 'link'
      ? 'Set `output` in the configuration to the target of the link, or remove the link.'
      : 'Move this entry elsewhere, or choose another `output` folder in the configuration.'
  return errorAt(startOf(shown), 'TG5003', `Cannot write to ${shown}: it is ${what}.`, next)
}

export function foreignFolder({ shown }: OutputFolder, files: readonly string[]): Diagnostic {
  const message = `${shown} contains files that toolgen did not write, and no ${lockPath}.`
  const next =
    'Set `output` in the configuration to a separate folder, e.g. `gen`. If the lock file was deleted, restore it.'
  const related = files.map((file) => ({ message: `for example ${shown}/${file}` }))
  return errorAt(startOf(shown), 'TG5012', message, next, { related })
}

export function refused({ folder, shown }: OutputFolder, error: DiskError): Diagnostic {
  const at = error.path?.replaceAll('\\', '/')
  const path = at?.startsWith(`${folder}/`) ? `${shown}${at.slice(folder.length)}` : shown
  const message = `Cannot use the output folder ${shown}: ${diskErrorText(error)} (${path}). Nothing was changed.`
  const next = 'Make the folder readable and writable, or choose another `output` folder in the configuration.'
  return errorAt(startOf(path), 'TG5004', message, next)
}

export function corruptLock({ shown }: OutputFolder, reason: string): Diagnostic {
  const path = `${shown}/${lockPath}`
  const next =
    'Restore the lock file from version control (after a merge conflict, keep either version), or run `toolgen generate --force` to replace it.'
  return errorAt(startOf(path), 'TG5005', `${path} cannot be read: it ${reason}.`, next)
}

export function newerLock({ shown }: OutputFolder, contract: number): Diagnostic {
  const path = `${shown}/${lockPath}`
  const message = `${path} has contract version ${contract}, but this version of toolgen supports only version 1.`
  const next =
    'Install the version of toolgen that wrote the lock file, or a newer version. Then run `npx toolgen generate`.'
  return errorAt(startOf(path), 'TG5006', message, next)
}

export function busy({ shown }: OutputFolder, owner: Owner): Diagnostic {
  const message = `Another run (process ${owner.pid} on ${owner.host}) is writing to ${shown}.`
  const next = `Wait until that run has ended, then run the command again. If the process no longer exists, delete ${shown}/${stagingName}.`
  return errorAt(startOf(shown), 'TG5007', message, next)
}

export function halfWritten({ shown }: OutputFolder, error: DiskError): Diagnostic {
  const message = `Writing to ${shown} failed (${diskErrorText(error)}) and could not be undone. Some files are new, others old.`
  const next = 'Make the folder writable and run `toolgen generate` again, which repairs the output.'
  return errorAt(startOf(shown), 'TG5010', message, next)
}

export function notTidied({ shown }: OutputFolder, error: DiskError): Diagnostic {
  const path = `${shown}/${stagingName}`
  const message = `Cannot remove the temporary folder ${path}: ${diskErrorText(error)}.`
  return { ...errorAt(startOf(path), 'TG5011', message, 'Delete the folder.'), severity: 'warning' }
}
