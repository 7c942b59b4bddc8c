import { Changes, searchedFolders, WatchedState } from './changes.js'

/** Waits for changes of files. The list of watched files can be replaced. */
export class WatchedFiles {
  readonly #state = new WatchedState()
  readonly #changes = new Changes(this.#state)

  /**
   * Replaces the watched files, and watches for new modules in the folders that they import from.
   *
   * @param root absolute path of the package
   * @param files absolute paths of the files
   * @param startedAt time at which the files were read, in milliseconds since the Unix epoch. A later change counts as a change.
   * @throws file system errors, such as too many watched folders
   */
  watch(root: string, files: readonly string[], startedAt: number): void {
    const folders = searchedFolders({ root, patterns: [], output: '', modules: files })
    this.#state.learn({ files, folders, outputFolder: '' }, startedAt)
    this.#changes.listen()
  }

  /** Waits for a change. Returns the absolute paths of the changed files and folders; empty if `signal` is aborted. */
  next(signal: AbortSignal): Promise<readonly string[]> {
    return this.#changes.next(signal)
  }

  close(): void {
    this.#changes.close()
  }
}
