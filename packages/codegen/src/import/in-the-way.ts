import type { Disk } from '../write/disk.js'
import type { EmittedFile } from '../write/file.js'
import type { OutputFolder } from '../write/output-folder.js'
import { presentText } from '../write/write-files.js'
import { isImported } from './import-names.js'
import { isUnedited } from './written-module.js'

/** A file in whose place something stands that an import must not overwrite. */
export interface FileInTheWay {
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
