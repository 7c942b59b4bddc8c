import type { EmittedFile } from '../write/file.js'
import type { OutputFolder } from '../write/output-folder.js'
import { type WrittenFiles, writeFiles } from '../write/write-files.js'
import type { OutputAccess } from '../write/write-output.js'
import { refused } from './import-diagnostics.js'

/** Writes those files that differ from what stands there, all of them or none. */
export function writeImport(
  access: OutputAccess,
  target: OutputFolder,
  files: readonly EmittedFile[],
): Promise<WrittenFiles> {
  return writeFiles(access, target, files, refused)
}
