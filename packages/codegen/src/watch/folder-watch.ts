import { type FSWatcher, watch } from 'node:fs'
import { join } from 'node:path'
import { foundAt } from '../evaluate/found-at.js'

/**
 * Hears of changes in some folders from the operating system. Each folder is watched for itself: which ones matter is known
 * after every run, and watching whole trees is not reliable on every platform that toolgen supports.
 */
export class FolderWatch {
  /** The number of the folder on its disk tells it from a later one of the same name. */
  readonly #open = new Map<string, { readonly watcher: FSWatcher; readonly inode: number }>()
  readonly #onChange: (path: string) => void

  /** @param onChange told what changed in a watched folder: absolute; the folder itself where no name is known */
  constructor(onChange: (path: string) => void) {
    this.#onChange = onChange
  }

  /**
   * Watches these folders and no others.
   *
   * @returns those that were not watched before, or that are other folders under the same name
   * @throws what the operating system refuses, such as more folders than it can watch
   */
  watch(folders: Iterable<string>): readonly string[] {
    const wanted = new Set(folders)
    for (const folder of this.#open.keys()) if (!wanted.has(folder)) this.#close(folder)
    return [...wanted].filter((folder) => this.#watchOne(folder))
  }

  close(): void {
    for (const folder of this.#open.keys()) this.#close(folder)
  }

  #watchOne(folder: string): boolean {
    const found = foundAt(folder)
    if (this.#open.get(folder)?.inode === found?.ino) return false
    this.#close(folder)
    if (found?.isDirectory() !== true) return false
    const watcher = watch(folder, (_event, name) => this.#onChange(name === null ? folder : join(folder, name)))
    // A folder that goes away; its parent tells of that too.
    watcher.on('error', () => {
      this.#close(folder)
      this.#onChange(folder)
    })
    this.#open.set(folder, { watcher, inode: found.ino })
    return true
  }

  #close(folder: string): void {
    this.#open.get(folder)?.watcher.close()
    this.#open.delete(folder)
  }
}
