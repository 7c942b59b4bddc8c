import { dirname, join } from 'node:path'
import { type Disk, nodeDisk } from '../../write/disk.js'
import type { EmittedFile } from '../../write/file.js'
import { doAll, missingFolders } from '../../write/tidy.js'

/** Those of the paths below a folder at which something stands. */
export function existingFiles(root: string, paths: readonly string[]): readonly string[] {
  return paths.filter((path) => nodeDisk.kind(join(root, path)) !== undefined)
}

/** Writes files that do not exist yet, all or none; throws what the disk refuses. */
export function writeNewFiles(disk: Disk, root: string, files: readonly EmittedFile[]): void {
  const undo: (() => void)[] = []
  try {
    for (const { path, text } of files) {
      const target = join(root, path).replaceAll('\\', '/')
      for (const folder of missingFolders(disk, dirname(target))) {
        disk.makeFolder(folder)
        undo.push(() => disk.removeFolder(folder))
      }
      // A full disk makes the file and refuses its content.
      undo.push(() => {
        if (disk.kind(target) !== undefined) disk.removeFile(target)
      })
      disk.write(target, text)
    }
  } catch (error) {
    doAll(undo.toReversed())
    throw error
  }
}
