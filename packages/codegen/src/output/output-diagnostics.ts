import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { type DiskError, type EntryKind, inWords } from '../files.js'
import { type FileVerdict, textOf } from './compare.js'
import type { OutputFolder } from './files.js'
import { lockPath } from './lock-text.js'
import { type Owner, stagingName } from './turn.js'

/** The verdicts that stop `generate`. */
export type Conflict = Extract<FileVerdict, { verdict: 'edited' | 'unrecorded' | 'foreign' | 'blocked' }>

/** Why a file stops `generate`, and what to do. */
export function conflict({ shown }: OutputFolder, file: Conflict): Diagnostic {
  const path = `${shown}/${file.path}`
  switch (file.verdict) {
    case 'blocked':
      return blockedOutput(`${shown}/${file.at}`, file.by)
    case 'edited':
      return {
        code: 'TG5001',
        severity: 'error',
        message: `${path} was changed by hand since toolgen wrote it.`,
        location: changedLocation(path, file),
        next:
          file.text === undefined
            ? 'The design no longer needs this file: move your change elsewhere and delete it, or run `toolgen generate --force` to let it go.'
            : 'Move your change into the design or a mapper and delete the file, or run `toolgen generate --force` to overwrite it.',
      }
    case 'foreign':
      return {
        code: 'TG5002',
        severity: 'error',
        message: `${path} was not written by toolgen, but the design needs a file of that name.`,
        location: start(path),
        next: 'Move the file elsewhere, or choose another `output` folder in the configuration.',
      }
    case 'unrecorded':
      return {
        code: 'TG5008',
        severity: 'error',
        message: `${path} looks generated, but ${shown}/${lockPath} does not list it, so changes by hand cannot be told.`,
        location: changedLocation(path, file),
        next: 'Restore the lock file from version control, or run `toolgen generate --force` to overwrite the file.',
      }
  }
}

/** A file that carries toolgen's head, is not recorded and not planned; it is left alone. */
export function leftOver({ shown }: OutputFolder, path: string): Diagnostic {
  return {
    code: 'TG5009',
    severity: 'warning',
    message: `${shown}/${path} looks generated, but neither the design nor the lock knows it.`,
    location: start(`${shown}/${path}`),
    next: 'Delete the file if nothing imports it.',
  }
}

/** Something stands where toolgen needs a folder or a file of its own. */
export function blockedOutput(shown: string, by: EntryKind): Diagnostic {
  const what = { file: 'a file', folder: 'a folder', link: 'a symbolic link', other: 'a special file' }[by]
  return {
    code: 'TG5003',
    severity: 'error',
    message: `toolgen cannot write to ${shown}: ${what} stands there.`,
    location: start(shown),
    next:
      by === 'link'
        ? 'Name the folder that the link leads to as `output` in the configuration, or remove the link.'
        : 'Move it elsewhere, or choose another `output` folder in the configuration.',
  }
}

/** The output folder is one of the user's: it holds files of theirs and no lock. */
export function foreignFolder({ shown }: OutputFolder, files: readonly string[]): Diagnostic {
  return {
    code: 'TG5012',
    severity: 'error',
    message: `${shown} holds files that toolgen did not write, and no ${lockPath}: it is no output folder.`,
    location: start(shown),
    related: files.map((file) => ({ message: `for example ${shown}/${file}` })),
    next: 'Choose a folder of its own as `output` in the configuration, e.g. `gen`; if the lock was lost, restore it.',
  }
}

/** The operating system refused a file operation. */
export function refused({ folder, shown }: OutputFolder, error: DiskError): Diagnostic {
  const at = error.path?.replaceAll('\\', '/')
  const path = at?.startsWith(`${folder}/`) ? `${shown}${at.slice(folder.length)}` : shown
  return {
    code: 'TG5004',
    severity: 'error',
    message: `toolgen cannot use the output folder ${shown}: ${inWords(error)} (${path}). Nothing was changed.`,
    location: start(path),
    next: 'Make the folder readable and writable, or choose another `output` folder in the configuration.',
  }
}

/** The lock is not what toolgen writes. */
export function corruptLock({ shown }: OutputFolder, reason: string): Diagnostic {
  return {
    code: 'TG5005',
    severity: 'error',
    message: `${shown}/${lockPath} cannot be read: it ${reason}.`,
    location: start(`${shown}/${lockPath}`),
    next: 'Restore it from version control (after a merge: take either side), or run `toolgen generate --force` to write it anew.',
  }
}

/** The lock was written by a later toolgen. */
export function newerLock({ shown }: OutputFolder, contract: number): Diagnostic {
  return {
    code: 'TG5006',
    severity: 'error',
    message: `${shown}/${lockPath} has contract version ${contract}; this toolgen knows none above 1.`,
    location: start(`${shown}/${lockPath}`),
    next: 'Run `npm install --save-dev @toolgen/codegen@latest`, then `npx toolgen generate`.',
  }
}

/** Another run has been writing for longer than a run waits. */
export function busy({ shown }: OutputFolder, owner: Owner): Diagnostic {
  return {
    code: 'TG5007',
    severity: 'error',
    message: `Another run (process ${owner.pid} on ${owner.host}) is writing to ${shown}.`,
    location: start(shown),
    next: `Wait for it and run again; if it does not exist any more, delete ${shown}/${stagingName}.`,
  }
}

/** A run failed and the disk also refused to undo it. */
export function halfWritten({ shown }: OutputFolder, error: DiskError): Diagnostic {
  return {
    code: 'TG5010',
    severity: 'error',
    message: `Writing to ${shown} failed (${inWords(error)}) and could not be undone: some files are new, some are old.`,
    location: start(shown),
    next: 'Make the folder writable and run `toolgen generate` again, which repairs it.',
  }
}

/** Everything was written, but the disk refused to remove temporary files. */
export function notTidied({ shown }: OutputFolder, error: DiskError): Diagnostic {
  return {
    code: 'TG5011',
    severity: 'warning',
    message: `The temporary folder ${shown}/${stagingName} could not be removed: ${inWords(error)}.`,
    location: start(`${shown}/${stagingName}`),
    next: 'Delete the folder.',
  }
}

function start(file: string): SourceLocation {
  return { file, line: 1, column: 1 }
}

/** The first line that differs from what is planned: most often the one that was changed. */
function changedLocation(
  file: string,
  { text, content }: { readonly text?: string; readonly content: Uint8Array },
): SourceLocation {
  if (text === undefined) return start(file)
  const planned = text.split('\n')
  const line = textOf(content)
    .split('\n')
    .findIndex((found, index) => found !== planned[index])
  return { file, line: Math.max(line, 0) + 1, column: 1 }
}
