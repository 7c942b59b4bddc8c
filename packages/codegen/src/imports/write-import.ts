import { posix } from 'node:path'
import { type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { type Disk, diskErrorText } from '../files.js'
import type { EmittedFile, OutputFolder } from '../output/files.js'
import { presentText, type WrittenFiles, writeFiles } from '../output/output.js'
import { isImported, isUnedited } from './imported-files.js'

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
      const next = 'Choose another toolset name or --dir, or move the file.'
      return [errorAt(undefined, 'TG0010', `${file} was not written by an import. Nothing was changed.`, next)]
    }
    // A snapshot is data that the next import replaces.
    if (force || path.endsWith('.json') || isUnedited(present)) return []
    const next =
      'Change tools with the options of `importedToolset`, or in the module that `import module` reads. ' +
      'Then import with --force, which overwrites the file.'
    return [errorAt(undefined, 'TG0010', `${file} was changed after the import. Nothing was written.`, next)]
  })
}

/** If one write fails, restores the previous content of all files. */
export function writeImport(
  target: OutputFolder,
  files: readonly EmittedFile[],
  access?: Parameters<typeof writeFiles>[3],
): Promise<WrittenFiles> {
  const describe: Parameters<typeof writeFiles>[2] = ({ shown }, { error, restored }) => {
    const why = diskErrorText(error)
    const message = restored
      ? `Cannot write the files to ${shown}: ${why}. Nothing was changed.`
      : `Writing to ${shown} failed (${why}) and could not be undone. One file may be new and the other old.`
    const next = restored
      ? 'Make the folder writable, or choose another --dir.'
      : 'Make the folder writable and import again.'
    return errorAt(undefined, 'TG0011', message, next)
  }
  return writeFiles(target, files, describe, access)
}
