import { type Disk, type DiskError, isDiskError } from './disk.js'

/** A folder and its missing parents, outermost first. */
export function missingFolders(disk: Disk, folder: string): readonly string[] {
  if (folder === '' || disk.kind(folder) !== undefined) return []
  const end = folder.lastIndexOf('/')
  return end === -1 ? [folder] : [...missingFolders(disk, folder.slice(0, end)), folder]
}

/** Removes a file if it is there; another run may be faster. */
export function removeFileIfThere(disk: Disk, path: string): void {
  tolerating(['ENOENT'], () => {
    if (disk.kind(path) === undefined) return false
    disk.removeFile(path)
    return true
  })
}

/** Removes a folder if it is there and empty; returns whether it did. Another run may be faster, or use it again. */
export function removeFolderIfEmpty(disk: Disk, path: string): boolean {
  return tolerating(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => {
    if (disk.kind(path) !== 'folder' || disk.list(path).length > 0) return false
    disk.removeFolder(path)
    return true
  })
}

/** Removes whatever stands at a path, with everything below; links are removed, not followed. */
export function removeTree(disk: Disk, path: string): void {
  const kind = disk.kind(path)
  if (kind === undefined) return
  if (kind !== 'folder') {
    disk.removeFile(path)
    return
  }
  for (const { name } of disk.list(path)) removeTree(disk, `${path}/${name}`)
  disk.removeFolder(path)
}

/** Does every step, each a second time when the disk refuses it; returns the errors of those that it refused twice. */
export function doAll(steps: readonly (() => void)[]): readonly DiskError[] {
  return steps.flatMap((step) => (attempt(step) === undefined ? [] : (attempt(step) ?? [])))
}

function attempt(step: () => void): DiskError | undefined {
  try {
    step()
    return undefined
  } catch (error) {
    if (!isDiskError(error)) throw error
    return error
  }
}

function tolerating(codes: readonly string[], step: () => boolean): boolean {
  try {
    return step()
  } catch (error) {
    if (isDiskError(error) && codes.includes(error.code)) return false
    throw error
  }
}
