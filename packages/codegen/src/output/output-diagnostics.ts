import { type Diagnostic, errorAt, type SourceLocation, startOf } from '../diagnostics/diagnostic.js'
import { type DiskError, diskErrorText, type EntryKind } from '../files.js'
import { type FileVerdict, textOf } from './compare.js'
import type { OutputFolder } from './files.js'
import { lockPath } from './lock.js'
import { type Owner, stagingName } from './turn.js'

/** The verdicts that stop `generate`. */
export type Conflict = Extract<FileVerdict, { verdict: 'edited' | 'unrecorded' | 'foreign' | 'blocked' }>

/** Returns the error for a file that stops `generate`. */
export function conflict({ shown }: OutputFolder, file: Conflict): Diagnostic {
  const path = `${shown}/${file.path}`
  switch (file.verdict) {
    case 'blocked':
      return blockedOutput(`${shown}/${file.at}`, file.by)
    case 'edited': {
      const message = `${path} was changed by hand since toolgen wrote it.`
      const next =
        file.text === undefined
          ? 'The design no longer needs this file: move your change elsewhere and delete it, or run `toolgen generate --force` to let it go.'
          : 'Move your change into the design or a mapper and delete the file, or run `toolgen generate --force` to overwrite it.'
      return errorAt(firstDifference(path, file), 'TG5001', message, next)
    }
    case 'foreign': {
      const message = `${path} was not written by toolgen, but the design needs a file of that name.`
      const next = 'Move the file elsewhere, or choose another `output` folder in the configuration.'
      return errorAt(startOf(path), 'TG5002', message, next)
    }
    case 'unrecorded': {
      const message = `${path} looks generated, but ${shown}/${lockPath} does not list it, so changes by hand cannot be told.`
      const next =
        'Restore the lock file from version control, or run `toolgen generate --force` to overwrite the file.'
      return errorAt(firstDifference(path, file), 'TG5008', message, next)
    }
  }
}

/** Returns the first line that differs from what is planned: most often the one that was changed. */
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

/** Returns the warning for a file with toolgen's header that is neither recorded nor planned; it is left alone. */
export function leftOver({ shown }: OutputFolder, path: string): Diagnostic {
  const message = `${shown}/${path} looks generated, but neither the design nor the lock knows it.`
  const next = 'Delete the file if nothing imports it.'
  return { ...errorAt(startOf(`${shown}/${path}`), 'TG5009', message, next), severity: 'warning' }
}

/** Returns the error for something else at the path of a folder or a file of toolgen. */
export function blockedOutput(shown: string, by: EntryKind): Diagnostic {
  const what = { file: 'a file', folder: 'a folder', link: 'a symbolic link', other: 'a special file' }[by]
  const next =
    by === 'link'
      ? 'Name the folder that the link leads to as `output` in the configuration, or remove the link.'
      : 'Move it elsewhere, or choose another `output` folder in the configuration.'
  return errorAt(startOf(shown), 'TG5003', `toolgen cannot write to ${shown}: ${what} stands there.`, next)
}

/** Returns the error for an output folder of the user: it has files of theirs and no lock. */
export function foreignFolder({ shown }: OutputFolder, files: readonly string[]): Diagnostic {
  const message = `${shown} holds files that toolgen did not write, and no ${lockPath}: it is no output folder.`
  const next =
    'Choose a folder of its own as `output` in the configuration, e.g. `gen`; if the lock was lost, restore it.'
  const related = files.map((file) => ({ message: `for example ${shown}/${file}` }))
  return errorAt(startOf(shown), 'TG5012', message, next, { related })
}

/** Returns the error for a file operation that the operating system refused. */
export function refused({ folder, shown }: OutputFolder, error: DiskError): Diagnostic {
  const at = error.path?.replaceAll('\\', '/')
  const path = at?.startsWith(`${folder}/`) ? `${shown}${at.slice(folder.length)}` : shown
  const message = `toolgen cannot use the output folder ${shown}: ${diskErrorText(error)} (${path}). Nothing was changed.`
  const next = 'Make the folder readable and writable, or choose another `output` folder in the configuration.'
  return errorAt(startOf(path), 'TG5004', message, next)
}

/** Returns the error for a lock that toolgen did not write. */
export function corruptLock({ shown }: OutputFolder, reason: string): Diagnostic {
  const path = `${shown}/${lockPath}`
  const next =
    'Restore it from version control (after a merge: take either side), or run `toolgen generate --force` to write it anew.'
  return errorAt(startOf(path), 'TG5005', `${path} cannot be read: it ${reason}.`, next)
}

/** Returns the error for a lock of a later toolgen. */
export function newerLock({ shown }: OutputFolder, contract: number): Diagnostic {
  const path = `${shown}/${lockPath}`
  const message = `${path} has contract version ${contract}; this toolgen knows none above 1.`
  const next = 'Run `npm install --save-dev @toolgen/codegen@latest`, then `npx toolgen generate`.'
  return errorAt(startOf(path), 'TG5006', message, next)
}

/** Returns the error for another run that has been writing for longer than a run waits. */
export function busy({ shown }: OutputFolder, owner: Owner): Diagnostic {
  const message = `Another run (process ${owner.pid} on ${owner.host}) is writing to ${shown}.`
  const next = `Wait for it and run again; if it does not exist any more, delete ${shown}/${stagingName}.`
  return errorAt(startOf(shown), 'TG5007', message, next)
}

/** Returns the error for a run that failed and could not be undone. */
export function halfWritten({ shown }: OutputFolder, error: DiskError): Diagnostic {
  const message = `Writing to ${shown} failed (${diskErrorText(error)}) and could not be undone: some files are new, some are old.`
  const next = 'Make the folder writable and run `toolgen generate` again, which repairs it.'
  return errorAt(startOf(shown), 'TG5010', message, next)
}

/** Returns the warning for temporary files that could not be removed. */
export function notTidied({ shown }: OutputFolder, error: DiskError): Diagnostic {
  const path = `${shown}/${stagingName}`
  const message = `The temporary folder ${path} could not be removed: ${diskErrorText(error)}.`
  return { ...errorAt(startOf(path), 'TG5011', message, 'Delete the folder.'), severity: 'warning' }
}
