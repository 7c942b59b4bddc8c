import type { Disk } from '../write/disk.js'
import type { EmittedFile } from '../write/file.js'
import type { OutputFolder } from '../write/output-folder.js'
import { presentText, type WrittenFiles, writeFiles } from '../write/write-files.js'
import type { OutputAccess } from '../write/write-output.js'
import { refused } from './import-diagnostics.js'
import { isImported } from './import-names.js'

/** Those of the files in whose place something stands that no import has written. */
export function inTheWay(disk: Disk, { folder }: OutputFolder, files: readonly EmittedFile[]): readonly string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => {
      const text = presentText(disk, folder, path)
      return text !== undefined && !isImported(text)
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
