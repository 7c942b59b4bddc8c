import { Changes, searchedFolders, WatchedState } from './changes.js'

export class WatchedFiles {
  readonly #state = new WatchedState()
  readonly #changes = new Changes(this.#state)

  /**
   * Replaces the watched files. Also watches the folders of imported modules for new modules.
   *
   * @param root absolute path of the package
   * @param files absolute paths of the files
   * @param startedAt time of reading the files, in milliseconds since the Unix epoch. Changes after this time are reported.
   * @throws file system errors, such as too many watched folders
   */
  watch(root: string, files: readonly string[], startedAt: number): void {
    const folders = searchedFolders({ root, patterns: [], output: '', modules: files })
    this.#state.learn({ files, folders, outputFolder: '' }, startedAt)
    this.#changes.listen()
  }

  next(signal: AbortSignal): Promise<readonly string[]> {
    return this.#changes.next(signal)
  }

  close(): void {
    this.#changes.close()
  }
}
