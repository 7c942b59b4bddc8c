import { Changes, searchedFolders, WatchedState } from './changes.js'

export class WatchedFiles {
  readonly #state = new WatchedState()
  readonly #changes = new Changes(this.#state)

  /**
   * Also watches the folders of imported modules for new modules. `startedAt` is the time of reading the files, in milliseconds since the Unix epoch.
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
